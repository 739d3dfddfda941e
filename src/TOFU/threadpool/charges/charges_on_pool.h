// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Charge equilibration of shielded charges on the pool, for fixes: one system with
   the sum of charges kept, in place of LAMMPS' two, and one reduction over ranks in
   each iteration.  Messages are those of the fix that owns the object.
------------------------------------------------------------------------- */

#ifndef LMP_CHARGES_ON_POOL_H
#define LMP_CHARGES_ON_POOL_H

#include "pointers.h"

#include "base/aligned_array.h"
#include "kernels/charges/charge_history.h"
#include "kernels/charges/charge_rows.h"
#include "kernels/charges/charge_solver.h"
#include "kernels/charges/factored_inverse.h"
#include "lammps/last_build.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class ChargesOnPool : protected Pointers {
 public:
  /** LOCAL: a factored inverse without messages; RANKS: with two more exchanges than iterations;
      AUTO: RANKS where there are several and ghosts reach far enough, else LOCAL. */
  enum class Preconditioner { AUTO, DIAGONAL, LOCAL, RANKS };

  struct Input {
    const class NeighList *list = nullptr;
    TOFU_NS::ChargeList::Pairs pairs = TOFU_NS::ChargeList::Pairs::ONCE;    // in the list
    int igroup = 0;
    double cutoff = 0.0;              // distance
    const double *taper = nullptr;    // [8]
    const double *chi = nullptr;      // [ntypes+1] energy per charge
    const double *eta = nullptr;      // [ntypes+1] diagonal of H
    const double *gamma = nullptr;    // [ntypes+1] shielding
    const double *field = nullptr;    // [nlocal] added to chi; nullptr: none
    double **history = nullptr;       // [nlocal][MOST] last charges, in and out
    double **nhistory = nullptr;      // [nlocal][1] # of them
    double tolerance = 0.0;
    int most_passes = 0;
    bool positions_are_old = false;    // at the begin of a run: charges may be the last ones
  };

  enum class Result { DONE, EXHAUSTED, NOT_DEFINITE };

  /** \param fix   whose forward communication of one number sends what pack() gives */
  ChargesOnPool(class LAMMPS *, class Fix *fix);

  /** Set Atom::q of owned atoms in the group and list, and of ghosts.  Collective. */
  Result solve(class RankPool *, const Input &);

  /** Read the first words of fix_modify: solver and preconditioner.

      \return   # of words; 0: other ones */
  int modify(int narg, char **arg);

  /** Whether the user wants LAMMPS' own algorithm. */
  bool solver_is_stock() const { return wants_stock; }

  /** Histories of all atoms are empty now. */
  void forget();

  /** Begin to count for report(). */
  void begin_counts() { counts = {}; }

  /** Passes over the matrix in the last solution. */
  int npasses() const { return last.npasses; }

  /** What the solutions since begin_counts() took. */
  std::string report() const;

  /** Whether a message of this object is under way. */
  bool sends() const { return message != nullptr; }
  int pack(int n, const int *atoms, double *buffer) const;
  void unpack(int n, int first, const double *buffer);

  double memory_usage() const;

 private:
  Fix *const fix;
  TOFU_NS::ChargeRows rows;
  TOFU_NS::ChargeSolver solver;
  TOFU_NS::FactoredInverse inverse;
  TOFU_NS::ChargeHistory history;
  TOFU_NS::GhostHistory ghosts;    // those that other ranks own, since lists were built
  TOFU_NS::ChargeSolver::Outcome last;
  bool wants_stock = false;
  Preconditioner preconditioner = Preconditioner::AUTO;    // as the user wants it
  Preconditioner used = Preconditioner::DIAGONAL;

  /** What rows and preconditioner were made from. */
  struct Built {
    bool any = false;
    TOFU_NS::LastBuild lists;
    Preconditioner preconditioner = Preconditioner::AUTO;
  } built;

  TOFU_NS::AlignedArray<double> positions;    // [nall+1][4] x, y, z, shield
  std::vector<double> start;                  // [nall] of the iteration, and its solution

  struct Columns {
    std::vector<char> has_charge;    // [nall]
    std::vector<int> column;         // [nall]
    bool all = false;                // all atoms of all ranks have a charge
  } in_matrix;

  /** Of the system of equations, [nlocal]. */
  struct Sides {
    std::vector<double> right, diagonal, inverse_diagonal, ones;
  } sides;

  /** How well each order of extrapolation would have predicted the last solution. */
  struct Errors {
    std::array<double, TOFU_NS::ChargeHistory::MOST> squares{};    // sums over this rank's atoms
    int n = 0;
    std::vector<std::array<double, TOFU_NS::ChargeHistory::MOST>> of_block;    // of atoms
  } errors;

  double *message = nullptr;
  struct Counts {
    long long nsolutions = 0, npasses = 0, nreductions = 0, nexchanges = 0;
  } counts;

  void forward(double *);
  void set_ghosts_of(double *, const TOFU_NS::Parts &);
  void copy_to_images(double *, const TOFU_NS::Parts &) const;
  void set_positions(const Input &, const TOFU_NS::Parts &);
  void find_columns(const Input &);
  TOFU_NS::ChargeColumns columns() const;
  TOFU_NS::ShieldedCoulomb coulomb(const Input &) const;
  void build_rows(const Input &, const TOFU_NS::Parts &);
  void build_preconditioner(const Input &, const TOFU_NS::ChargeSystem &, const TOFU_NS::Parts &);
  double reach_of_ghosts(const Input &) const;
  TOFU_NS::ChargeSystem system(const TOFU_NS::Parts &);
  void set_sides(const Input &, const TOFU_NS::Parts &);
  void set_start(const Input &, const TOFU_NS::Parts &);
  void store(const Input &, const TOFU_NS::Parts &);
  void store(const Input &, int i, double *squares);
  void set_ghosts(const TOFU_NS::Parts &);
};

}    // namespace LAMMPS_NS

#endif
