// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of the modified embedded atom method, in three passes over the rows of a part: screening,
// which finds the pairs that interact and the triples whose screening depends on a third atom; sums
// of partial densities over the pairs; forces of pairs and triples.  Between the last two each atom
// is embedded: its sums give way to derivatives of its energy.
//
// Pairs are those of half lists, third atoms those of full lists.  Pairs of all rows of a part are
// stored one after the other, so that vectors are full where atoms have few pairs.

#ifndef TOFU_KERNELS_MEAM_H
#define TOFU_KERNELS_MEAM_H

#include "base/aligned_array.h"
#include "kernels/data/pair_data.h"

#include <array>
#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Layout of the values of one atom.  After the second pass, sums over its neighbors: partial
    densities times components of the unit vector to the neighbor, and the spherical density by
    elements of the neighbors.  For the third pass, derivatives of the embedding energy: with
    respect to components of the unit vector where there are two or three of them, else to the
    sums.  The variant with two sets of angular densities has two blocks. */
struct MEAMRow {
  enum Place : int {
    FIRST = 0,           // x, y, z
    SECOND_TRACE = 3,    // of the density of the second moment, without a direction
    THIRD_TRACE = 4,     // of the density of the third moment: x, y, z
    SECOND = 8,          // xx, xy, xz, yy, yz, zz
    THIRD = 14,          // xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz
    BLOCK = 24
  };

  int nelements = 1;
  int nblocks = 1;

  int spherical() const { return BLOCK * nblocks; }    // [nelements]
  int n() const { return spherical() + nelements; }
  int stride() const { return spherical() + (nelements + 3) / 4 * 4; }
};

struct MEAMTables {
  static constexpr int MOST_ELEMENTS = 8;

  int nelements = 0;
  bool two_sets = false;    // of angular densities

  double cutoff = 0.0;
  double width = 0.0;    // of the interval in front of the cut-off in which pairs fade
  double reach = 0.0;    // of third atoms, at most: square of the distance

  // screening

  std::vector<double> bound;         // [nelements][nelements] of ellipses, by squares of distances
  std::vector<double> cmin, cmax;    // [nelements][nelements][nelements], third atom last

  // partial densities: strength * exp(shift - slope * distance)

  struct Element {
    double slope[4], shift[4], strength[4];
    double force_strength[4];    // strength for forces
  };
  std::vector<std::array<Element, 2>> elements;    // [nelements], of both sets

  // energies of pairs: splines with coefficients from the third power to the constant

  int nr = 0;                     // points: 0 to nr-1
  double rdr = 0.0;               // intervals per distance
  std::vector<double> splines;    // [..][nr][4]
  std::vector<int> spline_of;     // [nelements][nelements] row that the spline begins with

  const double *const *scale = nullptr;    // [ntypes+1][ntypes+1] factors of energies; nullptr: 1
  const int *type = nullptr;               // [natoms] with factors

  MEAMRow row() const { return {nelements, two_sets ? 2 : 1}; }
};

/** Neighbors of each owner of a row, each pair twice, with kinds of special bonds. */
struct MEAMFullRows {
  const int *const *first = nullptr;    // [natoms]
  const int *nneighbors = nullptr;      // [natoms]
};

/** Pairs of one part that are not screened, and memory of the part.  Behind the last pair, pairs
    without a density fill the last vector. */
struct alignas(128) MEAMPairs {
  int n = 0;
  AlignedArray<int> i, j, ielement, jelement;    // [n]
  AlignedArray<double> delx, dely, delz;         // [n] from i to j
  AlignedArray<double> r;
  AlignedArray<double> screening;    // times the fade at the cut-off
  AlignedArray<double> slope;        // minus the derivative of `screening`, divided by the distance
  AlignedArray<double> scale;
  AlignedArray<double> pull;    // derivative of the energy with respect to screening, times it

  // triples of a pair and a third atom on which the pair's screening depends

  int ntriples = 0;
  std::vector<int> pair, third;               // [ntriples]
  std::vector<double> by_first, by_second;    // relative change with the third's distance to i, j

  // third atoms of the current row, by distance

  AlignedArray<double> near;    // columns
  AlignedArray<int> near_numbers;

  double nbytes() const;
};

/** First pass: rows [first, last).  The fourth value of atoms is the
    number of the element, negative where there is none. */
void meam_screen(const MEAMTables &, const PairJob &, const MEAMFullRows &, int first, int last,
                 MEAMPairs &);

/** Second pass.

    \param sums   [natoms+1] rows of partial densities, added to */
void meam_densities(const MEAMTables &, const MEAMPairs &, double *sums);

/** Third pass.

    \param derivatives   [natoms+1] rows of derivatives of the embedding energy; the last is 0 */
void meam_forces(const MEAMTables &, const PairJob &, MEAMPairs &, const double *derivatives,
                 PairTally &);

/** Functions of the potential that have one argument. */
class MEAMFunctions {
 public:
  virtual ~MEAMFunctions() = default;

  /** G of the angular densities.

      \param failure   is set if there is no such function
      \param slope     gets the derivative */
  virtual double g(int element, double gamma, double &slope, int &failure) const = 0;

  /** Energy in a density relative to the background, and its derivative. */
  virtual double energy(int element, double density, double &slope) const = 0;
};

/** Baskes, Phys. Rev. B 46, 2727 (1992).  The energy is a function of the density rho0 G(gamma)
    relative to that of a reference structure, with the sum gamma of the squares of angular
    densities, each times a weight, over rho0^2. */
struct MEAMEmbedding {
  /** Weights of angular densities. */
  enum class Weights {
    BY_DENSITIES,    // mean of the neighbors' weights, by their spherical densities
    BY_SQUARES,      // the same divided by that of the squares of weights
    OF_CENTER        // those of the atom's own element
  };

  struct Element {
    double weight[3] = {};
    double scale = 0.0;    // of densities
    double reference_density =
        0.0;    // of the reference structure, if nothing below says otherwise
    double reference_neighbors = 0.0;
    double shape[3] = {};      // squares of the angular densities of the reference structure
    bool has_shape = false;    // G of them is not 1
  };

  MEAMRow layout;
  std::vector<Element> elements;
  Weights weights = Weights::BY_DENSITIES;
  bool averaged_reference = false;        // the reference structure has weights as the atom has
  bool reference_is_spherical = false;    // its angular densities do not count
  const MEAMFunctions *functions = nullptr;

  /** The row of an atom with sums gives way to derivatives; see MEAMRow.

      \param failure   as of MEAMFunctions::g()
      \return          energy */
  double embed(int element, double *row, int &failure) const;

 private:
  struct Averages {
    double weight[3] = {};
    double by_density[3][MEAMTables::MOST_ELEMENTS] = {};    // derivatives
  };

  struct Background {
    double density = 0.0, g = 1.0, slope = 0.0;
  };

  Averages averages(int element, const double *densities, double rho0) const;
  Background background(int element, const double *weight, int &failure) const;
};

}    // namespace TOFU_NS

#endif
