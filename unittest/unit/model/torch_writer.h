// SPDX-License-Identifier: GPL-2.0-only
//
// A small deep potential as a script of PyTorch, written for the tests of the reader: a ZIP archive
// with a pickle.

#ifndef TOFU_TEST_TORCH_WRITER_H
#define TOFU_TEST_TORCH_WRITER_H

#include "unit/testing.h"

namespace torch_writer {

template <class T> std::string bytes_of(T number)
{
  std::string bytes(sizeof(T), 0);
  std::memcpy(bytes.data(), &number, sizeof(T));
  return bytes;
}

/** A ZIP archive with stored members; large ones have sizes of 64 bits if wanted. */
class Zip {
 public:
  explicit Zip(bool zip64) : zip64_(zip64) {}

  void add(const std::string &name, const std::string &contents, std::uint16_t method = 0)
  {
    const auto begin = static_cast<std::uint64_t>(file_.size());
    const auto size = static_cast<std::uint32_t>(contents.size());
    const std::string middle = bytes_of<std::uint16_t>(20) + bytes_of<std::uint16_t>(0) +
        bytes_of(method) + bytes_of<std::uint32_t>(0) + bytes_of<std::uint32_t>(0);
    file_ += "PK\003\004" + middle + bytes_of(size) + bytes_of(size) +
        bytes_of(static_cast<std::uint16_t>(name.size())) + bytes_of<std::uint16_t>(4) + name +
        std::string("FB\0\0", 4) + contents;
    std::string extra;
    if (zip64_)
      extra = bytes_of<std::uint16_t>(1) + bytes_of<std::uint16_t>(24) +
          bytes_of<std::uint64_t>(size) + bytes_of<std::uint64_t>(size) + bytes_of(begin);
    const std::uint32_t in_extra = 0xffffffff;
    directory_ += "PK\001\002" + bytes_of<std::uint16_t>(20) + middle +
        bytes_of(zip64_ ? in_extra : size) + bytes_of(zip64_ ? in_extra : size) +
        bytes_of(static_cast<std::uint16_t>(name.size())) +
        bytes_of(static_cast<std::uint16_t>(extra.size())) + std::string(10, 0) +
        bytes_of(zip64_ ? in_extra : static_cast<std::uint32_t>(begin)) + name + extra;
    nmembers_++;
  }

  std::string bytes() const
  {
    const auto begin = static_cast<std::uint64_t>(file_.size()),
               size = static_cast<std::uint64_t>(directory_.size());
    std::string end;
    if (zip64_)
      end = "PK\006\006" + bytes_of<std::uint64_t>(44) + std::string(12, 0) + bytes_of(nmembers_) +
          bytes_of(nmembers_) + bytes_of(size) + bytes_of(begin) + "PK\006\007" +
          std::string(4, 0) + bytes_of(begin + size) + bytes_of<std::uint32_t>(1);
    const auto n = static_cast<std::uint16_t>(zip64_ ? 0xffff : nmembers_);
    return file_ + directory_ + end + "PK\005\006" + std::string(4, 0) + bytes_of(n) + bytes_of(n) +
        bytes_of(static_cast<std::uint32_t>(size)) +
        bytes_of(zip64_ ? std::uint32_t(0xffffffff) : static_cast<std::uint32_t>(begin)) +
        std::string(2, 0);
  }

