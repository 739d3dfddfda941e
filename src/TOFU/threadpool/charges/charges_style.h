// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the fixes that equilibrate shielded charges on the pool.

   The arrays of the fix without the suffix that follow atoms, s_hist and t_hist, have
   the last charges and their number.  LAMMPS' own algorithm, which has histories of
   its two systems there, computes where the user wants it, and after a matrix that is
   not definite until the next run.
------------------------------------------------------------------------- */

#ifndef LMP_CHARGES_STYLE_H
#define LMP_CHARGES_STYLE_H

#include "charges_on_pool.h"

#include "threadpool/pool/fix_on_pool.h"

#include "fix.h"

#include <string>

namespace LAMMPS_NS {

// Calls of the template below, whose header includes no other class of LAMMPS.

/** Write the line about the solutions of a run to the log, if a summary follows.  Collective. */
void log_charges(class LAMMPS *, const char *style, const std::string &text);

/** # of atoms that arrays of atoms have room for. */
int room_for_atoms(class LAMMPS *);

/** Whether charges are computed in this step. */
bool computes_charges(class LAMMPS *, int nevery);

void warn_indefinite(class LAMMPS *, const char *style);
void warn_exhausted(class LAMMPS *, const char *style, int npasses);

/** Stock: fix qeq/reaxff or qeq/shielded. */
template <class Stock> class ChargesStyle : public FixOnPool<Stock> {
 public:
  ChargesStyle(class LAMMPS *lmp, int narg, char **arg) :
      FixOnPool<Stock>(lmp, narg, arg), charges(lmp, this)
  {
    this->create_attribute = 1;    // set_arrays() for new atoms
  }

  void post_constructor() override
  {
    FixOnPool<Stock>::post_constructor();
    grow_arrays(room_for_atoms(this->lmp));
    clear_histories();
  }

  int setmask() override { return Stock::setmask() | FixConst::POST_RUN; }

  void setup_pre_force(int vflag) override
  {
    charges.begin_counts();
    is_indefinite = false;
    if (charges.solver_is_stock()) return leave_to_stock(vflag);
    if (has_stock_histories) clear_histories();
    is_setup = true;
    pre_force(vflag);
    is_setup = false;
  }

  void pre_force(int vflag) override
  {
    if (uses_stock()) return Stock::pre_force(vflag);
    if (!computes_charges(this->lmp, this->nevery)) return;
    ChargesOnPool::Input input = make_input();
    input.igroup = this->igroup;
    input.taper = this->Tap;
    input.cutoff = this->swb;
    input.chi = this->chi;
    input.eta = this->eta;
    input.gamma = this->gamma;
    input.history = this->s_hist;
    input.nhistory = this->t_hist;
    input.tolerance = this->tolerance;
    input.positions_are_old = is_setup;
    const auto result = charges.solve(this->threadpool, input);
    if (result == ChargesOnPool::Result::NOT_DEFINITE) {
      is_indefinite = true;
      warn_indefinite(this->lmp, this->style);
      return leave_to_stock(vflag);
    }
    if (result == ChargesOnPool::Result::EXHAUSTED && this->maxwarn)
      warn_exhausted(this->lmp, this->style, charges.npasses());
    after_charges();
  }

  void post_run() override
  {
    if (!uses_stock()) log_charges(this->lmp, this->style, charges.report());
  }

  double compute_scalar() override
  {
    return uses_stock() ? Stock::compute_scalar() : charges.npasses();
  }

  int modify_param(int narg, char **arg) override
  {
    const int nread = charges.modify(narg, arg);
    return nread ? nread : Stock::modify_param(narg, arg);
  }

  void grow_arrays(int nmax) override
  {
    Stock::grow_arrays(nmax);
    for (; nrows < nmax; nrows++) this->t_hist[nrows][0] = 0.0;
  }

  void set_arrays(int i) override
  {
    Stock::set_arrays(i);
    for (int k = 0; k < this->nprev; k++) this->s_hist[i][k] = this->t_hist[i][k] = 0.0;
  }

  int pack_forward_comm(int n, int *list, double *buf, int pbc_flag, int *pbc) override
  {
    return charges.sends() ? charges.pack(n, list, buf)
                           : Stock::pack_forward_comm(n, list, buf, pbc_flag, pbc);
  }

  void unpack_forward_comm(int n, int first, double *buf) override
  {
    charges.sends() ? charges.unpack(n, first, buf) : Stock::unpack_forward_comm(n, first, buf);
  }

  /** Vectors that only LAMMPS' own algorithm allocates count when they are there. */
  double memory_usage() override
  {
    constexpr double OF_AN_ATOM = 11.0 * sizeof(double);
    const double unused = this->s ? 0.0 : OF_AN_ATOM * room_for_atoms(this->lmp);
    return Stock::memory_usage() - unused + charges.memory_usage();
  }

  std::string left_to_lammps() const override
  {
    if (is_indefinite) return "the matrix is not definite";
    return charges.solver_is_stock() ? "solver stock" : "";
  }

 protected:
  ChargesOnPool charges;

  /** List, field and largest number of passes; the others are set here. */
  virtual ChargesOnPool::Input make_input() = 0;

  /** What else has to be done with new charges. */
  virtual void after_charges() {}

 private:
  bool is_indefinite = false, is_setup = false;
  bool has_stock_histories = false;
  int nrows = 0;    // of s_hist and t_hist that are set

  bool uses_stock() const { return charges.solver_is_stock() || is_indefinite; }

  void clear_histories()
  {
    for (int i = 0; i < nrows; i++) this->t_hist[i][0] = 0.0;
    has_stock_histories = false;
    charges.forget();
  }

  // its histories of the second system begin anew

  void leave_to_stock(int vflag)
  {
    if (!has_stock_histories)
      for (int i = 0; i < nrows; i++)
        for (int k = 0; k < this->nprev; k++) this->s_hist[i][k] = this->t_hist[i][k] = 0.0;
    has_stock_histories = true;
    Stock::setup_pre_force(vflag);
  }
};

}    // namespace LAMMPS_NS

#endif
