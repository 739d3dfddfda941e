// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Dipoles of atoms from the model of Wannier centers in a file, on the pool of
   the rank, and the forces on atoms that forces on these centers mean.
------------------------------------------------------------------------- */

#ifndef LMP_WANNIER_DIPOLES_H
#define LMP_WANNIER_DIPOLES_H

#include "pointers.h"

#include "kernels/data/pair_data.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class WannierDipoles : protected Pointers {
 public:
  /** Read the model: that of Wannier centers in a file of DPLR, or one of dipoles.  Collective. */
  WannierDipoles(LAMMPS *, const std::string &file);
  ~WannierDipoles() override;

  /** Names of the types of the model. */
  const std::vector<std::string> &types() const;

  /** Whether atoms of this type of the model have dipoles. */
  bool has_dipoles(int number) const;

  /** In init(), with units and precision of the run.

      \param numbers   [ntypes+1] type of the model, negative: not an atom */
  void init(const std::vector<int> &numbers);

  double cutoff() const;    // distance, after init()

  /** Compute the dipoles of some owned atoms.

      \param list    full, with the cut-off of the model
      \param hosts   these atoms, ascending, the same until lists are built anew */
  void evaluate(class NeighList *list, const std::vector<int> &hosts);

  /** [nlocal] distance; of atoms without a dipole 0. */
  const double (*dipoles() const)[3];

  /** Forces on atoms and ghosts, once after evaluate().

      \param on_ends   [nlocal] forces on the ends of dipoles
      \param f         [natoms] added to
      \return          virial, if it is wanted */
  TOFU_NS::PairTally add_forces(const double (*on_ends)[3], double **f, bool wants_virial);

  double memory_usage() const;

 private:
  struct State;
  std::unique_ptr<State> state;

  void warn_of_neighbors_beyond_sel();
};

}    // namespace LAMMPS_NS

#endif
