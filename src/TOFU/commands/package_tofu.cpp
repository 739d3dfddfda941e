// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "package_tofu.h"

#include "lammps/io/command_line.h"
#include "lammps/io/keywords.h"
#include "p2p/change_comm.h"
#include "p2p/links/p2p_settings.h"

#include "error.h"

#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PackageTofu::command(int narg, char **arg)
{
  if (narg < 1)
    error->all(FLERR, "Illegal package tofu command: missing keyword (allowed: comm, map, place)");

  PlaceSettings place;
  int ncomm = 0;
  char **comm_words = nullptr;
  Keywords keywords(lmp, "package tofu");
  place.list_in(keywords);
  keywords.other("comm", [&](int n, char **rest) {
    ncomm = n;
    comm_words = rest;
    return n;    // all that follows belongs to the communication style
  });
  keywords.read(narg, arg);
  log_overridden_package(lmp, "tofu", narg, arg);
  apply(place, ncomm, comm_words, "package tofu");
}

/* ---------------------------------------------------------------------- */

void PackageTofu::apply(const PlaceSettings &place, int ncomm, char **comm_words,
                        const char *command)
{
  place.check(lmp, command);
  if (place.given()) install_placement(lmp, place, command);
  if (ncomm > 0) choose_comm(ncomm, comm_words);
}

/* ---------------------------------------------------------------------- */

void PackageTofu::choose_comm(int narg, char **arg)
{
  const std::string style = arg[0];
  if (style == "p2p_rdma" || style == "p2p/rdma") {
    install_comm_p2p_rdma(lmp,
                          P2PSettings::parse(lmp, "package tofu comm p2p/rdma", narg - 1, arg + 1));
  } else if (style == "brick") {
    if (narg > 1) error->all(FLERR, "Unknown package tofu comm brick keyword: {}", arg[1]);
    install_comm_brick(lmp);
  } else {
    error->all(FLERR, "Unknown package tofu comm value: {} (allowed: brick, p2p/rdma)", style);
  }
}