 private:
  const bool zip64_;
  std::string file_, directory_;
  std::uint64_t nmembers_ = 0;
};

// Python objects as the operations of a pickle that push them

inline std::string none()
{
  return "N";
}
inline std::string boolean(bool value)
{
  return value ? "\x88" : "\x89";
}
inline std::string whole(int n)
{
  return n >= 0 && n < 256 ? "K" + std::string(1, static_cast<char>(n))
                           : "J" + bytes_of<std::int32_t>(n);
}
inline std::string real(double x)
{
  const std::string bytes = bytes_of(x);
  return "G" + std::string(bytes.rbegin(), bytes.rend());
}
inline std::string text(const std::string &words)
{
  return "X" + bytes_of(static_cast<std::uint32_t>(words.size())) + words;
}
inline std::string tuple(const std::vector<std::string> &items)
{
  std::string result = "(";
  for (const std::string &item : items) result += item;
  return result + "t";
}
inline std::string list(const std::vector<std::string> &items)
{
  std::string result = "](";
  for (const std::string &item : items) result += item;
  return result + "e";
}
inline std::string name(const std::string &module, const std::string &what)
{
  return "c" + module + "\n" + what + "\n";
}
inline std::string call(const std::string &function, const std::vector<std::string> &arguments)
{
  return function + tuple(arguments) + "R";
}
using Fields = std::vector<std::pair<std::string, std::string>>;
inline std::string object(const std::string &kind, const Fields &fields)
{
  std::string result = name("__torch__.deepmd.pt", kind) + ")\x81}(";
  for (const auto &[key, value] : fields) result += text(key) + value;
  return result + "ub";
}
inline std::string integers(const std::vector<int> &numbers)
{
  std::vector<std::string> items;
  for (int n : numbers) items.push_back(whole(n));
  return call(name("torch.jit._pickle", "build_intlist"), {list(items)});
}
inline std::string modules(const std::vector<std::string> &members)
{
  Fields fields;
  for (std::size_t k = 0; k < members.size(); k++)
    fields.emplace_back(std::to_string(k), members[k]);
  fields.emplace_back("training", boolean(false));
  return object("container.___torch_mangle_7 ModuleList", fields);
}

/** Two types; both sides, 2-4 embedding nets, 5-5 fitting nets; or se_atten with vectors of 3
    numbers, and one net of each kind. */
class SmallTorchModel {
 public:
  std::string kind = "EnergyModel", descriptor = "DescrptSeA", script = "{\"type_map\":[\"O\"]}";
  bool zip64 = true, with_nets = true, typed = false;
  int attention = 0, lmax = 1;
  std::string mode = "strip";
  int excluded = -1;                  // pair whose mask is 0
  int noutputs = 1;                   // of fitting nets
  std::vector<int> excluded_types;    // of the fitting nets
  std::uint16_t method = 0;

  std::string bytes()
  {
    tensors_.clear();
    const std::string pickle = "\x80\x02" + model() + ".";
    Zip zip(zip64);
    zip.add("small/data.pkl", pickle, method);
    zip.add("small/byteorder", "little");
    for (std::size_t k = 0; k < tensors_.size(); k++)
      zip.add("small/data/" + std::to_string(k), tensors_[k]);
    return zip.bytes();
  }

  /** Number k of a tensor with that many numbers. */
  static double number(int size, int k) { return 0.01 * ((k * 37 + size * 11) % 41 - 20); }

 private:
  std::vector<std::string> tensors_;

  std::string tensor(const std::vector<int> &shape, const std::vector<double> &numbers)
  {
    std::string contents;
    for (double x : numbers) contents += bytes_of(x);
    tensors_.push_back(contents);
    std::vector<std::string> sizes, strides;
    int stride = 1;
    for (std::size_t k = shape.size(); k-- > 0; stride *= shape[k])
      strides.insert(strides.begin(), whole(stride));
    for (int n : shape) sizes.push_back(whole(n));
    const std::string storage = tuple({text("storage"), name("torch", "DoubleStorage"),
                                       text(std::to_string(tensors_.size() - 1)), text("cpu"),
                                       whole(static_cast<int>(numbers.size()))}) +
        "Q";
    return call(name("torch._utils", "_rebuild_tensor_v2"),
                {storage, whole(0), tuple(sizes), tuple(strides), boolean(false),
                 call(name("collections", "OrderedDict"), {})});
  }
  std::string tensor(const std::vector<int> &shape)
  {
    int size = 1;
    for (int n : shape) size *= n;
    std::vector<double> numbers;
    for (int k = 0; k < size; k++) numbers.push_back(number(size, k));
    return tensor(shape, numbers);
  }
  std::string layer(int n, int m, bool timestep, const std::string &activation, bool residual)
  {
    return object("MLPLayer",
                  {{"matrix", tensor({n, m})},
                   {"bias", tensor({m})},
                   {"idt", timestep ? tensor({m}) : none()},
                   {"resnet", boolean(residual)},
                   {"activate_name", text(activation)}});
  }
  std::string networks(const std::vector<std::string> &nets)
  {
    return object("NetworkCollection", {{"networks", modules(nets)}});
  }

