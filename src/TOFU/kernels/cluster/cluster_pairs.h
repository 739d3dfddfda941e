// SPDX-License-Identifier: GPL-2.0-only
//
// Lennard-Jones and Coulomb forces of pairs of clusters, in single precision, for charges with a
// long-range solver.

#ifndef TOFU_KERNELS_CLUSTER_PAIRS_H
#define TOFU_KERNELS_CLUSTER_PAIRS_H

#include "cluster_atoms.h"
#include "cluster_list.h"
#include "kernels/pair/coulomb.h"
#include "kernels/pair/ewald_polynomial.h"
#include "kernels/pair/lj_coul.h"

namespace TOFU_NS {

/** Atoms of a cluster, 4 or 8; 0: vectors are too short for the kernel. */
int cluster_width();

/** Separate sums of forces of each atom, one for each owner in a vector. */
int cluster_sums();

struct ClusterPotential {
  LJCoulCoefficients lj;    // of fewer types than cluster_width(), so that a vector has a row
  bool switched =
      false;    // Lennard-Jones with CHARMM's switching, in place of cut-offs of pairs of types
  Switching switching;
  EwaldPolynomial coul;
  EwaldPieces pieces;    // as coul, for kernels with AVX-512
  double cut_coulsq = 0.0;
  const double *special_lj = nullptr, *special_coul = nullptr;    // [4] factors by kind of bond
};

/** Forces of all pairs of a list.

    \param atoms   gathered for this list, with cluster_sums(); its forces are added to */
void cluster_pairs(const ClusterPotential &, const ClusterList &, ClusterAtoms &atoms);

}    // namespace TOFU_NS

#endif
