// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_EMBEDDED_STYLE_H
#define LMP_EMBEDDED_STYLE_H

#include "threadpool/pair/pair_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "atom.h"

#include "base/aligned_array.h"
#include "kernels/data/inside_rows.h"
#include "kernels/data/row_arena.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** A potential of embedded atoms with some values for each, of splines, on the pool: Base with
    another compute().  Lists are full ones: each atom sums up its own values, so that there are
    none to be sent back, and none that several parts add to.

    \param STRIDE   values of an atom in memory
    \param NSENT    those that ghosts get, at most */
template <class Base, int STRIDE, int NSENT> class EmbeddedStyle : public Base, public WorkOnPool {
 public:
  template <class... Arguments>
  EmbeddedStyle(class LAMMPS *lmp, Arguments... arguments) :
      Base(lmp, arguments...), pair(lmp), stock_forward(this->comm_forward)
  {
    this->no_virial_fdotr_compute = 1;
  }

  void init_style() override
  {
    Base::init_style();
    on_pool = pair.adjust_request_to_full(this);
    this->comm_forward = on_pool ? NSENT : stock_forward;
    stale = true;
  }

  double init_one(int i, int j) override
  {
    stale = true;    // the cut-off is known
    return Base::init_one(i, j);
  }

  int pack_forward_comm(int n, int *sent, double *buf, int pbc_flag, int *pbc) override
  {
    if (!on_pool) return Base::pack_forward_comm(n, sent, buf, pbc_flag, pbc);
    for (int k = 0; k < n; k++)
      std::copy_n(values_of(sent[k]) + first_sent, nsent, buf + nsent * k);
    return nsent * n;
  }

  void unpack_forward_comm(int n, int first, double *buf) override
  {
    if (!on_pool) return Base::unpack_forward_comm(n, first, buf);
    for (int k = 0; k < n; k++)
      std::copy_n(buf + nsent * k, nsent, values_of(first + k) + first_sent);
  }

  double memory_usage() override
  {
    return Base::memory_usage() + pair.memory_usage() + static_cast<double>(values.nbytes()) +
        spline_bytes();
  }

  void add_tally_callback(class Compute *) override { PairOnPool::refuse_tally(this->lmp); }

  std::string left_to_lammps() const override { return on_pool ? "" : PairOnPool::NO_FULL_LISTS; }

 protected:
  PairOnPool pair;
  bool on_pool = true;    // else LAMMPS' code computes
  TOFU_NS::EAMInside inside;
  std::vector<TOFU_NS::RowArena> arenas;    // [nparts]
  TOFU_NS::AlignedArray<double> values;     // [natoms+1][STRIDE]

  /** Copy splines of LAMMPS; their coefficients may have changed. */
  virtual void fill_tables() = 0;
  virtual double spline_bytes() const = 0;

  double *values_of(int i) { return values.data() + static_cast<std::size_t>(STRIDE) * i; }

  /** Memory for all atoms, and tables.  Values behind the last atom, which kernels read, and those
      of atoms of other styles, which are sent, too, are 0. */
  void prepare_atoms()
  {
    const int nlocal = this->atom->nlocal, natoms = nlocal + this->atom->nghost;
    values.room(static_cast<std::size_t>(STRIDE) * (natoms + 1));
    std::fill_n(values_of(natoms), STRIDE, 0.0);
    if (this->list->inum < nlocal)
      std::fill_n(values.data(), static_cast<std::size_t>(STRIDE) * nlocal, 0.0);
    if (static_cast<int>(inside.first.size()) < natoms) {
      inside.first.resize(this->atom->nmax);
      inside.nneighbors.resize(this->atom->nmax);
    }
    arenas.resize(pair.nparts());
    for (TOFU_NS::RowArena &arena : arenas) arena.reset();
    if (stale) fill_tables();
    stale = false;
  }

  /** What tables of all kinds have in common; no pair of types has splines. */
  template <class Tables> void begin_tables(Tables &tables) const
  {
    const std::size_t n = this->atom->ntypes + 1;
    tables.ntypes = this->atom->ntypes;
    tables.nr = this->nr;
    tables.rdr = this->rdr;
    tables.cutsq = this->cutforcesq;
    tables.pairs.assign(n * n, typename Tables::Pair());
  }

  /** Row that a spline begins with; types without an element, which pad rows, have -1. */
  int begin_of_spline(int spline) const { return std::max(spline, 0) * (this->nr + 1); }

  /** work(part, i) for all atoms of the list. */
  template <class Work> void for_owned(const Work &work)
  {
    using TOFU_NS::begin_of_share, TOFU_NS::GRAIN;
    const int nparts = pair.nparts(), inum = this->list->inum;
    pair.for_parts([&](int part) {
      const int last = begin_of_share(part + 1, nparts, inum, GRAIN);
      for (int ii = begin_of_share(part, nparts, inum, GRAIN); ii < last; ii++)
        work(part, this->list->ilist[ii]);
    });
  }

  /** Add energies of embedding: embed(i) returns that of an atom. */
  template <class Embed> void add_energies(const Embed &embed)
  {
    std::vector<double> energies(pair.nparts(), 0.0);
    for_owned([&](int part, int i) {
      const double energy = embed(i);
      energies[part] += energy;
      if (this->eflag_atom) this->eatom[i] += energy;
    });
    if (this->eflag_global)
      for (double energy : energies) this->eng_vdwl += energy;
  }

  /** Send n values of owned atoms to their ghosts, from the first one on. */
  void send_to_ghosts(int first, int n)
  {
    first_sent = first;
    nsent = n;
    this->comm->forward_comm(this);
  }

 private:
  const int stock_forward;          // size of LAMMPS' messages
  bool stale = true;                // tables must be filled anew
  int first_sent = 0, nsent = 0;    // of the values of an atom
};

}    // namespace LAMMPS_NS

#endif
