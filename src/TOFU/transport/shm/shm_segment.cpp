// SPDX-License-Identifier: GPL-2.0-only

#include "shm_segment.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace TOFU_NS {

namespace {

  constexpr const char *FOLDER = "/dev/shm";
  constexpr const char *OUR_NAMES = "tofu-";    // begin of the labels that callers choose

  /** The creator's descriptor is open, and a named block locked, until unlink(). */
  class PosixBlock : public SharedBlock {
   public:
    PosixBlock(std::string name, void *base, std::size_t nbytes, int fd, bool named) :
        name_(std::move(name)), base_(base), nbytes_(nbytes), fd_(fd), named_(named)
    {
    }

    ~PosixBlock() override
    {
      unlink();
      munmap(base_, nbytes_);
    }

    std::byte *data() override { return static_cast<std::byte *>(base_); }
    const std::string &name() const override { return name_; }

    void unlink() override
    {
      if (named_) shm_unlink(name_.c_str());
      if (fd_ >= 0) close(fd_);
      named_ = false;
      fd_ = -1;
    }

   private:
    std::string name_;
    void *base_;
    std::size_t nbytes_;
    int fd_;        // of the creator
    bool named_;    // true while this process has to remove the name
  };

  /** How an anonymous block is found: process, descriptor, and what tells it from any other file.
      */
  struct DescriptorName {
    long pid;
    int fd;
    unsigned long long device, inode;

    static bool parse(const std::string &name, DescriptorName &result)
    {
      return std::sscanf(name.c_str(), "memfd:%ld:%d:%llx:%llx", &result.pid, &result.fd,
                         &result.device, &result.inode) == 4;
    }

    std::string text() const
    {
      char name[64];
      std::snprintf(name, sizeof(name), "memfd:%ld:%d:%llx:%llx", pid, fd, device, inode);
      return name;
    }

    std::string path() const
    {
      return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
    }
  };

  /** Bytes that this machine, or the container, can give; as many as there are if it does not say.
      */
  double available_memory()
  {
    double available = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    std::ifstream info("/proc/meminfo");
    for (std::string line; std::getline(info, line);) {
      double kilobytes;
      if (std::sscanf(line.c_str(), "MemAvailable: %lf kB", &kilobytes) == 1)
        available = 1024.0 * kilobytes;
    }
    double most, used;
    if (std::ifstream("/sys/fs/cgroup/memory.max") >> most &&
        std::ifstream("/sys/fs/cgroup/memory.current") >> used)
      available = std::min(available, most - used);
    return available;
  }

  /** Unnamed memory has no limit like that of /dev/shm: the system would kill processes to make
      room. */
  constexpr double SHARE_OF_AVAILABLE = 0.5;

  int reserve(int fd, std::size_t nbytes)
  {
    if (static_cast<double>(nbytes) > SHARE_OF_AVAILABLE * available_memory()) return ENOSPC;
    int status;
    do {
      status = posix_fallocate(fd, 0, static_cast<off_t>(nbytes));
    } while (status == EINTR);
    return status;
  }

  class PosixSharedMemory : public SharedMemory {
   public:
    std::shared_ptr<SharedBlock> create(Kind kind, const std::string &label, std::size_t nbytes,
                                        std::string &why) override
    {
      remove_abandoned_blocks(OUR_NAMES);
      return kind == Kind::NAMED ? create_named(label, nbytes, why)
                                 : create_anonymous(label, nbytes, why);
    }

    std::shared_ptr<SharedBlock> attach(const std::string &name, std::size_t nbytes,
                                        std::string &why) override
    {
      DescriptorName place{};
      const bool anonymous = DescriptorName::parse(name, place);
      const int fd = anonymous ? open(place.path().c_str(), O_RDWR | O_CLOEXEC)
                               : shm_open(name.c_str(), O_RDWR, 0);
      if (fd < 0)
        return failed(anonymous ? "open" : "shm_open", anonymous ? place.path() : FOLDER + name,
                      nbytes, errno, why);
      std::shared_ptr<SharedBlock> block;
      if (anonymous && !is_file(fd, place))
        failed("open", place.path(), nbytes, ESTALE, why);
      else
        block = map(fd, name, FOLDER + name, nbytes, why);
      close(fd);    // a mapping outlives its descriptor
      return block;
    }

