// SPDX-License-Identifier: GPL-2.0-only
//
// A small deep potential in the common format of deepmd-kit (.dp), written for the tests of the
// reader: a tree as JSON and arrays, in HDF5.

#ifndef TOFU_TEST_DP_WRITER_H
#define TOFU_TEST_DP_WRITER_H

#include "unit/testing.h"

#include <hdf5.h>

namespace dp_writer {

/** A file in HDF5 in memory, written by libhdf5; in the latest layout if `late`. */
class Hdf5 {
 public:
  explicit Hdf5(bool late = false)
  {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 65536, 0);
    if (late) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file_ = H5Fcreate("test of the reader", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
  }
  ~Hdf5() { H5Fclose(file_); }
  Hdf5(const Hdf5 &) = delete;
  Hdf5 &operator=(const Hdf5 &) = delete;

  /** A text at the root: of any length as h5py writes it, or of a fixed one. */
  void add_text(const std::string &name, const std::string &words, bool fixed)
  {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, fixed ? words.size() + 1 : H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t text = H5Acreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    const char *const pointer = words.c_str();
    H5Awrite(text, type, fixed ? static_cast<const void *>(pointer) : &pointer);
    H5Aclose(text);
    H5Sclose(space);
    H5Tclose(type);
  }

  /** An array, in pieces if `packed`. */
  void add(const std::string &name, const std::vector<hsize_t> &shape,
           const std::vector<double> &numbers, hid_t type, bool packed)
  {
    const int ndims = static_cast<int>(shape.size());
    const hid_t space = H5Screate_simple(ndims, shape.data(), nullptr),
                properties = H5Pcreate(H5P_DATASET_CREATE);
    if (packed) H5Pset_chunk(properties, ndims, shape.data());
    const hid_t data =
        H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (!numbers.empty())
      H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Dclose(data);
    H5Pclose(properties);
    H5Sclose(space);
  }

  void add_link(const std::string &name, const std::string &file)
  {
    H5Lcreate_external(file.c_str(), "/data", file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }

  std::string bytes() const
  {
    H5Fflush(file_, H5F_SCOPE_GLOBAL);
    std::string result(static_cast<std::size_t>(H5Fget_file_image(file_, nullptr, 0)), '\0');
    H5Fget_file_image(file_, result.data(), result.size());
    return result;
  }

 private:
  hid_t file_;
};

inline std::string list(const std::vector<std::string> &items)
{
  std::string result;
  for (const std::string &item : items) result += (result.empty() ? "" : ",") + item;
  return "[" + result + "]";
}

/** Two types; both sides, 2-4 embedding nets, 5-5 fitting nets; or se_atten with vectors of 3
    numbers, and one net of each kind. */
class SmallDpModel {
 public:
  std::vector<std::pair<std::string, std::string>> changes;    // in the tree: what, by what
  hid_t type = H5T_IEEE_F64LE;                                 // of arrays
  bool fixed_text = false, packed = false, without_numbers = false, late = false;
  bool with_embeddings = true, typed = false;
  hsize_t noutputs = 1;    // of fitting nets
  std::string linked;      // file in which the first array is said to be
  std::function<std::string(const std::string &)> damage;    // of the tree

  std::string bytes()
  {
    arrays_.clear();
    std::string words = tree();
    for (const auto &[what, by] : changes) {
      const std::size_t at = words.find(what);
      if (at != std::string::npos) words.replace(at, what.size(), by);
    }
    if (damage) words = damage(words);
    Hdf5 file(late);
    for (std::size_t k = 0; k < arrays_.size(); k++)
      if (k == 0 && !linked.empty())
        file.add_link(name_of(k), linked);
      else
        file.add(name_of(k), arrays_[k].shape,
                 without_numbers ? std::vector<double>() : arrays_[k].numbers, type, packed);
    file.add_text("json", words, fixed_text);
    return file.bytes();
  }

  /** Number k of an array with that many numbers. */
  static double number(int size, int k) { return 0.01 * ((k * 37 + size * 11) % 41 - 20); }

 private:
  struct Array {
    std::vector<hsize_t> shape;
    std::vector<double> numbers;
  };
  std::vector<Array> arrays_;

  static std::string name_of(std::size_t k)
  {
    const std::string number = std::to_string(k);
    return "variable_" + std::string(4 - number.size(), '0') + number;
  }
  std::string array(const std::vector<hsize_t> &shape, const std::vector<double> &numbers)
  {
    arrays_.push_back({shape, numbers});
    return "\"/" + name_of(arrays_.size() - 1) + "\"";
  }
  std::string array(const std::vector<hsize_t> &shape)
  {
    hsize_t size = 1;
    for (hsize_t n : shape) size *= n;
    std::vector<double> numbers;
    for (int k = 0; k < static_cast<int>(size); k++)
      numbers.push_back(number(static_cast<int>(size), k));
    return array(shape, numbers);
  }

