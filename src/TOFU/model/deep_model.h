// SPDX-License-Identifier: GPL-2.0-only
//
// A deep potential in the terms of its file.  All readers of files return this structure.
//
// Lengths are in Angstrom, energies in eV.  `center` and `neighbor` are types of the model.

#ifndef TOFU_MODEL_DEEP_MODEL_H
#define TOFU_MODEL_DEEP_MODEL_H

#include "kernels/deep/dense_net.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

/** The embedding net of a compressed model: polynomials in the distance from the begin of an
    interval. */
struct CompressedNet {
  double lower = 0.0, middle = 0.0, upper = 0.0;    // intervals are short up to middle
  double interval = 0.0, long_interval = 0.0;
  int width = 0;
  std::vector<double> coefficients;    // [nintervals][width][6]

  bool empty() const { return coefficients.empty(); }
};

/** Types in a descriptor se_atten without attention, in the mode strip: each type has a vector, and
    a net computes a factor for each output of the embedding net from the vectors of two types. */
struct TypeEmbedding {
  std::vector<std::vector<double>> vectors;    // [ntypes]
  DenseNet net;    // of the vector of the neighbor and, unless one_sided, of the center

  // of a compressed model, which has no such net: [ntypes of centers][ntypes of neighbors][width]

  std::vector<std::vector<double>> factors;
  bool one_sided = false;    // factors depend on the type of the neighbor alone
  bool smooth = false;       // factors go to zero at the cut-off

  // d of the factors' w in models of TensorFlow (kernels/deep/environment.h), else 0

  double switch_distance = 0.0;
  bool appended = false;    // values of the descriptor are followed by the vector of the center

  bool empty() const { return vectors.empty(); }
};

/** Descriptor se_e2_a, se_e2_r or se_atten (kernels/deep/environment.h has their formulas). */
struct DeepDescriptor {
  double cutoff = 0.0, inner = 0.0;
  double transition = 0.0;      // their difference; TensorFlow takes it in single precision
  std::vector<int> selected;    // [ntypes] slots, or those of all types if there are type vectors
  int width = 0, axis = 0;
  bool radial = false;       // se_e2_r: distances alone, axis is 0
  bool one_sided = false;    // nets depend on the type of the neighbor alone
  TypeEmbedding types;       // se_atten; empty for other descriptors

  std::vector<char> excluded;          // [ntypes][ntypes] center, neighbor
  bool excluded_take_slots = false;    // excluded neighbors occupy slots; not in TensorFlow's
  std::vector<std::array<double, 4>> average;      // [ntypes][ntypes]
  std::vector<std::array<double, 4>> deviation;    // [ntypes][ntypes]

  // one of both for each pair that is not excluded: [ntypes] by neighbor if one_sided, else
  // [ntypes][ntypes]; of se_atten one for all pairs

  std::vector<DenseNet> nets;
  std::vector<CompressedNet> tables;

  bool single_precision = false;

  /** Set average and deviation from those of all slots, [ntypes][slots][4, or 1 if radial].

      \throws ModelError   their number is another, or they differ among the slots of one type */
  void set_statistics(std::size_t ntypes, const std::vector<double> &averages,
                      const std::vector<double> &deviations);

  /** Replace the slots of types by slots of all types; a file may have one number or several. */
  void share_slots();

  /** Whether neighbors of all types share slots and the embedding net. */
  bool is_shared() const { return !types.empty(); }

  /** # of values of the center's type, which follow the others. */
  std::size_t ntype_values() const
  {
    return is_shared() && types.appended ? types.vectors[0].size() : 0;
  }

  /** # of inputs of the fitting net. */
  std::size_t nvalues() const
  {
    return (radial ? width : static_cast<std::size_t>(width) * axis) + ntype_values();
  }

  /** Whether a net is needed for a pair of types: for its neighbors, or for empty slots. */
  bool uses_net(int center, int neighbor) const;

  int slots_of(int neighbor) const { return selected[is_shared() ? 0 : neighbor]; }
  std::size_t nnets(std::size_t ntypes) const
  {
    return is_shared() ? 1 : one_sided ? ntypes : ntypes * ntypes;
  }
  std::size_t net_of(int center, int neighbor) const
  {
    return is_shared() ? 0 : one_sided ? neighbor : center * selected.size() + neighbor;
  }
};

/** The net behind the descriptors: an energy, or the factors of a dipole. */
struct DeepFitting {
  enum class Kind { ENERGY, DIPOLE };
  Kind kind = Kind::ENERGY;
  std::vector<DenseNet>
      nets;               // [ntypes], empty: centers of this type have no net; or one for all
  bool shared = false;    // one net for all types
  std::vector<double> biases;    // [ntypes] energy added to that of an atom

  // parameters of the frame, and of each atom, are inputs behind the descriptors

  std::vector<double> frame_average, frame_inverse_deviation;    // [# of them]
  std::vector<double> atom_average, atom_inverse_deviation;      // [# of them]
  bool single_precision = false;

  const DenseNet &net_of(int type) const { return nets[shared ? 0 : type]; }

  /** Remove the nets of excluded types, whose dipoles are zero in deepmd-kit.

      \throws ModelError   these are energies, or there is one net for all types */
  void exclude_types(const std::vector<int> &excluded);

  /** Add biases of types that a file has outside of the fitting net.  Deviations of energies
      (out_std), which trained models also have, are used by TensorFlow only.

      \throws ModelError   there is not one for each type */
  void add_biases(const std::vector<double> &more);
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

/** Set `residual` of a layer with the option resnet. */
void set_residual(DenseLayer &);

/** Check that a net has the given sizes, arrays of these sizes, and finite numbers.

    \param name   of the net, for the error
    \throws ModelError */
void check_net(const DenseNet &, int ninputs, int noutputs, const std::string &name);

/** Check that the sizes of all parts fit together, and that numbers are finite.

    \throws ModelError */
void check_model(const DeepModel &);

}    // namespace TOFU_NS

#endif
