// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "npair_half_shell.h"

#include "lammps/ghost_exchange.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "my_page.h"
#include "neigh_list.h"
#include "neighbor.h"

#include <algorithm>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

NPairHalfShell::NPairHalfShell(LAMMPS *lmp, NPair *stock_in, int size_in) :
    NPair(lmp), stock(stock_in), size(size_in)
{
  istyle = stock->istyle;
  nb = stock->nb;
  ns = stock->ns;
  cutoff_custom = stock->cutoff_custom;
  copy_neighbor_info();
}

/* ---------------------------------------------------------------------- */

void NPairHalfShell::copy_neighbor_info()
{
  NPair::copy_neighbor_info();
  stock->copy_neighbor_info();
}

/* ----------------------------------------------------------------------
   bin by bin: candidates for neighbors of the atoms of a bin are gathered once
   for all of them, so that distances are computed on contiguous data.  Rows are
   stored in that order, the list of atoms stays in the order of atoms
------------------------------------------------------------------------- */

void NPairHalfShell::build(NeighList *list)
{
  const GhostExchange *ghosts = GhostExchange::find(comm);
  if (!ghosts || !ghosts->half_shell()) {
    stock->build_setup();
    stock->build(list);
    return;
  }

  find_ghosts();
  list->ipage->reset();
  if (size)
    build_rows<1>(list);
  else
    build_rows<0>(list);
  for (int i = 0; i < atom->nlocal; i++) list->ilist[i] = i;
  list->inum = atom->nlocal;
}

/* ----------------------------------------------------------------------
   ghosts are at the end of the chain of each bin.  Most bins are far from all
   ghosts in the lower half of their stencil, which is where only ghosts are
   looked for
------------------------------------------------------------------------- */

void NPairHalfShell::find_ghosts()
{
  ghosthead.assign(mbins, -1);
  near_ghosts.assign(mbins, 0);
  nall = atom->nlocal + GhostExchange::find(comm)->nghost_of_pattern();
  for (int j = nall - 1; j >= atom->nlocal; j--) ghosthead[atom2bin[j]] = j;
  for (int ibin = 0; ibin < mbins; ibin++) {
    if (ghosthead[ibin] < 0) continue;
    for (int k = 0; k < nstencil; k++) {
      const int above = ibin + stencil[k];    // has this bin in its lower half
      if (stencil[k] > 0 && above < mbins) near_ghosts[above] = 1;
    }
  }
}

/* ----------------------------------------------------------------------
   all that the owned atoms of a bin may have as neighbors: the bin itself and
   the upper half of its stencil, of the lower half only the ghosts.  A stencil
   is a list of distances between bin numbers, whose sign tells the half; the
   one for triclinic boxes has both
------------------------------------------------------------------------- */

void NPairHalfShell::gather(int ibin)
{
  candidates.n = candidates.nowned = 0;
  for (int j = binhead[ibin]; j >= 0 && j < atom->nlocal; j = bins[j]) candidates.nowned++;

  gather_chain(binhead[ibin]);
  for (int k = 0; k < nstencil; k++)
    if (stencil[k] > 0) gather_chain(binhead[ibin + stencil[k]]);
  if (!near_ghosts[ibin]) return;
  for (int k = 0; k < nstencil; k++)
    if (stencil[k] > 0) gather_chain(ghosthead[ibin - stencil[k]]);
}

/* ----------------------------------------------------------------------
   bonded partners are at the end of the chain
------------------------------------------------------------------------- */

void NPairHalfShell::gather_chain(int first)
{
  double **x = atom->x;
  for (int j = first; j >= 0 && j < nall; j = bins[j]) {
    const int n = candidates.n++;
    if (n == static_cast<int>(candidates.index.size())) grow_candidates();
    candidates.index[n] = j;
    candidates.type[n] = atom->type[j];
    candidates.x[n] = x[j][0];
    candidates.y[n] = x[j][1];
    candidates.z[n] = x[j][2];
    if (size) candidates.radius[n] = atom->radius[j];
  }
}

/* ---------------------------------------------------------------------- */

void NPairHalfShell::grow_candidates()
{
  const std::size_t n = std::max<std::size_t>(1024, 2 * candidates.index.size());
  candidates.index.resize(n);
  candidates.type.resize(n);
  candidates.x.resize(n);
  candidates.y.resize(n);
  candidates.z.resize(n);
  if (size) candidates.radius.resize(n);
  rsq.resize(n);
  row.resize(n);
}

