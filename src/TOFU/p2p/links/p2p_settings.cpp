// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "p2p_settings.h"

#include "lammps/io/keywords.h"
#include "lammps/io/number_option.h"

#include "error.h"
#include "lammps.h"

#include <limits>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// slots are cheap but not free: each is as large as the largest message

constexpr int MIN_SLOTS = 1;
constexpr int MAX_SLOTS = 64;
constexpr int MAX_ENDPOINTS = 64;
constexpr int MAX_THREADS = 64;

}    // namespace

/* ---------------------------------------------------------------------- */

void P2PSettings::list_in(Keywords &keywords)
{
  keywords.word_of("transport", transport.backend, backend_choices());
  keywords.word("provider", transport.provider, "auto");
  keywords.word("interface", transport.interface, "auto");
  keywords.choice("pattern", pattern,
                  {{"auto", Pattern::AUTO}, {"p2p", Pattern::DIRECT}, {"3stage", Pattern::STAGED}});
  keywords.choice("layout", layout,
                  {{"auto", Layout::AUTO}, {"brick", Layout::BRICK}, {"tiled", Layout::TILED}});
  keywords.choice("shell", shell,
                  {{"auto", Shell::AUTO}, {"half", Shell::HALF}, {"full", Shell::FULL}});
  keywords.choice("order", brick_order, {{"p2p", false}, {"brick", true}});
  keywords.integer("slots", transport.link.nslots, MIN_SLOTS, MAX_SLOTS);
  keywords.integer("endpoints", nendpoints, 1, MAX_ENDPOINTS);
  keywords.integer("threads", nthreads, 1, MAX_THREADS);
  keywords.choice("stores", transport.link.stream, {{"stream", true}, {"plain", false}});
  keywords.yes_or_no("landing", landing);
  keywords.yes_or_no("verify", transport.link.verify);
  keywords.integer("shuffle", transport.shuffle_seed, 0, std::numeric_limits<int>::max());
  keywords.choice("stats", all_statistics, {{"brief", false}, {"full", true}});
  place.list_in(keywords);
}

/* ---------------------------------------------------------------------- */

std::string P2PSettings::text(LAMMPS *lmp) const
{
  P2PSettings same = *this;
  Keywords keywords(lmp, "");
  same.list_in(keywords);
  return keywords.text();
}

/* ---------------------------------------------------------------------- */

void P2PSettings::check_order(LAMMPS *lmp, const char *command) const
{
  if (brick_order && layout == Layout::TILED)
    lmp->error->all(FLERR,
                    "{}: order brick needs a grid of sub-boxes; use layout brick, or order p2p",
                    command);
}

/* ---------------------------------------------------------------------- */

P2PSettings P2PSettings::parse(LAMMPS *lmp, const char *command, int narg, char **arg)
{
  Error *error = lmp->error;
  P2PSettings settings;
  Keywords keywords(lmp, command);
  settings.list_in(keywords);
  keywords.read(narg, arg);

  if (settings.shell == Shell::HALF && settings.pattern == Pattern::STAGED)
    error->all(FLERR, "{}: shell half needs pattern auto or p2p, not 3stage", command);

  if (settings.nthreads > settings.nendpoints)
    error->all(FLERR, "{}: {} threads cannot share {} endpoints; use at least as many endpoints",
               command, settings.nthreads, settings.nendpoints);
  settings.check_order(lmp, command);
  settings.place.check(lmp, command);

  settings.transport.nlanes = settings.nthreads;
  settings.transport.nendpoints = settings.nendpoints;

  settings.node_size =
      static_cast<int>(environment_option(lmp, "TOFU_NODE_SIZE", std::numeric_limits<int>::max()));
  return settings;
}
