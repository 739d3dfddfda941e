/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef INTEGRATE_CLASS
// clang-format off
IntegrateStyle(verlet/threadpool,VerletThreadpool);
// clang-format on
#else

#ifndef LMP_VERLET_THREADPOOL_H
#define LMP_VERLET_THREADPOOL_H

#include "verlet.h"

namespace LAMMPS_NS {

/** The step of run_style verlet, without what is not needed when no force acts on ghosts: they are
    not cleared, and not sent back.  That is so with pair styles that compute each pair for
    both atoms, if nothing else in the run has forces on ghosts. */
class VerletThreadpool : public Verlet {
 public:
  using Verlet::Verlet;
  void setup(int) override;
  void run(int) override;
  void force_clear() override;

 private:
  bool ghosts_have_forces = true;    // not, or not for sure, in this run

  bool find_ghost_forces() const;
  void move_or_rebuild();
  void rebuild();
  void compute_forces();
  void end_step();
};

}    // namespace LAMMPS_NS

#endif
#endif
