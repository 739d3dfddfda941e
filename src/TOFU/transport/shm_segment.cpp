// SPDX-License-Identifier: GPL-2.0-only

#include "shm_segment.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace TOFU_NS {

namespace {

  class PosixBlock : public SharedBlock {
   public:
    PosixBlock(std::string name, void *base, std::size_t nbytes, bool creator) :
        name_(std::move(name)), base_(base), nbytes_(nbytes), linked_(creator)
    {
    }

    ~PosixBlock() override
    {
      unlink();
      munmap(base_, nbytes_);
    }

    std::byte *data() override { return static_cast<std::byte *>(base_); }

    void unlink() override
    {
      if (linked_) shm_unlink(name_.c_str());
      linked_ = false;
    }

   private:
    std::string name_;
    void *base_;
    std::size_t nbytes_;
    bool linked_;    // true while this process has to remove the name
  };

  class PosixSharedMemory : public SharedMemory {
   public:
    std::shared_ptr<SharedBlock> create(const std::string &name, std::size_t nbytes,
                                        std::string &why) override
    {
      const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
      if (fd < 0) return failed("shm_open", name, nbytes, errno, why);

      const int status = posix_fallocate(fd, 0, static_cast<off_t>(nbytes));
      if (status) {
        close(fd);
        shm_unlink(name.c_str());
        return failed("posix_fallocate", name, nbytes, status, why);
      }
      auto block = map(fd, name, nbytes, true, why);
      if (!block) shm_unlink(name.c_str());
      return block;
    }

    std::shared_ptr<SharedBlock> attach(const std::string &name, std::size_t nbytes,
                                        std::string &why) override
    {
      const int fd = shm_open(name.c_str(), O_RDWR, 0);
      if (fd < 0) return failed("shm_open", name, nbytes, errno, why);
      return map(fd, name, nbytes, false, why);
    }

   private:
    // closes fd in any case: a mapping outlives its descriptor

    static std::shared_ptr<SharedBlock> map(int fd, const std::string &name, std::size_t nbytes,
                                            bool creator, std::string &why)
    {
      void *base = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      const int status = errno;
      close(fd);
      if (base == MAP_FAILED) return failed("mmap", name, nbytes, status, why);
      return std::make_shared<PosixBlock>(name, base, nbytes, creator);
    }

    static std::shared_ptr<SharedBlock> failed(const char *call, const std::string &name,
                                               std::size_t nbytes, int status, std::string &why)
    {
      why = std::string(call) + " of " + std::to_string(nbytes) + " bytes as /dev/shm" + name +
          " failed: " + std::strerror(status);
      if (status == ENOSPC) why += " (make /dev/shm larger, or use fewer slots, or transport mpi)";
      return nullptr;
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<SharedMemory> make_posix_shared_memory()
{
  return std::make_unique<PosixSharedMemory>();
}

}    // namespace TOFU_NS
