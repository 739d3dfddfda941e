// SPDX-License-Identifier: GPL-2.0-only
//
// A deep potential as its file has it: all readers fill this tree, and nothing else is read.
//
// Lengths are in Angstrom, energies in eV.  `center` and `neighbor` are types of the model.

#ifndef TOFU_MODEL_DEEP_MODEL_H
#define TOFU_MODEL_DEEP_MODEL_H

#include "kernels/dense_net.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

/** An embedding net as a compressed model has it: polynomials in the distance from the begin of an
    interval. */
struct CompressedNet {
  double lower = 0.0, middle = 0.0, upper = 0.0;    // intervals are short up to middle
  double interval = 0.0, long_interval = 0.0;
  int width = 0;
  std::vector<double> coefficients;    // [nintervals][width][6]

  bool empty() const { return coefficients.empty(); }
};

/** Descriptor se_e2_a or se_e2_r (kernels/environment.h has their formulas). */
struct DeepDescriptor {
  double cutoff = 0.0, inner = 0.0;
  double transition = 0.0;      // their difference; TensorFlow takes it in single precision
  std::vector<int> selected;    // [ntypes] slots
  int width = 0, axis = 0;
  bool radial = false;       // se_e2_r: distances alone, axis is 0
  bool one_sided = false;    // nets depend on the type of the neighbor alone

  std::vector<char> excluded;                      // [ntypes][ntypes] center, neighbor
  std::vector<std::array<double, 4>> average;      // [ntypes][ntypes]
  std::vector<std::array<double, 4>> deviation;    // [ntypes][ntypes]

  // one of both for each pair that is not excluded: [ntypes] by neighbor if one_sided, else
  // [ntypes][ntypes]

  std::vector<DenseNet> nets;
  std::vector<CompressedNet> tables;

  bool single_precision = false;

  /** Set average and deviation from those of all slots, [ntypes][slots][4, or 1 if radial].

      \throws ModelError   they differ among the slots of one type */
  void set_statistics(const std::vector<double> &averages, const std::vector<double> &deviations);

  /** # of inputs of the fitting net. */
  std::size_t nvalues() const { return radial ? width : static_cast<std::size_t>(width) * axis; }

  std::size_t net_of(int center, int neighbor) const
  {
    return one_sided ? neighbor : center * selected.size() + neighbor;
  }
};

/** The net behind the descriptors: an energy, or the factors of a dipole. */
struct DeepFitting {
  enum class Kind { ENERGY, DIPOLE };
  Kind kind = Kind::ENERGY;
  std::vector<DenseNet> nets;    // [ntypes]; empty: centers of this type have no net
  std::vector<double> biases;    // [ntypes] energy added to that of an atom

  // parameters of the frame, and of each atom, are inputs behind the descriptors

  std::vector<double> frame_average, frame_inverse_deviation;    // [# of them]
  std::vector<double> atom_average, atom_inverse_deviation;      // [# of them]
  bool single_precision = false;
};

struct DeepModel {
  std::vector<std::string> types;
  std::vector<DeepDescriptor> descriptors;    // one, or those of a hybrid one
  DeepFitting fitting;
  double angstrom = 1.0;    // in the unit of lengths
  std::string format;       // of the file
  std::string version;      // of the model, as the file has it
  bool compressed = false;

  /** Model of the dipoles of Wannier centers in the same file, or nullptr. */
  std::shared_ptr<const DeepModel> wannier;

  int ntypes() const { return static_cast<int>(types.size()); }
  double cutoff() const
  {
    double largest = 0.0;
    for (const DeepDescriptor &one : descriptors)
      if (one.cutoff > largest) largest = one.cutoff;
    return largest;
  }
};

/** Whether sizes of all parts fit together, and numbers are finite.

    \throws ModelError: they do not. */
void check_model(const DeepModel &);

}    // namespace TOFU_NS

#endif