  std::string block()
  {
    std::vector<double> mask(9, 1.0), averages, deviations;
    std::vector<std::string> nets;
    for (int center = 0; center < 2; center++)
      for (int slot = 0; slot < 7; slot++)
        for (int c = 0; c < 4; c++) {
          averages.push_back(c ? 0.0 : 0.1 + 0.2 * center + 0.3 * (slot >= 3));
          deviations.push_back(0.5);
        }
    if (excluded >= 0) mask[3 * (excluded / 2) + excluded % 2] = 0.0;
    for (int net = 0; net < 4 && with_nets; net++)
      nets.push_back(object(
          "EN",
          {{"layers",
            modules({layer(1, 2, false, "tanh", true), layer(2, 4, false, "gelu", true)})}}));
    return object("DescrptBlockSeA",
                  {{"rcut", real(6.0)},
                   {"rcut_smth", real(5.8)},
                   {"sel", integers({3, 4})},
                   {"axis_neuron", whole(2)},
                   {"type_one_side", boolean(false)},
                   {"env_protection", real(0.0)},
                   {"emask", object("Mask", {{"type_mask", tensor({9}, mask)}})},
                   {"mean", tensor({2, 7, 4}, averages)},
                   {"stddev", tensor({2, 7, 4}, deviations)},
                   {"filter_layers", networks(nets)}});
  }

  /** se_atten: types are inputs of the second net. */
  std::string typed_descriptor()
  {
    const auto net = [&](const std::vector<std::string> &layers) {
      return object("EN", {{"layers", modules(layers)}});
    };
    std::vector<double> averages, deviations;
    for (int k = 0; k < 56; k++) {
      averages.push_back(k % 4 ? 0.0 : 0.25 + 0.5 * (k >= 28));
      deviations.push_back(0.5);
    }
    const std::string own = object(
        "DescrptBlockSeAtten",
        {{"rcut", real(6.0)},
         {"rcut_smth", real(5.8)},
         {"sel", integers({7})},
         {"axis_neuron", whole(2)},
         {"type_one_side", boolean(false)},
         {"smooth", boolean(true)},
         {"attn_layer", whole(attention)},
         {"tebd_input_mode", text(mode)},
         {"lmax", whole(lmax)},
         {"emask", object("Mask", {{"type_mask", tensor({9}, std::vector<double>(9, 1.0))}})},
         {"mean", tensor({2, 7, 4}, averages)},
         {"stddev", tensor({2, 7, 4}, deviations)},
         {"filter_layers",
          networks({net({layer(1, 2, false, "tanh", true), layer(2, 4, false, "tanh", true)})})},
         {"filter_layers_strip",
          networks({net({layer(6, 2, false, "tanh", true), layer(2, 4, false, "tanh", true)})})}});
    const std::string embedding =
        object("Consistent", {{"embedding_net", net({layer(2, 3, false, "Linear", true)})}});
    return object(descriptor,
                  {{"se_atten", own},
                   {"type_embedding", object("TypeEmbedNet", {{"embedding", embedding}})},
                   {"use_econf_tebd", boolean(false)},
                   {"concat_output_tebd", boolean(true)}});
  }

  std::string fitting()
  {
    std::vector<std::string> nets;
    for (int type = 0; type < (typed ? 1 : 2); type++)
      nets.push_back(object(
          "FN",
          {{"layers",
            modules({layer(typed ? 11 : 8, 5, false, "tanh", true), layer(5, 5, true, "tanh", true),
                     layer(5, noutputs, false, "none", false)})}}));
    return object("EnergyFittingNet",
                  {{"mixed_types", boolean(typed)},
                   {"exclude_types", integers(excluded_types)},
                   {"numb_fparam", whole(0)},
                   {"numb_aparam", whole(0)},
                   {"bias_atom_e", tensor({2, 1}, {-93.0, -187.0})},
                   {"filter_layers", networks(nets)}});
  }

  std::string model()
  {
    const std::string names = call(name("torch.jit._pickle", "restore_type_tag"),
                                   {list({text("O"), text("H")}), text("List[str]")});
    const Fields atomic = {
        {"type_map", names},
        {"pair_excl", none()},
        {"atom_excl", none()},
        {"descriptor",
         typed ? typed_descriptor()
               : object(descriptor, {{"compress", boolean(true)}, {"sea", block()}})},
        {"fitting_net", fitting()},
        {"out_bias", tensor({1, 2, 1}, {0.5, 0.25})},
        {"out_std", tensor({1, 2, 1}, {0.25, 3.0})}};    // not used
    return object(kind,
                  {{"model_def_script", text(script)},
                   {"atomic_model", object("DPEnergyAtomicModel", atomic)}});
  }
};

}    // namespace torch_writer

#endif
