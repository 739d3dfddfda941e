// SPDX-License-Identifier: GPL-2.0-only
//
// Embedding of single atoms in the modified embedded atom method: from sums over the neighbors of an
// atom to its energy, and to the derivatives that forces need.

#ifndef TOFU_KERNELS_MEAM_EMBEDDING_H
#define TOFU_KERNELS_MEAM_EMBEDDING_H

#include "meam.h"

#include <vector>

namespace TOFU_NS {

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
    relative to that of a reference structure, with the sum gamma of the squares of angular densities,
    each times a weight, over rho0^2. */
struct MEAMEmbedding {
  /** Weights of angular densities. */
  enum class Weights {
    BY_DENSITIES,    // mean of the neighbors' weights, by their spherical densities
    BY_SQUARES,      // the same divided by that of the squares of weights
    OF_CENTER        // those of the atom's own element
  };

  struct Element {
    double weight[3] = {};
    double scale = 0.0;                // of densities
    double reference_density = 0.0;    // of the reference structure, if nothing below says otherwise
    double reference_neighbors = 0.0;
    double shape[3] = {};      // squares of the angular densities of the reference structure
    bool has_shape = false;    // G of them is not 1
  };

  MEAMRow layout;
  std::vector<Element> elements;
  Weights weights = Weights::BY_DENSITIES;
  bool averaged_reference = false;     // the reference structure has weights as the atom has
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
