// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(rdf/threadpool,ComputeRDFThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_RDF_THREADPOOL_H
#define LMP_COMPUTE_RDF_THREADPOOL_H

#include "compute_rdf.h"

#include <cstdint>
#include <vector>

namespace LAMMPS_NS {

/** Pairs are counted by integers, so that counts do not depend on parts.  Compute rdf checks the
    arguments, and asks for the neighbor list. */
class ComputeRDFThreadpool : public ComputeRDF {
 public:
  ComputeRDFThreadpool(class LAMMPS *, int, char **);
  void init() override;
  void init_list(int, class NeighList *) override;
  void compute_array() override;
  double memory_usage() override;

 private:
  struct Types {
    int first, last;
    bool have(int type) const { return first <= type && type <= last; }
  };

  /** One histogram, of distances of atoms of types `other` from those of types `central`. */
  struct Histogram {
    Types central, other;
    bool swapped = false;    // the arguments have the other order
  };

  std::vector<Histogram> histograms;
  class NeighList *half_list = nullptr;
  bigint natoms_before = 0;
  std::vector<int> natoms_of_type;    // [ntypes+1] of the group, on all ranks

  // Pairs of a class count alike in all histograms: not at all, once, or twice, since each atom of
  // a pair is a central one for the other.

  int nkinds = 0;                   // of atoms: 0 with no pair that counts, types, ghosts of types
  std::vector<int> kind_of_type;    // [2][ntypes+1] owned atoms, ghosts
  std::vector<int> classes;         // [nkinds][nkinds], -1: counts nowhere
  std::vector<std::vector<int>> weights;    // [nclasses][nhistograms]
  bool all_alike = false;                   // all kinds but 0 have one class

  std::vector<int> kinds;              // [natoms]
  std::vector<std::int64_t> counts;    // of all parts

  void read_types(int, char **);
  void set_classes();
  std::vector<int> weights_of(int kind, int other) const;
  void count_atoms();
  void set_kinds(class RankPool *);
  void count_pairs(RankPool *, std::vector<double> &);
  double width() const;
  void normalize(const std::vector<double> &);
};

}    // namespace LAMMPS_NS

#endif
#endif
