// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_LINE_SEARCH_ON_POOL_H
#define LMP_LINE_SEARCH_ON_POOL_H

#include "min_on_pool.h"

namespace LAMMPS_NS {

/** Minimizers that search along one line after the other for lower energy: the three kinds of
    searches of MinLineSearch, with its limits and its order of evaluations. */
class LineSearchOnPool : public MinOnPool {
 public:
  explicit LineSearchOnPool(class LAMMPS *);
  void init() override;
  void setup_style() override;
  void reset_vectors() override;

 protected:
  static constexpr int FOUND = 0;

  // g and h of numbers that are not those of atoms: box sizes

  std::vector<double> gextra, hextra;    // [nextra_global]

  /** Search along h from the present positions.  Collective.

      \return   FOUND, with atoms, forces and ecurrent of the place; else what Min::iterate() is to
                return, with those of the begin */
  int search_line();

  /** Let h be the forces. */
  void reset_direction();

 private:
  struct Line {
    double energy;        // at its begin
    double slope;         // of the energy downwards there
    double most_alpha;    // so that nothing changes by more than it may
    double most_h;        // largest number of its direction
  };

  int begin_line(Line &);
  int backtrack(const Line &);
  int search_quadratic(const Line &);
  int search_zero_of_force(const Line &);
  double step_to(double alpha, int resetflag);
  double slope();
  double normalized(double sum) const;
  int accept();
  int go_back(int reason);
};

}    // namespace LAMMPS_NS

#endif
