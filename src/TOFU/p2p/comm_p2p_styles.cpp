// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Pack routines have the same names in the base classes of all styles, so that one template serves
// them all.

#include "comm_p2p_styles.h"

#include "halo/messages/packed_exchange.h"
#include "p2p/links/exchange_calls.h"

#include "bond.h"
#include "compute.h"
#include "dump.h"
#include "fix.h"
#include "pair.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   nmost = largest number of values per atom, bounds the packing buffer
------------------------------------------------------------------------- */

template <class Pack, class Unpack>
void CommP2PStyles::forward(int nmost, Pack &&pack, Unpack &&unpack)
{
  const Exchange by = exchange_of_styles();
  if (!by.has_ghosts) return;
  by.calls.run(ExchangeCalls::STYLES,
               [&]() { by.packed.forward(std::max(nmost, maxforward), pack, unpack); });
}

/* ---------------------------------------------------------------------- */

template <class Pack, class Unpack>
void CommP2PStyles::reverse(int nmost, Pack &&pack, Unpack &&unpack)
{
  const Exchange by = exchange_of_styles();
  if (!by.has_ghosts) return;
  by.calls.run(ExchangeCalls::STYLES,
               [&]() { by.packed.reverse(std::max(nmost, maxreverse), pack, unpack); });
}

/* ---------------------------------------------------------------------- */

template <class Style> void CommP2PStyles::forward_style(Style *style, int nmost)
{
  forward(
      nmost,
      [&](int n, int *list, double *values, int pbc_flag, int *pbc) {
        return style->pack_forward_comm(n, list, values, pbc_flag, pbc);
      },
      [&](int n, int first, double *values) { style->unpack_forward_comm(n, first, values); });
}

/* ---------------------------------------------------------------------- */

template <class Style> void CommP2PStyles::reverse_style(Style *style, int nmost)
{
  reverse(
      nmost,
      [&](int n, int first, double *values) { return style->pack_reverse_comm(n, first, values); },
      [&](int n, int *list, double *values) { style->unpack_reverse_comm(n, list, values); });
}

/* ---------------------------------------------------------------------- */

void CommP2PStyles::forward_comm(Pair *pair, int size)
{
  forward_style(pair, size ? size : pair->comm_forward);
}

void CommP2PStyles::reverse_comm(Pair *pair, int size)
{
  reverse_style(pair, size ? size : std::max(pair->comm_reverse, pair->comm_reverse_off));
}

void CommP2PStyles::forward_comm(Bond *bond, int size)
{
  forward_style(bond, size ? size : bond->comm_forward);
}

void CommP2PStyles::reverse_comm(Bond *bond, int size)
{
  reverse_style(bond, size ? size : std::max(bond->comm_reverse, bond->comm_reverse_off));
}

void CommP2PStyles::forward_comm(Fix *fix, int size)
{
  forward_style(fix, size ? size : fix->comm_forward);
}

void CommP2PStyles::reverse_comm(Fix *fix, int size)
{
  reverse_style(fix, size ? size : fix->comm_reverse);
}

void CommP2PStyles::forward_comm(Compute *compute, int size)
{
  forward_style(compute, size ? size : compute->comm_forward);
}

void CommP2PStyles::reverse_comm(Compute *compute, int size)
{
  reverse_style(compute, size ? size : compute->comm_reverse);
}

void CommP2PStyles::forward_comm(Dump *dump, int size)
{
  forward_style(dump, size ? size : dump->comm_forward);
}

void CommP2PStyles::reverse_comm(Dump *dump, int size)
{
  reverse_style(dump, size ? size : dump->comm_reverse);
}

/* ----------------------------------------------------------------------
   the fix gives the number of values that it is going to pack, swap by swap
------------------------------------------------------------------------- */

void CommP2PStyles::reverse_comm_variable(Fix *fix)
{
  PackingBuffer &buffer = exchange_of_styles().packed.buffer();
  reverse(
      fix->comm_reverse,
      [&](int n, int first, double *) {
        const int nmost = fix->pack_reverse_comm_size(n, first) + PackingBuffer::EXTRA;
        return fix->pack_reverse_comm(n, first, buffer.room(nmost));
      },
      [&](int n, int *list, double *values) { fix->unpack_reverse_comm(n, list, values); });
}

/* ----------------------------------------------------------------------
   array[i][0 ... nsize-1] of owned atoms goes to the same rows of ghosts
------------------------------------------------------------------------- */

void CommP2PStyles::forward_comm_array(int nsize, double **array)
{
  forward(
      nsize,
      [&](int n, int *list, double *values, int, int *) {
        for (int i = 0; i < n; i++) values = std::copy_n(array[list[i]], nsize, values);
        return n * nsize;
      },
      [&](int n, int first, double *values) {
        for (int i = first; i < first + n; i++, values += nsize)
          std::copy_n(values, nsize, array[i]);
      });
}
