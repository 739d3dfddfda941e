// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_TALLIED_ATOMS_H
#define LMP_TALLIED_ATOMS_H

#include "threadpool/pool/fix_on_pool.h"

#include "pointers.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Energies or virials of atoms, summed over the styles that have tallied them, on the parts of the
    pool.  Each sum is made in the order of LAMMPS' computes, and has their bits. */
class TalliedAtoms : protected Pointers {
 public:
  /** \param n       numbers of an atom: 1, its energy, or 6, its virial
      \param words   the styles that count: pair to kspace, and fix; none or "virial": all */
  TalliedAtoms(LAMMPS *, int n, std::vector<std::string> words);

  /** Make the sums of owned atoms; those of ghosts are added by Comm::reverse_comm(), which calls
      pack() and unpack() by those of the compute.  Collective.

      \return   [nmax][n], valid until the next call */
  double *sum(class Compute *);

  /** [nmax] the same by atoms */
  double **rows() { return pointers.data(); }

  int pack(int natoms, int first, double *buf) const;
  void unpack(int natoms, const int *list, const double *buf);
  double memory_usage() const;

 private:
  struct Source {
    const double *numbers;    // [natoms][n]
    int natoms;
  };

  const int n;
  const std::vector<std::string> words;
  std::vector<double> sums;
  std::vector<double *> pointers;

  bool counts(const char *word) const;
  std::vector<Source> sources() const;
  void sum_block(const std::vector<Source> &, int first, int last);
};

/** Stock: a compute of N such numbers, whose arguments from the FIRST on are words. */
template <class Stock, int N, int FIRST> class TalliedOnPool : public ComputeOnPool<Stock> {
 public:
  TalliedOnPool(LAMMPS *lmp, int narg, char **arg) :
      ComputeOnPool<Stock>(lmp, narg, arg), tallies(lmp, N, {arg + FIRST, arg + narg})
  {
  }

  int pack_reverse_comm(int natoms, int first, double *buf) override
  {
    return tallies.pack(natoms, first, buf);
  }
  void unpack_reverse_comm(int natoms, int *list, double *buf) override
  {
    tallies.unpack(natoms, list, buf);
  }
  double memory_usage() override { return Stock::memory_usage() + tallies.memory_usage(); }

 protected:
  TalliedAtoms tallies;
};

}    // namespace LAMMPS_NS

#endif
