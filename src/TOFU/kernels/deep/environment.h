// SPDX-License-Identifier: GPL-2.0-only
//
// The descriptor se_e2_a of deep potentials: inputs of the fitting net from the neighbors of an
// atom.
//
// A neighbor at the distance r, in the direction u, has the row
//
//   R = ((s, s u) - average) / deviation,   s = w(r) / r
//
// where w goes smoothly from 1 at the inner cut-off to 0 at the cut-off.  An embedding net of one
// variable makes the vector G of `width` numbers from R's first component.  Then
//
//   T[c][a] = sum over neighbors of R[c] G[a] / nslots,   D[a][b] = sum over c of T[c][a] T[c][b]
//
// for b < axis.  The model has a number of slots for each type; empty slots, with s = 0,
// contribute, too.  D is symmetric where a < axis: one of D[a][b] and D[b][a] is stored.
//
// The descriptor se_e2_r has distances alone: D[a] = sum over neighbors of G[a] / nslots / 5.
//
// The descriptor se_atten without attention, in the mode strip, has one net and one set of slots
// for neighbors of all types.  G[a] is multiplied by 1 + c[a] or, if it is smooth, by 1 + w c[a],
// with factors c of the types of center and neighbor.  In models of TensorFlow this w is
// 1 - (1 - s d)^3 up to s d = 1, and then 1; the distance d is the inner cut-off.
//
// Source: Zhang et al., NeurIPS 31 (2018) 4441; embedding nets as tables: Lu et al., JCTC 18 (2022)
// 5555; types as factors: Zhang et al., npj Comput Mater 10 (2024) 94.

#ifndef TOFU_KERNELS_ENVIRONMENT_H
#define TOFU_KERNELS_ENVIRONMENT_H

#include "base/aligned_array.h"
#include "kernels/manybody/center_data.h"

#include <vector>

namespace TOFU_NS {

/** An embedding net as polynomials of fifth degree.  There are two ranges of intervals: short ones
    up to `middle`, longer ones up to `upper`. */
struct EmbeddingRows {
  static constexpr int NCOEFFICIENTS = 6, BLOCK = 8;
  const double *rows = nullptr;    // [nrows][width/BLOCK][NCOEFFICIENTS][BLOCK]
  double lower = 0.0, middle = 0.0, upper = 0.0;
  double interval = 1.0, long_interval = 1.0;
  int nshort = 0;
};

/** One descriptor; arrays belong to the caller. */
struct EnvironmentModel {
  int ntypes = 0;
  double cutoff = 0.0, inner = 0.0;
  double transition = 0.0;          // from the inner cut-off to the other
  bool shared_slots = false;        // one set of slots for neighbors of all types
  const int *selected = nullptr;    // [nsections()] slots
  int nslots = 0;                   // their sum
  int width = 0, axis = 0;
  bool radial = false;                // se_e2_r; axis is 0, inverse deviations of directions are 0
  int padded_width = 0;               // a multiple of EmbeddingRows::BLOCK
  const double *average = nullptr;    // [ntypes of centers][ntypes of neighbors][4]
  const double *inverse_deviation = nullptr;    // likewise
  const EmbeddingRows *tables = nullptr;        // [ntypes][ntypes]; no rows: the pair is left out
  bool left_out_take_slots = false;             // neighbors of pairs left out occupy slots

  // [ntypes][nsections()][4][padded_width] contribution of an empty slot

  const double *empty = nullptr;
  const double *factors = nullptr;    // [ntypes][ntypes][padded_width] c; nullptr: 0
  bool smooth = false;                // factors are multiplied by w
  double switch_distance = 0.0;       // d of the w of TensorFlow's factors; 0: w as above

  /** # of sections of slots: one for each type of neighbors, or one for all types. */
  int nsections() const { return shared_slots ? 1 : ntypes; }

  /** # of different values in D. */
  int nvalues() const { return radial ? width : axis * width - axis * (axis - 1) / 2; }
};

/** Environments of some centers of one type, kept from step to step by one thread. */
struct EnvironmentBatch {
  int ncenters = 0, type = 0;
  const int *centers = nullptr;    // [ncenters] atoms

  // [ncenters+1] of slots, each a multiple of EmbeddingRows::BLOCK

  std::vector<int> begins;
  std::vector<int> counts;    // [ncenters][ntypes] neighbors of each type, one type after the other
  std::vector<int> nempty;    // [ncenters][nsections()] slots without a neighbor

  // one for each slot

  AlignedArray<int> atoms;
  AlignedArray<double> fields[9];
  enum Field { UX, UY, UZ, R, S, SLOPE, OFFSET, ARGUMENT, WEIGHT };    // ARGUMENT: of the net

  // WEIGHT: 1, or w if the model is smooth; only if there are factors

  AlignedArray<double> components;          // [..][4] R; of se_e2_r 1, 0, 0, 0
  std::vector<const double *> rows;         // of the table; nullptr: beyond it
  AlignedArray<double> sums;                // [ncenters][4][padded_width] T
  AlignedArray<double> gradients;           // [4][padded_width] of one center
  std::vector<std::vector<int>> of_type;    // [ntypes]
  std::vector<int> of_all_types;
  AlignedArray<int> near;
  std::vector<int> beyond;    // slots without a row in a table
  int noverflows = 0;         // centers with more neighbors of a type than slots

  double nbytes() const;
};

/** Find the neighbors of batch.centers, all of which have batch.type.

    The fourth value of atoms is their type in the model, negative for atoms that are not in it.  If
    there are more neighbors than slots, the nearest get slots. */
void find_environments(const EnvironmentModel &, const PairJob &, EnvironmentBatch &);

/** Compute the sums T, and D.  All slots must have a row.

    \param to   [ncenters][stride] D, D[b..width][b] for one b after the other; behind the last,
                EmbeddingRows::BLOCK values must be readable */
void contract_environments(const EnvironmentModel &, EnvironmentBatch &, double *to, int stride);

/** Destination of virials of atoms. */
struct CentroidVirials {
  double (*rows)[9] =
      nullptr;    // [natoms] xx, yy, zz, xy, xz, yz, yx, zx, zy; nullptr: not wanted
};

/** Add forces from gradients by D, and by T.

    \param gradients      [ncenters][stride] by D, in the layout of contract_environments(); behind
                          the last, EmbeddingRows::BLOCK values must be readable
    \param of_sums        [ncenters][4][padded_width] additional gradients by T, or nullptr
    \param tally          gets the virial according to job.tallies */
void add_environment_forces(const EnvironmentModel &, EnvironmentBatch &, const double *gradients,
                            int stride, const double *of_sums, const PairJob &,
                            const CenterForces &, const CentroidVirials &, PairTally &tally);

}    // namespace TOFU_NS

#endif
