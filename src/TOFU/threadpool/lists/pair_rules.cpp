// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_rules.h"

#include "lammps/ghost_exchange.h"

#include "atom.h"
#include "domain.h"
#include "force.h"
#include "neighbor.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

PairRules::PairRules(LAMMPS *lmp, Pairs pairs_in, bool sizes_in) :
    Pointers(lmp), pairs(pairs_in), sizes(sizes_in)
{
}

/* ----------------------------------------------------------------------
   in a half shell of ghosts all pairs with a ghost are stored
------------------------------------------------------------------------- */

void PairRules::begin(double **cutneighsq, double skin_in,
                      std::function<bool(int, int)> is_excluded_in)
{
  const GhostExchange *const ghosts = GhostExchange::find(comm);
  const bool half_shell = ghosts && ghosts->half_shell();
  one_of_two_ranks = pairs == Pairs::HALF_NEWTON && !half_shell;
  rule = {domain->triclinic != 0, 0.01 * force->angstrom};
  cutsq = cutneighsq;
  skin = skin_in;
  is_excluded = std::move(is_excluded_in);
  find_cutoffs();
}

/* ---------------------------------------------------------------------- */

double PairRules::largest_cutoff() const
{
  return sizes ? *std::max_element(widest.begin(), widest.end()) : neighbor->cutneighmax;
}

/* ---------------------------------------------------------------------- */

const int *PairRules::types() const
{
  return atom->type;
}

const double *PairRules::radii() const
{
  return atom->radius;
}

/* ---------------------------------------------------------------------- */

void PairRules::find_cutoffs()
{
  const int ntypes = atom->ntypes;
  one_cutoff = true;
  widest.assign(ntypes + 1, 0.0);
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++) {
      widest[i] = std::max(widest[i], std::sqrt(cutsq[i][j]));
      if (cutsq[i][j] != cutsq[1][1]) one_cutoff = false;
    }
  if (!sizes) return;
  one_cutoff = true;    // that of types says nothing
  find_radii();
}

/* ----------------------------------------------------------------------
   radii may have grown since the cut-offs of types were set, and those leave
   out pairs of atoms that do not move
------------------------------------------------------------------------- */

void PairRules::find_radii()
{
  std::fill(widest.begin(), widest.end(), 0.0);
  double largest = 0.0;
  const int nall = atom->nlocal + atom->nghost;
  for (int i = 0; i < nall; i++) {
    widest[atom->type[i]] = std::max(widest[atom->type[i]], atom->radius[i]);
    largest = std::max(largest, atom->radius[i]);
  }
  for (double &cutoff : widest) cutoff += largest + skin;
}
