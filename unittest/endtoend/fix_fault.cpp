// SPDX-License-Identifier: GPL-2.0-only
//
// A plug-in with a fix that makes other code faulty, which a sanitizer must report there:
//
//   fix ID all fault address      the position of the first atom may not be read any more
//   fix ID all fault undefined    there are no positions any more
//   fix ID all fault thread       a thread changes the positions all the time
//
// For "address" and "thread" it is compiled with this sanitizer.

#include "plugin_style.h"

#include "atom.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include <atomic>
#include <string>
#include <thread>

using namespace LAMMPS_NS;

namespace {

class Fault : public Fix {
 public:
  Fault(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), kind_(narg > 3 ? arg[3] : "") {}

  ~Fault() override
  {
    stop_ = true;
    if (writer_.joinable()) writer_.join();
  }

  int setmask() override { return FixConst::POST_INTEGRATE; }

  void post_integrate() override
  {
    if (kind_ == "undefined") atom->x = nullptr;
#ifdef __SANITIZE_ADDRESS__
    if (kind_ == "address") __asan_poison_memory_region(atom->x[0], 3 * sizeof(double));
#endif
    if (kind_ == "thread" && !writer_.joinable()) writer_ = std::thread([this] { write(); });
  }

 private:
  const std::string kind_;
  std::thread writer_;
  std::atomic<bool> stop_{false};

  void write()
  {
    double *const x = atom->x[0];
    for (; !stop_; std::this_thread::yield())
      for (int k = 0; k < 3 * atom->nlocal; k++) x[k] += 0.0;
  }
};

}    // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  PluginStyles{lmp, handle, regfunc}.add_fix<Fault>("fault");
}