   private:
    static std::shared_ptr<SharedBlock> create_anonymous(const std::string &label,
                                                         std::size_t nbytes, std::string &why)
    {
      const int fd = memfd_create(label.c_str() + 1, MFD_CLOEXEC);
      if (fd < 0) return failed("memfd_create", label, nbytes, errno, why);
      struct stat info;
      const int status = fstat(fd, &info) ? errno : reserve(fd, nbytes);
      if (status) {
        close(fd);
        return failed("posix_fallocate", "memory that is not named", nbytes, status, why);
      }
      const DescriptorName place = {getpid(), fd, info.st_dev, info.st_ino};
      return map(fd, place.text(), label, nbytes, why, fd, false);
    }

    static std::shared_ptr<SharedBlock> create_named(const std::string &name, std::size_t nbytes,
                                                     std::string &why)
    {
      const std::string path = FOLDER + name;
      const int fd = open_locked(name);
      if (fd < 0) return failed("shm_open", path, nbytes, errno, why);
      const int status = reserve(fd, nbytes);
      if (status) {
        close(fd);
        shm_unlink(name.c_str());
        return failed("posix_fallocate", path, nbytes, status, why);
      }
      return map(fd, name, path, nbytes, why, fd, true);
    }

    // the lock says that the creator lives.  Another process that cleans up may have come between
    // file and lock: then the name is gone

    static int open_locked(const std::string &name)
    {
      for (int trial = 0; trial < 10; trial++) {
        const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
        if (fd < 0) return fd;
        struct stat info;
        if (flock(fd, LOCK_EX) == 0 && fstat(fd, &info) == 0 && info.st_nlink > 0) return fd;
        close(fd);
      }
      errno = EBUSY;
      return -1;
    }

    static bool is_file(int fd, const DescriptorName &place)
    {
      struct stat info;
      return fstat(fd, &info) == 0 && info.st_dev == place.device && info.st_ino == place.inode;
    }

    /** Args:
          kept    descriptor that the block keeps, closed if there is no block; -1: none
          named   whether the block has to remove its name */
    static std::shared_ptr<SharedBlock> map(int fd, const std::string &name,
                                            const std::string &path, std::size_t nbytes,
                                            std::string &why, int kept = -1, bool named = false)
    {
      void *base = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (base != MAP_FAILED) return std::make_shared<PosixBlock>(name, base, nbytes, kept, named);
      const int status = errno;
      if (kept >= 0) close(kept);
      if (named) shm_unlink(name.c_str());
      return failed("mmap", path, nbytes, status, why);
    }

    static std::shared_ptr<SharedBlock> failed(const char *call, const std::string &what,
                                               std::size_t nbytes, int status, std::string &why)
    {
      why = std::string(call) + " of " + std::to_string(nbytes) + " bytes as " + what +
          " failed: " + std::strerror(status);
      if (status == ENOSPC || status == ENOMEM)
        why += " (use fewer slots, or transport mpi, or more memory, in /dev/shm if that is named "
               "here)";
      return nullptr;
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<SharedMemory> make_posix_shared_memory()
{
  return std::make_unique<PosixSharedMemory>();
}

/* ----------------------------------------------------------------------
   a creator holds a lock as long as its block has a name; that of another user
   cannot be opened
------------------------------------------------------------------------- */

int remove_abandoned_blocks(const std::string &begin)
{
  DIR *const folder = opendir(FOLDER);
  if (!folder) return 0;
  int n = 0;
  while (const dirent *entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.compare(0, begin.size(), begin) != 0) continue;
    const int fd = shm_open(("/" + name).c_str(), O_RDWR | O_NOFOLLOW, 0);
    if (fd < 0) continue;
    struct stat info;
    const bool own = fstat(fd, &info) == 0 && info.st_uid == geteuid() && S_ISREG(info.st_mode);
    if (own && flock(fd, LOCK_EX | LOCK_NB) == 0 && shm_unlink(("/" + name).c_str()) == 0) n++;
    close(fd);
  }
  closedir(folder);
  return n;
}

}    // namespace TOFU_NS