/* ---------------------------------------------------------------------- */

template <int SIZE> void NPairHalfShell::build_rows(NeighList *list)
{
  MyPage<int> *ipage = list->ipage;
  for (int ibin = 0; ibin < mbins; ibin++) {
    if (binhead[ibin] < 0 || binhead[ibin] >= atom->nlocal) continue;
    gather(ibin);
    for (int m = 0; m < candidates.nowned; m++) {
      const int i = candidates.index[m];
      int n = find_neighbors<SIZE>(m, list->history);
      if (exclude) n = drop_excluded(i, n);
      if (molecular != Atom::ATOMIC) n = mark_special(i, n);

      int *neighbors = n <= list->oneatom ? ipage->vget() : nullptr;
      if (neighbors) std::copy_n(row.data(), n, neighbors);
      ipage->vgot(n);
      if (ipage->status())
        error->one(FLERR,
                   "Neighbor list overflow, boost neigh_modify one: atom {} on rank {} has {} "
                   "neighbors, limit {}",
                   atom->tag[i], comm->me, n, list->oneatom);
      list->firstneigh[i] = neighbors;
      list->numneigh[i] = n;
    }
  }
}

/* ----------------------------------------------------------------------
   neighbors of the m-th candidate among those behind it, into row.  Two loops:
   compilers vectorize the first, the second has no branch to mispredict
------------------------------------------------------------------------- */

template <int SIZE> int NPairHalfShell::find_neighbors(int m, int history)
{
  const double *const x = candidates.x.data(), *const y = candidates.y.data(),
                      *const z = candidates.z.data();
  const double xm = x[m], ym = y[m], zm = z[m];
  const int nfound = candidates.n;
  double *const r2 = rsq.data();
  for (int c = m + 1; c < nfound; c++) {
    const double delx = xm - x[c], dely = ym - y[c], delz = zm - z[c];
    r2[c] = delx * delx + dely * dely + delz * delz;
  }

  const int *const index = candidates.index.data();
  int *const neighbors = row.data();
  int n = 0;
  if (SIZE) {
    const double *const radius = candidates.radius.data();
    const double radm = radius[m];
    for (int c = m + 1; c < nfound; c++) {
      const double radsum = radm + radius[c], cut = radsum + skin;
      const bool touch = history && r2[c] < radsum * radsum;
      neighbors[n] = index[c] ^ (static_cast<int>(touch) << HISTBITS);
      n += r2[c] <= cut * cut;
    }
  } else {
    const int *const type = candidates.type.data();
    const double *const limit = cutneighsq[type[m]];
    for (int c = m + 1; c < nfound; c++) {
      neighbors[n] = index[c];
      n += r2[c] <= limit[type[c]];
    }
  }
  return n;
}

/* ---------------------------------------------------------------------- */

int NPairHalfShell::drop_excluded(int i, int n)
{
  const int *type = atom->type;
  auto excluded = [&](int entry) {
    const int j = entry & HISTMASK & NEIGHMASK;
    return exclusion(i, j, type[i], type[j], atom->mask, atom->molecule) != 0;
  };
  return static_cast<int>(std::remove_if(row.begin(), row.begin() + n, excluded) - row.begin());
}

/* ----------------------------------------------------------------------
   pairs with a special bond get its kind, or are left out; another image than the
   one with the bond is an atom as others
------------------------------------------------------------------------- */

int NPairHalfShell::mark_special(int i, int n)
{
  const double *const xi = atom->x[i];
  const tagint *const special = atom->special[i];
  const int *const nspecial = atom->nspecial[i];
  if (nspecial[2] == 0) return n;
  int nkept = 0;
  for (int k = 0; k < n; k++) {
    const int j = row[k] & NEIGHMASK;
    int kind = find_special(special, nspecial, atom->tag[j]);
    if (kind != 0) {
      const double *const xj = atom->x[j];
      if (domain->minimum_image_check(xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2])) kind = 0;
    }
    row[nkept] = row[k] ^ (std::max(kind, 0) << SBBITS);
    nkept += kind >= 0;
  }
  return nkept;
}
