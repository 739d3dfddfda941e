// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "comm_style_p2p_rdma.h"

#include "lammps/io/command_line.h"
#include "lammps/io/version_line.h"
#include "p2p/change_comm.h"
#include "p2p/comm_p2p_rdma.h"
#include "p2p/links/p2p_settings.h"

#include "comm.h"
#include "error.h"
#include "utils.h"

#include <string>
#include <vector>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void CommStyleP2PRDMA::command(int narg, char **arg)
{
  TOFU_NS::install_comm_p2p_rdma(
      lmp, TOFU_NS::P2PSettings::parse(lmp, "comm_style p2p/rdma", narg, arg));
}

/* ---------------------------------------------------------------------- */

void CommStyleBrick::command(int narg, char **)
{
  if (narg != 0) error->all(FLERR, "Illegal comm_style/brick command: it takes no arguments");
  TOFU_NS::install_comm_brick(lmp);
}

/* ---------------------------------------------------------------------- */

void CommStyleTiled::command(int narg, char **)
{
  if (narg != 0) error->all(FLERR, "Illegal comm_style/tiled command: it takes no arguments");
  TOFU_NS::install_comm_tiled(lmp);
}

/* ----------------------------------------------------------------------
   with KOKKOS LAMMPS has a communication style of its own, and an input that loads a
   plug-in may have chosen one before
------------------------------------------------------------------------- */

void CommStyleDefault::command(int narg, char **)
{
  if (narg != 0) error->all(FLERR, "Illegal comm_style/default command: it takes no arguments");
  const bool chosen = comm->style != Comm::BRICK || CommP2PRDMA::find(comm) ||
      !TOFU_NS::comm_on_command_line(lmp).empty();
  if (chosen || lmp->kokkos) return;
  std::vector<std::string> words = TOFU_NS::comm_of_environment();
  if (words[0] == "brick" && words.size() == 1) return;
  if (words[0] != "p2p/rdma" && words[0] != "p2p_rdma")
    error->all(FLERR,
               "Unknown value of the environment variable TOFU_COMM: {} (allowed: brick, p2p/rdma, "
               "p2p/rdma with keywords)",
               utils::join_words(words, " "));

  std::vector<char *> keywords;
  for (std::string &word : words) keywords.push_back(&word[0]);
  TOFU_NS::P2PSettings settings = TOFU_NS::P2PSettings::parse(
      lmp, "TOFU_COMM p2p/rdma", static_cast<int>(words.size()) - 1, keywords.data() + 1);
  settings.by_default = true;
  TOFU_NS::install_comm_p2p_rdma(lmp, settings);
  if (comm->me) return;
  TOFU_NS::log_version(lmp);
  utils::logmesg(lmp, "TOFU: comm_style {}, as by default with -sf threadpool; {}\n",
                 utils::join_words(words, " "), TOFU_NS::words_for_brick());
}
