// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "package_threadpool.h"

#include "lammps/io/command_line.h"
#include "lammps/io/keywords.h"
#include "lammps/io/number_option.h"
#include "p2p/places/place_settings.h"
#include "package_tofu.h"
#include "threadpool/pool/rank_pool.h"

#include "domain.h"
#include "error.h"

#include <cmath>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int MAX_PARTS = 1024;
static constexpr double MAX_SPIN = 1e6;    // microseconds

/* ---------------------------------------------------------------------- */

void PackageThreadpool::command(int narg, char **arg)
{
  if (domain->box_exist)
    error->all(FLERR, "Package threadpool command after simulation box is defined");
  if (narg < 1)
    error->all(FLERR,
               "Illegal package threadpool command: missing number of parts (0 = one per core)");

  RankPool::Settings settings;
  settings.nparts = static_cast<int>(
      integer_option(lmp, "package threadpool number of parts", arg[0], 0, MAX_PARTS));

  Keywords keywords(lmp, "package threadpool");
  keywords.yes_or_no("pin", settings.pin);
  keywords.word("profile", settings.profile, "no");
  keywords.choice("precision", settings.mixed, {{"double", false}, {"mixed", true}});
  using Check = RankPool::Check;
  keywords.choice("check", settings.check,
                  {{"auto", Check::AUTO}, {"step", Check::STEP}, {"overlap", Check::OVERLAP}});
  using LongRange = RankPool::LongRange;
  keywords.choice("overlap", settings.long_range.overlap,
                  {{"yes", LongRange::YES}, {"no", LongRange::NO}, {"always", LongRange::ALWAYS}});
  keywords.word_of("fft", settings.long_range.fft, {"auto", "partial", "pencil", "replicated"});
  keywords.other("balance", [&](int n, char **values) {
    const std::string value = values[0];
    settings.balance.clear();
    if (value == "no") return 1;
    if (value != "ring") keywords.reject("balance", value, "no, ring NEVERY THRESH");
    if (n < 3) error->all(FLERR, "Missing values after package threadpool keyword: balance ring");
    integer_option(lmp, "package threadpool balance ring Nevery", values[1], 0, MAXBIGINT);
    real_option(lmp, "package threadpool balance ring thresh", values[2], 1.0, INFINITY);
    settings.balance = fmt::format("ring/balance {} {}", values[1], values[2]);
    return 3;
  });
  keywords.real("spin", settings.spin, 0.0, MAX_SPIN, "microseconds", 1e-6);
  PlaceSettings place;
  place.list_in(keywords);
  int ncomm = 0;
  char **comm_words = nullptr;
  keywords.other("comm", [&](int n, char **rest) {
    ncomm = n;
    comm_words = rest;
    return n;    // all that follows belongs to the communication style
  });
  keywords.read(narg - 1, arg + 1);
  log_overridden_package(lmp, "threadpool", narg, arg);
  PackageTofu(lmp).apply(place, ncomm, comm_words, "package threadpool");
  RankPool::apply(lmp, settings);
}
