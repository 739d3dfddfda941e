/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Ghost communication on behalf of other styles.  Their pack routines have the same names in all
// base classes, so that one template serves them all.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"

#include "bond.h"
#include "compute.h"
#include "dump.h"
#include "fix.h"
#include "pair.h"

#include <algorithm>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   nsize = largest number of values per atom, bounds the packing buffer
------------------------------------------------------------------------- */

template <class Style> void CommP2PRDMA::forward_style(Style *style, int nsize)
{
  forward_packed(
      Impl::STYLES, nsize,
      [&](int n, int *list, double *buffer, int pbc_flag, int *pbc) {
        return style->pack_forward_comm(n, list, buffer, pbc_flag, pbc);
      },
      [&](int n, int first, double *buffer) { style->unpack_forward_comm(n, first, buffer); });
}

/* ---------------------------------------------------------------------- */

template <class Style> void CommP2PRDMA::reverse_style(Style *style, int nsize)
{
  reverse_packed(
      Impl::STYLES, nsize,
      [&](int n, int first, double *buffer) { return style->pack_reverse_comm(n, first, buffer); },
      [&](int n, int *list, double *buffer) { style->unpack_reverse_comm(n, list, buffer); });
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::forward_comm(Pair *pair, int size)
{
  forward_style(pair, size ? size : pair->comm_forward);
}

void CommP2PRDMA::reverse_comm(Pair *pair, int size)
{
  reverse_style(pair, size ? size : std::max(pair->comm_reverse, pair->comm_reverse_off));
}

void CommP2PRDMA::forward_comm(Bond *bond, int size)
{
  forward_style(bond, size ? size : bond->comm_forward);
}

void CommP2PRDMA::reverse_comm(Bond *bond, int size)
{
  reverse_style(bond, size ? size : std::max(bond->comm_reverse, bond->comm_reverse_off));
}

void CommP2PRDMA::forward_comm(Fix *fix, int size)
{
  forward_style(fix, size ? size : fix->comm_forward);
}

void CommP2PRDMA::reverse_comm(Fix *fix, int size)
{
  reverse_style(fix, size ? size : fix->comm_reverse);
}

void CommP2PRDMA::forward_comm(Compute *compute, int size)
{
  forward_style(compute, size ? size : compute->comm_forward);
}

void CommP2PRDMA::reverse_comm(Compute *compute, int size)
{
  reverse_style(compute, size ? size : compute->comm_reverse);
}

void CommP2PRDMA::forward_comm(Dump *dump, int size)
{
  forward_style(dump, size ? size : dump->comm_forward);
}

void CommP2PRDMA::reverse_comm(Dump *dump, int size)
{
  reverse_style(dump, size ? size : dump->comm_reverse);
}

/* ----------------------------------------------------------------------
   the fix says how much it is going to pack, swap by swap
------------------------------------------------------------------------- */

void CommP2PRDMA::reverse_comm_variable(Fix *fix)
{
  reverse_packed(
      Impl::STYLES, fix->comm_reverse,
      [&](int n, int first, double *) {
        double *buffer = impl->room(fix->pack_reverse_comm_size(n, first) + Impl::EXTRA);
        return fix->pack_reverse_comm(n, first, buffer);
      },
      [&](int n, int *list, double *buffer) { fix->unpack_reverse_comm(n, list, buffer); });
}

/* ----------------------------------------------------------------------
   array[i][0 ... nsize-1] of owned atoms goes to the same rows of ghosts
------------------------------------------------------------------------- */

void CommP2PRDMA::forward_comm_array(int nsize, double **array)
{
  forward_packed(
      Impl::STYLES, nsize,
      [&](int n, int *list, double *buffer, int, int *) {
        for (int i = 0; i < n; i++) buffer = std::copy_n(array[list[i]], nsize, buffer);
        return n * nsize;
      },
      [&](int n, int first, double *buffer) {
        for (int i = first; i < first + n; i++, buffer += nsize)
          std::copy_n(buffer, nsize, array[i]);
      });
}
