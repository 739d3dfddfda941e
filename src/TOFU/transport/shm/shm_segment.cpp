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

  /** Name of a block: the path by which it is found, and what tells it from any other file that
      is there for the process that looks (another container, another user's file). */
  struct FileName {
    std::string path;
    unsigned long long device = 0, inode = 0;

    explicit FileName(std::string path) : path(std::move(path)) {}

    static FileName parse(const std::string &text)
    {
      FileName result(text.substr(0, text.find(SEPARATOR)));
      if (result.path.size() < text.size())
        std::sscanf(text.c_str() + result.path.size() + 1, "%llx:%llx", &result.device,
                    &result.inode);
      return result;
    }

    std::string text() const
    {
      char identity[48];
      std::snprintf(identity, sizeof(identity), "%c%llx:%llx", SEPARATOR, device, inode);
      return path + identity;
    }

    bool set_identity(int fd)
    {
      struct stat info;
      if (fstat(fd, &info) != 0) return false;
      device = info.st_dev;
      inode = info.st_ino;
      return true;
    }

    bool is_of(int fd) const
    {
      FileName other("");
      return other.set_identity(fd) && other.device == device && other.inode == inode;
    }

   private:
    static constexpr char SEPARATOR = ':';
  };

  /** The creator's descriptor is open, and a named block locked, until unlink(). */
  class PosixBlock : public SharedBlock {
   public:
    PosixBlock(const FileName &file, void *base, std::size_t nbytes, int fd, bool named) :
        path_(file.path), name_(file.text()), base_(base), nbytes_(nbytes), fd_(fd), named_(named)
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
      if (named_) ::unlink(path_.c_str());
      if (fd_ >= 0) close(fd_);
      named_ = false;
      fd_ = -1;
    }

   private:
    std::string path_, name_;
    void *base_;
    std::size_t nbytes_;
    int fd_;        // of the creator
    bool named_;    // true while this process has to remove the name
  };

  // another user may hold a lease on a file, for which open() would wait

  constexpr int AT_ONCE = O_RDWR | O_CLOEXEC | O_NONBLOCK;

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
      const FileName file = FileName::parse(name);
      const int fd = open(file.path.c_str(), AT_ONCE);
      if (fd < 0) return failed("open", file.path, nbytes, errno, why);
      std::shared_ptr<SharedBlock> block;
      if (file.is_of(fd))
        block = map(fd, file, nbytes, why);
      else
        failed("open", file.path, nbytes, ESTALE, why);
      close(fd);    // a mapping outlives its descriptor
      return block;
    }

   private:
    static std::shared_ptr<SharedBlock> create_anonymous(const std::string &label,
                                                         std::size_t nbytes, std::string &why)
    {
      const int fd = memfd_create(label.c_str() + 1, MFD_CLOEXEC);
      if (fd < 0) return failed("memfd_create", label, nbytes, errno, why);
      const FileName file("/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd));
      return fill(fd, file, nbytes, why, false);
    }

    static std::shared_ptr<SharedBlock> create_named(const std::string &label, std::size_t nbytes,
                                                     std::string &why)
    {
      const FileName file(FOLDER + label);
      const int fd = open_locked(file.path);
      if (fd < 0) return failed("open", file.path, nbytes, errno, why);
      return fill(fd, file, nbytes, why, true);
    }

    // the lock says that the creator lives.  Another process that cleans up may have come between
    // file and lock: then the name is gone

    static int open_locked(const std::string &path)
    {
      for (int trial = 0; trial < 10; trial++) {
        const int fd = open(path.c_str(), AT_ONCE | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
        if (fd < 0) return fd;
        struct stat info;
        if (flock(fd, LOCK_EX) == 0 && fstat(fd, &info) == 0 && info.st_nlink > 0) return fd;
        close(fd);
      }
      errno = EBUSY;
      return -1;
    }

    /** Give a new file its size, and map it.

        Args:
          fd      of the file; closed if there is no block
          named   whether the block has to remove its name */
    static std::shared_ptr<SharedBlock> fill(int fd, FileName file, std::size_t nbytes,
                                             std::string &why, bool named)
    {
      std::shared_ptr<SharedBlock> block;
      const int status = file.set_identity(fd) ? reserve(fd, nbytes) : errno;
      if (status)
        failed("posix_fallocate", named ? file.path : "memory that is not named", nbytes, status,
               why);
      else
        block = map(fd, file, nbytes, why, fd, named);
      if (block) return block;
      close(fd);
      if (named) unlink(file.path.c_str());
      return nullptr;
    }

    /** Args:
          kept    descriptor that the block keeps; -1: none
          named   whether the block has to remove its name */
    static std::shared_ptr<SharedBlock> map(int fd, const FileName &file, std::size_t nbytes,
                                            std::string &why, int kept = -1, bool named = false)
    {
      void *base = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (base != MAP_FAILED) return std::make_shared<PosixBlock>(file, base, nbytes, kept, named);
      return failed("mmap", file.path, nbytes, errno, why);
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
  auto is_own = [](const struct stat &info) {
    return info.st_uid == geteuid() && S_ISREG(info.st_mode);
  };
  int n = 0;
  while (const dirent *entry = readdir(folder)) {
    const std::string name = entry->d_name;
    struct stat info;
    if (name.compare(0, begin.size(), begin) != 0) continue;
    if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) || !is_own(info))
      continue;
    const int fd = openat(dirfd(folder), entry->d_name, AT_ONCE | O_NOFOLLOW);
    if (fd < 0) continue;
    const bool abandoned =
        fstat(fd, &info) == 0 && is_own(info) && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (abandoned && unlinkat(dirfd(folder), entry->d_name, 0) == 0) n++;
    close(fd);
  }
  closedir(folder);
  return n;
}

}    // namespace TOFU_NS