  std::string layer(hsize_t n, hsize_t m, bool timestep, const std::string &activation,
                    bool residual)
  {
    return R"({"@class":"Layer","@version":2,"activation_function":")" + activation +
        R"(","resnet":)" + (residual ? "true" : "false") + R"(,"@variables":{"w":)" +
        array({n, m}) + R"(,"b":)" + array({m}) + R"(,"idt":)" + (timestep ? array({m}) : "null") +
        "}}";
  }
  static std::string nets(int ndim, const std::vector<std::string> &networks)
  {
    return R"({"@class":"NetworkCollection","@version":1,"ndim":)" + std::to_string(ndim) +
        R"(,"ntypes":2,"networks":)" + list(networks) + "}";
  }
  static std::string net(const std::vector<std::string> &layers)
  {
    return R"({"@class":"Net","@version":1,"layers":)" + list(layers) + "}";
  }

  std::string typed_descriptor()
  {
    std::vector<double> averages, deviations(56, 0.5);
    for (int k = 0; k < 56; k++) averages.push_back(k % 4 ? 0.0 : 0.25 + 0.5 * (k >= 28));
    const std::string own =
                          net({layer(1, 2, false, "tanh", true), layer(2, 4, false, "tanh", true)}),
                      factors =
                          net({layer(6, 2, false, "tanh", true), layer(2, 4, false, "tanh", true)});
    return R"({"@class":"Descriptor","type":"dpa1","@version":2,"rcut":6.0,"rcut_smth":5.8,)"
           R"("sel":[7],"axis_neuron":2,"type_one_side":false,"exclude_types":[],"lmax":1,)"
           R"("attn_layer":0,"tebd_input_mode":"strip","smooth_type_embedding":true,)"
           R"("concat_output_tebd":true,"use_econf_tebd":false,"type_embedding":)"
           R"({"@class":"TypeEmbedNet","@version":2,"embedding":)" +
        net({layer(2, 3, false, "Linear", true)}) + R"(},"embeddings":)" + nets(0, {own}) +
        R"(,"embeddings_strip":)" + nets(0, {factors}) + R"(,"@variables":{"davg":)" +
        array({2, 7, 4}, averages) + R"(,"dstd":)" + array({2, 7, 4}, deviations) + "}}";
  }

  std::string descriptor()
  {
    std::vector<double> averages, deviations;
    std::vector<std::string> networks;
    for (int center = 0; center < 2; center++)
      for (int slot = 0; slot < 7; slot++)
        for (int c = 0; c < 4; c++) {
          averages.push_back(c ? 0.0 : 0.125 + 0.25 * center + 0.5 * (slot >= 3));
          deviations.push_back(0.5);
        }
    for (int k = 0; k < 4; k++)
      networks.push_back(with_embeddings ? net({layer(1, 2, false, "tanh", true),
                                                layer(2, 4, false, "gelu", true)})
                                         : "null");
    return R"({"@class":"Descriptor","type":"se_e2_a","@version":2,"rcut":6.0,"rcut_smth":5.8,)"
           R"("sel":[3,4],"axis_neuron":2,"type_one_side":false,"exclude_types":[[1,0]],)"
           R"("env_protection":0.0,"spin":null,)"
           R"("env_mat":{"protection":0.0,"use_exp_switch":false},"embeddings":)" +
        nets(2, networks) + R"(,"@variables":{"davg":)" + array({2, 7, 4}, averages) +
        R"(,"dstd":)" + array({2, 7, 4}, deviations) + "}}";
  }

  std::string fitting()
  {
    std::vector<std::string> networks;
    for (int type = 0; type < (typed ? 1 : 2); type++)
      networks.push_back(
          net({layer(typed ? 11 : 8, 5, false, "tanh", true), layer(5, 5, true, "tanh", true),
               layer(5, noutputs, false, "none", false)}));
    return R"({"@class":"Fitting","type":"ener","@version":4,"numb_fparam":0,"numb_aparam":0,)"
           R"("mixed_types":)" +
        std::string(typed ? "true" : "false") +
        R"(,"exclude_types":[],"atom_ener":[],"precision":"float64",)"
        R"("@variables":{"bias_atom_e":)" +
        array({2, 1}, {-93.0, -187.0}) + R"(,"fparam_avg":null},"nets":)" +
        nets(typed ? 0 : 1, networks) + "}";
  }

  std::string tree()
  {
    const std::string one = typed ? typed_descriptor() : descriptor(), other = fitting();
    return R"({"software":"deepmd-kit","model_def_script":{},"model":{"@class":"Model",)"
           R"("type":"standard","@version":2,"type_map":["O","H"],"atom_exclude_types":[],)"
           R"("pair_exclude_types":[],"descriptor":)" +
        one + R"(,"fitting":)" + other + R"(,"@variables":{"out_bias":)" +
        array({1, 2, 1}, {0.5, 0.25}) + R"(,"out_std":)" + array({1, 2, 1}, {0.25, 3.0}) +
        "}}}";    // not used
  }
};

}    // namespace dp_writer

#endif
