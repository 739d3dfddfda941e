// SPDX-License-Identifier: GPL-2.0-only
//
// Files of deep potentials: what readers find in them, what they refuse and how, and that no file
// whatsoever crashes them.  TOFU_MUTATIONS is the number of damaged files, 20000 unless set.

#include "model/files/hdf5_file.h"
#include "model/files/model_file.h"
#include "model/model_error.h"

#include "dp_writer.h"
#include "graph_writer.h"
#include "torch_writer.h"
#include "unit/errors.h"

#include <cstdio>

using dp_writer::Hdf5;
using dp_writer::SmallDpModel;
using graph_writer::SmallModel;
using torch_writer::SmallTorchModel;
using namespace TOFU_NS;
using TOFU_TEST::expect_words;
using TOFU_TEST::message_of;

namespace {

/** The reader's words about a file. */
std::string refusal(const std::string &bytes)
{
  return message_of<ModelError>([&] { read_model(bytes); });
}

TEST(GraphModel, HasWhatTheFileHas)
{
  SmallModel small;
  const DeepModel model = read_model(small.bytes());
  EXPECT_EQ(model.types, (std::vector<std::string>{"O", "H"}));
  ASSERT_EQ(model.descriptors.size(), 1u);
  const DeepDescriptor &one = model.descriptors[0];
  EXPECT_EQ(one.cutoff, 6.0);
  EXPECT_EQ(one.inner, static_cast<double>(5.8f));    // TensorFlow has it in single precision
  EXPECT_EQ(one.selected, (std::vector<int>{3, 4}));
  EXPECT_EQ(one.width, 4);
  EXPECT_EQ(one.axis, 2);
  EXPECT_FALSE(one.one_sided);
  EXPECT_EQ(one.nets.size(), 4u);
  EXPECT_EQ(one.nets[2][1].residual, DenseLayer::Residual::TWICE);
  EXPECT_EQ(one.nets[2][0].weights, small.matrix("filter_type_1/matrix_1_0"));
  EXPECT_EQ(one.nets[1][1].activation.kind, Activation::TANH);
  EXPECT_EQ(one.average[1][0], small.average(0, 1));
  EXPECT_EQ(model.fitting.nets[1].size(), 3u);
  EXPECT_EQ(model.fitting.nets[1][1].residual, DenseLayer::Residual::ONCE);
  EXPECT_EQ(model.fitting.nets[1][1].timesteps.size(), 5u);
  EXPECT_EQ(model.fitting.nets[1][2].activation.kind, Activation::LINEAR);
  EXPECT_EQ(model.fitting.biases, (std::vector<double>{-93.0 + 0.5, -187.0 + 0.5}));
  EXPECT_FALSE(model.compressed);
}

TEST(GraphModel, OfACompressedFileHasTheTableOfEachPair)
{
  SmallModel small;
  small.compressed = true;
  const DeepModel model = read_model(small.bytes());
  EXPECT_TRUE(model.compressed);
  const DeepDescriptor &one = model.descriptors[0];
  ASSERT_EQ(one.tables.size(), 4u);
  for (int pair = 0; pair < 4; pair++) EXPECT_EQ(one.tables[pair].coefficients[0], 100.0 + pair);
  EXPECT_EQ(one.width, 4);
}

/** What all models have whose types are vectors. */
void expect_typed_model(const DeepModel &model)
{
  const DeepDescriptor &one = model.descriptors.at(0);
  EXPECT_TRUE(one.is_shared());
  EXPECT_EQ(one.selected, (std::vector<int>{7}));
  ASSERT_EQ(one.types.vectors.size(), 2u);
  EXPECT_EQ(one.types.vectors[1].size(), 3u);
  EXPECT_EQ(one.nvalues(), 11u);
  EXPECT_TRUE(model.fitting.shared);
  EXPECT_EQ(model.fitting.nets.size(), 1u);
}

TEST(GraphModel, OfTypesAsVectorsHasOneNetForAll)
{
  for (bool compressed : {false, true}) {
    SmallModel small;
    small.be_typed();
    small.compressed = compressed;
    const DeepModel model = read_model(small.bytes());
    const DeepDescriptor &one = model.descriptors.at(0);
    expect_typed_model(model);
    EXPECT_EQ(one.inner, static_cast<double>(5.8f));
    EXPECT_TRUE(one.types.smooth);
    EXPECT_EQ(one.types.switch_distance, 5.8);    // not in single precision
    EXPECT_EQ(one.average[3][0], small.average(1, 0));
    EXPECT_EQ(one.width, 4);
    EXPECT_EQ(one.tables.empty(), !compressed);
    EXPECT_EQ(one.types.net.empty(), compressed);
    if (compressed)    // from rows of three types
      EXPECT_EQ(one.types.factors.at(2), (std::vector<double>{3.0, 3.25, 3.5, 3.75}));
    EXPECT_EQ(model.compressed, compressed);
  }
}

/** The reader's words about a model with another word among its options. */
std::string refusal_of(SmallModel small, const std::string &from, const std::string &to)
{
  const std::size_t at = small.script.find(from);
  EXPECT_NE(at, std::string::npos);
  small.script.replace(at, from.size(), to);
  return refusal(small.bytes());
}

TEST(GraphModel, OfTypesAsVectorsSaysWhyItIsRefused)
{
  const auto with = [](const std::string &what, const std::string &by) {
    SmallModel small;
    small.be_typed();
    return refusal_of(small, what, by);
  };
  expect_words(with("\"attn_layer\":0", "\"attn_layer\":2"), {"attn_layer 2", "suffix off"});
  expect_words(with("\"strip\"", "\"concat\""), {"'concat'", "suffix off"});
  expect_words(with("\"strip\"", "\"strip\",\"use_econf_tebd\":true"), {"use_econf_tebd"});
  expect_words(with("\"strip\"", "\"strip\",\"exclude_types\":[[0,1]]"), {"set_davg_zero"});
  expect_words(with(":true", ":false"), {"set_davg_zero", "smooth_type_embedding"});
  expect_words(with("\"model\":{", "\"model\":{\"type_embedding\":{\"use_econf_tebd\":true},"),
               {"use_econf_tebd"});
  expect_words(with("{\"type\":\"se_atten\"",
                    "{\"type\":\"hybrid\",\"list\":[{\"type\":\"se_atten\"}],\"x\":0"),
               {"suffix off"});
  SmallModel lost;
  lost.be_typed();
  lost.compressed = lost.without_tables = true;
  expect_words(refusal(lost.bytes()), {"are empty", "the original model"});
}

TEST(GraphModel, SaysWhyItIsRefused)
{
  const auto with = [](const std::string &from, const std::string &to) {
    return refusal_of(SmallModel(), from, to);
  };
  for (const char *type : {"se_atten", "dpa1", "dpa2", "dpa3", "se_e3", "se_a_mask"})
    expect_words(with("\"se_e2_a\"", "\"" + std::string(type) + "\""),
                 {"'" + std::string(type) + "'", "suffix off", "deepmd-kit"});
  expect_words(with("\"tanh\"", "\"snake\""), {"snake", "suffix off"});
  expect_words(with("\"rcut\"", "\"env_protection\":0.1,\"rcut\""), {"env_protection"});
  expect_words(with("\"model\":{", "\"model\":{\"use_srtab\":\"x\","), {"use_srtab"});
  expect_words(with("\"model\":{", "\"model\":{\"type_embedding\":{\"neuron\":[2]},"),
               {"type_embedding"});
  expect_words(with("\"ener\"", "\"dos\""), {"'dos'"});
  expect_words(with("{\"model\"", "{model"), {"options"});
  expect_words(with("[2, 4]", "7"), {});

  SmallModel lost;
  lost.compressed = true;
  lost.without_tables = true;
  expect_words(refusal(lost.bytes()), {"are empty", "the original model"});
  SmallModel attention;
  attention.add_text("attention_layer_0/c_query/matrix", "x");
  expect_words(refusal(attention.bytes()), {"attention", "suffix off"});
  SmallModel varying;
  varying.statistics_vary = true;
  expect_words(refusal(varying.bytes()), {"statistics"});
}

/** What the models of both writers have in common. */
void expect_small_model(const DeepModel &model)
{
  EXPECT_EQ(model.types, (std::vector<std::string>{"O", "H"}));
  ASSERT_EQ(model.descriptors.size(), 1u);
  const DeepDescriptor &one = model.descriptors[0];
  EXPECT_EQ(one.cutoff, 6.0);
  EXPECT_EQ(one.inner, 5.8);
  EXPECT_EQ(one.selected, (std::vector<int>{3, 4}));
  EXPECT_EQ(one.width, 4);
  EXPECT_EQ(one.axis, 2);
  ASSERT_EQ(one.nets.size(), 4u);
  EXPECT_EQ(one.nets[1][1].residual, DenseLayer::Residual::TWICE);
  EXPECT_EQ(one.nets[1][1].activation.kind, Activation::GELU);
  EXPECT_EQ(model.fitting.nets[1][1].residual, DenseLayer::Residual::ONCE);
  EXPECT_EQ(model.fitting.nets[1][1].timesteps.size(), 5u);
  EXPECT_EQ(model.fitting.biases, (std::vector<double>{-92.5, -186.75}));
}

/** The same of models whose types are vectors; Writer has the numbers of the file. */
template <class Writer> void expect_small_typed_model(const DeepModel &model)
{
  expect_typed_model(model);
  const DeepDescriptor &one = model.descriptors.at(0);
  EXPECT_EQ(one.nets.size(), 1u);
  EXPECT_EQ(one.average[1][0], 0.25);
  EXPECT_EQ(one.average[2][0], 0.75);
  EXPECT_EQ(one.types.net.front().ninputs, 6);
  for (int k = 0; k < 3; k++)    // a weight of the second input, and a bias
    EXPECT_NEAR(one.types.vectors[1][k], Writer::number(6, 3 + k) + Writer::number(3, k), 1e-15);
}

TEST(TorchModel, HasWhatTheFileHas)
{
  for (bool zip64 : {false, true}) {
    SmallTorchModel small;
    small.zip64 = zip64;
    small.excluded = 2;
    const DeepModel model = read_model(small.bytes());
    expect_small_model(model);
    const DeepDescriptor &one = model.descriptors.at(0);
    EXPECT_EQ(one.excluded, (std::vector<char>{0, 0, 1, 0}));
    EXPECT_EQ(one.nets[0][1].weights[5], SmallTorchModel::number(8, 5));
    EXPECT_NEAR(one.average[1][0], 0.4, 1e-15);
    EXPECT_TRUE(model.compressed);
  }
}

TEST(TorchModel, OfTypesAsVectorsHasOneNetForAll)
{
  for (const char *kind : {"DescrptDPA1", "DescrptSeAttenV2"}) {
    SmallTorchModel small;
    small.typed = true;
    small.descriptor = kind;
    small.script = R"({"descriptor":{"type":"se_atten","attn_layer":0,"tebd_input_mode":"strip"}})";
    const DeepModel model = read_model(small.bytes());
    const DeepDescriptor &one = model.descriptors.at(0);
    expect_small_typed_model<SmallTorchModel>(model);
    EXPECT_TRUE(one.types.smooth);
    EXPECT_FALSE(one.types.one_sided);
    expect_words(summary_of(model), {"se_atten"});
  }
}

TEST(TorchModel, SaysWhyItIsRefused)
{
  SmallTorchModel other;
  other.kind = "DPModelWithSpin";
  expect_words(refusal(other.bytes()), {"'DPModelWithSpin'", "suffix off"});
  SmallTorchModel later;
  later.descriptor = "DescrptDPA2";
  expect_words(refusal(later.bytes()), {"'DescrptDPA2'", "suffix off"});
  SmallTorchModel attention;
  attention.typed = true;
  attention.descriptor = "DescrptDPA1";
  attention.attention = 2;
  expect_words(refusal(attention.bytes()), {"attention", "attn_layer 2", "suffix off"});
  attention.attention = 0;
  attention.mode = "concat";
  expect_words(refusal(attention.bytes()), {"'concat'", "tebd_input_mode", "suffix off"});
  attention.mode = "strip";
  attention.lmax = 2;
  expect_words(refusal(attention.bytes()), {"lmax"});
  SmallTorchModel lost;
  lost.with_nets = false;
  expect_words(refusal(lost.bytes()), {"embedding nets"});
  SmallTorchModel packed;
  packed.method = 8;
  expect_words(refusal(packed.bytes()), {"is compressed"});
  SmallTorchModel option;
  option.script = R"({"descriptor":{"type":"dpa3"}})";
  expect_words(refusal(option.bytes()), {"'dpa3'"});
}

TEST(DpModel, HasWhatTheFileHas)
{
  for (bool single_precision : {false, true}) {
    SmallDpModel small;
    small.fixed_text = single_precision;
    if (single_precision) small.type = H5T_IEEE_F32LE;
    const DeepModel model = read_model(small.bytes());
    expect_small_model(model);
    const DeepDescriptor &one = model.descriptors.at(0);
    EXPECT_EQ(one.transition, 6.0 - 5.8);    // in double precision, as all frameworks but one
    EXPECT_EQ(one.excluded, (std::vector<char>{0, 1, 1, 0}));
    const double weight = SmallDpModel::number(8, 5);
    EXPECT_EQ(one.nets[0][1].weights[5], single_precision ? static_cast<float>(weight) : weight);
    EXPECT_EQ(one.average[2][0], 0.375);
    EXPECT_EQ(one.average[3][0], 0.875);
    EXPECT_EQ(one.single_precision, single_precision);
    EXPECT_EQ(model.fitting.nets[1][2].activation.kind, Activation::LINEAR);
    expect_words(summary_of(model), {".dp"});
  }
}

TEST(DpModel, OfTypesAsVectorsHasOneNetForAll)
{
  SmallDpModel small;
  small.typed = true;
  expect_small_typed_model<SmallDpModel>(read_model(small.bytes()));
}

TEST(DpModel, OfTypesAsVectorsSaysWhyItIsRefused)
{
  const auto with = [](const std::string &what, const std::string &by) {
    SmallDpModel small;
    small.typed = true;
    small.changes = {{what, by}};
    return refusal(small.bytes());
  };
  expect_words(with("\"attn_layer\":0", "\"attn_layer\":2"),
               {"'dpa1'", "attention", "attn_layer 2", "suffix off"});
  expect_words(with("\"strip\"", "\"concat\""), {"'dpa1'", "'concat'", "suffix off"});
  expect_words(with("\"use_econf_tebd\":false", "\"use_econf_tebd\":true"), {"use_econf_tebd"});
  expect_words(with("\"lmax\":1", "\"lmax\":2"), {"lmax"});
  expect_words(with("\"smooth_type_embedding\":true", "\"smooth_type_embedding\":false"),
               {"set_davg_zero", "smooth_type_embedding"});
  expect_words(with("\"concat_output_tebd\":true", "\"concat_output_tebd\":false"),
               {"damaged", "fitting net"});
  expect_words(with("\"type_one_side\":false", "\"type_one_side\":true"),
               {"damaged", "net of types"});
}

TEST(DpModel, SaysWhyItIsRefused)
{
  const auto with = [](const std::string &what, const std::string &by) {
    SmallDpModel small;
    small.changes = {{what, by}};
    return refusal(small.bytes());
  };
  for (const char *kind : {"dpa2", "dpa3", "se_e3", "se_e3_tebd", "se_a_mask"})
    expect_words(with("\"se_e2_a\"", "\"" + std::string(kind) + "\""),
                 {"'" + std::string(kind) + "'", "suffix off", "deepmd-kit"});
  for (const char *kind : {"zbl", "linear", "spin_ener"})
    expect_words(with("\"standard\"", "\"" + std::string(kind) + "\""),
                 {"the type '" + std::string(kind) + "'", "suffix off"});
  for (const char *kind : {"polar", "dos", "property"})
    expect_words(with("\"ener\"", "\"" + std::string(kind) + "\""),
                 {"fitting net of type '" + std::string(kind) + "'"});
  expect_words(with("\"pair_exclude_types\":[]", "\"pair_exclude_types\":[[0,1]]"),
               {"pair_exclude_types"});
  expect_words(with("\"env_protection\":0.0", "\"env_protection\":0.1"), {"env_protection"});
  expect_words(with("\"use_exp_switch\":false", "\"use_exp_switch\":true"), {"use_exp_switch"});
  expect_words(with("\"atom_ener\":[]", "\"atom_ener\":[1.0,null]"), {"atom_ener"});
  expect_words(with("\"tanh\"", "\"snake\""), {"snake"});
  expect_words(with("\"@class\":\"Model\",\"type\":\"standard\",\"@version\":2",
                    "\"type\":\"standard\",\"@version\":3"),
               {"version 3 of the model", "up to 2"});
  expect_words(with("\"type\":\"ener\",\"@version\":4", "\"type\":\"ener\",\"@version\":5"),
               {"version 5 of the fitting net"});
  expect_words(with("\"model_def_script\":{}", "\"model_def_script\":{\"model_dict\":{}}"),
               {"several tasks"});
  expect_words(with("\"model\":", "\"mod\":"), {"damaged", "'model'"});
  expect_words(with("{", "["), {"damaged"});
  expect_words(with("{", std::string(1000, '[')), {"damaged", "deep"});
  expect_words(with("[3,4]", "[3,4,5]"), {"damaged", "sel"});
  expect_words(with("/variable_0000", "/variable_0999"), {"damaged", "/variable_0999"});
  expect_words(with("/variable_0000", "/a/../variable_0000"), {"damaged"});
  SmallDpModel lost;
  lost.with_embeddings = false;
  expect_words(refusal(lost.bytes()), {"are empty", "the original model"});
}

TEST(ModelFile, ExcludedTypesHaveNoDipoles)
{
  for (bool torch : {false, true}) {
    const auto bytes_of = [&](int noutputs, bool typed) {
      SmallTorchModel script;
      script.kind = noutputs == 1 ? "EnergyModel" : "DipoleModel";
      script.descriptor = typed ? "DescrptDPA1" : "DescrptSeA";
      script.noutputs = noutputs;
      script.typed = typed;
      script.excluded_types = {1};
      SmallDpModel tree;
      tree.noutputs = noutputs;
      tree.typed = typed;
      tree.changes = {
          {"\"exclude_types\":[],\"atom_ener\"", "\"exclude_types\":[1],\"atom_ener\""}};
      if (noutputs > 1) tree.changes.emplace_back("\"ener\"", "\"dipole\"");
      return torch ? script.bytes() : tree.bytes();
    };
    const DeepFitting fitting = read_model(bytes_of(4, false)).fitting;
    EXPECT_EQ(fitting.kind, DeepFitting::Kind::DIPOLE);
    EXPECT_FALSE(fitting.net_of(0).empty());
    EXPECT_TRUE(fitting.net_of(1).empty());
    expect_words(refusal(bytes_of(4, true)), {"exclude_types", "suffix off"});
    expect_words(refusal(bytes_of(1, false)), {"exclude_types", "suffix off"});
  }
}

TEST(DpModel, ArraysAreInTheFileItself)
{
  SmallDpModel packed;
  packed.packed = true;
  expect_words(refusal(packed.bytes()), {"/variable_00", "packed"});
  SmallDpModel absent;
  absent.without_numbers = true;    // the library would make up any number of zeros
  expect_words(refusal(absent.bytes()), {"damaged", "behind its end"});
  SmallDpModel linked;
  linked.linked = "/etc/passwd";
  expect_words(refusal(linked.bytes()), {"a later layout"});    // others have no such links
  SmallDpModel half;
  half.type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(half.type, 15, 10, 5, 0, 10);
  H5Tset_size(half.type, 2);
  H5Tset_ebias(half.type, 15);
  expect_words(refusal(half.bytes()), {"half precision"});
  H5Tclose(half.type);
}

TEST(DpModel, InALaterLayoutIsRefusedWithTheRemedy)
{
  SmallDpModel late;
  late.late = true;
  expect_words(refusal(late.bytes()), {"HDF5", "a later layout", "dp convert-backend"});
}

TEST(Hdf5File, HasEachOfManyArrays)
{
  Hdf5 written;
  for (int k = 0; k < 1000; k++)    // the group is a tree of several levels
    written.add("array" + std::to_string(k), {2, 1}, {0.5 * k, -1.0 * k}, H5T_IEEE_F64LE, false);
  const std::string bytes = written.bytes();
  const Hdf5File file(bytes);
  for (int k = 0; k < 1000; k++) {
    const Tensor array = file.numbers("/array" + std::to_string(k));
    EXPECT_EQ(array.numbers, (std::vector<double>{0.5 * k, -1.0 * k}));
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 1}));
  }
  for (const char *name : {"/array1000", "array1", "/", "", "//array1", "/array1/"})
    EXPECT_THROW(file.numbers(name), ModelError) << name;
}

TEST(Hdf5File, HasNumbersOfAllKinds)
{
  const std::pair<hid_t, std::vector<double>> KINDS[] = {
      {H5T_STD_I8LE, {-128.0, 127.0}},
      {H5T_STD_U8LE, {0.0, 255.0}},
      {H5T_STD_I16LE, {-32768.0, 32767.0}},
      {H5T_STD_U16LE, {0.0, 65535.0}},
      {H5T_STD_I32LE, {-2147483648.0, 2147483647.0}},
      {H5T_STD_U32LE, {0.0, 4294967295.0}},
      {H5T_STD_I64LE, {-9007199254740992.0, 9007199254740991.0}},
      {H5T_STD_U64LE, {0.0, 9007199254740991.0}},
      {H5T_IEEE_F32LE, {-0.5, 1e-3f}},
      {H5T_IEEE_F64LE, {-0.1, 1e300}}};
  Hdf5 written;
  for (const auto &[type, numbers] : KINDS)
    written.add(std::to_string(type), {2}, numbers, type, false);
  written.add("empty", {0, 3}, {}, H5T_IEEE_F64LE, false);
  written.add("other order", {2}, {1.0, 2.0}, H5T_IEEE_F64BE, false);
  const std::string bytes = written.bytes();
  const Hdf5File file(bytes);
  for (const auto &[type, numbers] : KINDS)
    EXPECT_EQ(file.numbers("/" + std::to_string(type)).numbers, numbers);
  EXPECT_EQ(file.numbers("/empty").size(), 0u);
  EXPECT_THROW(file.numbers("/other order"), ModelError);
}

TEST(Hdf5File, HasTextsOfAnyLength)
{
  for (std::size_t length : {0, 1, 7, 8, 5000, 3000000}) {
    Hdf5 written;
    const std::string words(length, 'x');
    written.add_text("other", "some words", false);
    written.add_text("json", words, false);
    written.add_text("fixed", words.substr(0, 5000), true);
    const std::string bytes = written.bytes();
    const Hdf5File file(bytes);
    EXPECT_EQ(file.text("json"), words);
    EXPECT_EQ(file.text("fixed"), words.substr(0, 5000));
    EXPECT_THROW(file.text("absent"), ModelError);
  }
}

TEST(ModelFile, OfAnotherKindIsNamedWithTheRemedy)
{
  expect_words(refusal("PK\003\004 and so on"), {"archive"});
  expect_words(refusal(std::string("\211HDF\r\n\032\n", 8) + "and so on"), {"HDF5", "damaged"});
  expect_words(refusal("node {\n  name: \"x\"\n}\n"), {"text", "convert-from pbtxt"});
  expect_words(refusal("hello world, this is no model at all"), {"damaged"});
  expect_words(refusal(std::string(100, '\0')), {"damaged"});
  expect_words(refusal(""), {"no nodes"});
}

TEST(ModelFile, ThatCannotBeReadIsAnError)
{
  for (const char *name : {"/does/not/exist.pb", "/", "/dev/null"})
    EXPECT_THROW(read_whole_file(name), ModelError) << name;
}

TEST(ModelFile, InOtherUnitsHasItsCutoffsAndEnergiesScaled)
{
  const DeepModel model = read_model(SmallModel().bytes());
  const DeepModel other = in_other_units(model, 2.0, 3.0);
  EXPECT_EQ(other.cutoff(), 12.0);
  EXPECT_EQ(other.descriptors[0].average[1][0], 0.5 * model.descriptors[0].average[1][0]);
  EXPECT_EQ(other.fitting.biases[0], 3.0 * model.fitting.biases[0]);
  EXPECT_EQ(other.fitting.nets[0].back().weights[0], 3.0 * model.fitting.nets[0].back().weights[0]);
}

/** A tree of sixteen levels, of which each node has another one as all of its 32 children: there
    are more ways through it than anything can go. */
TEST(DpModel, WithAPartThatIsThereManyTimesEndsAtOnce)
{
  SmallDpModel small;
  std::string bytes = small.bytes();
  const std::size_t size = 24 + 8 * (2 * 32 + 1);
  const auto make_node = [&](std::size_t at, char level, std::uint64_t child) {
    bytes.resize(std::max(bytes.size(), at + size));
    std::memcpy(&bytes[at], "TREE\0", 5);
    bytes[at + 5] = level;
    bytes[at + 6] = level ? 32 : 0;
    for (std::size_t k = 0; k < 32; k++) std::memcpy(&bytes[at + 32 + 16 * k], &child, 8);
  };
  std::size_t node = bytes.find("TREE");
  ASSERT_NE(node, std::string::npos);
  for (char level = 15; level >= 0; level--) {
    const std::size_t next = bytes.size();
    make_node(node, level, next);
    node = next;
  }
  expect_words(refusal(bytes), {"damaged", "circle"});
}

/** Damages files, always in the same way. */
class Damage {
 public:
  /** Some changes of bytes. */
  std::string of(std::string bytes)
  {
    for (std::size_t changes = 1 + below(4); changes-- > 0 && !bytes.empty();) switch (below(5)) {
        case 0:
          bytes[below(bytes.size())] = static_cast<char>(below(256));
          break;
        case 1:
          bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
          break;
        case 2:
          bytes.resize(1 + below(bytes.size()));
          break;
        case 3:
          bytes.erase(below(bytes.size()), 1 + below(20));
          break;
        default:
          bytes.insert(below(bytes.size()), bytes.substr(below(bytes.size()), below(40)));
      }
    return bytes;
  }

  std::size_t below(std::size_t limit)
  {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

 private:
  std::mt19937 random_{17};
};

int nmutations()
{
  const char *const wanted = std::getenv("TOFU_MUTATIONS");
  return wanted ? std::atoi(wanted) : 20000;
}

TEST(ModelFile, NoDamageCrashesAReader)
{
  const int n = nmutations();
  std::vector<std::string> files;
  for (bool compressed : {false, true}) {
    SmallModel small;
    small.compressed = compressed;
    files.push_back(small.bytes());
    small.be_typed();
    files.push_back(small.bytes());
    SmallTorchModel torch;
    torch.zip64 = torch.typed = compressed;
    torch.descriptor = compressed ? "DescrptDPA1" : "DescrptSeA";
    files.push_back(torch.bytes());
    SmallDpModel tree;
    tree.typed = tree.fixed_text = compressed;
    files.push_back(tree.bytes());
  }
  Damage damage;
  int read = 0, refused = 0;
  for (int k = 0; k < n; k++) {
    const std::string bytes = damage.of(files[k % files.size()]);
    if (bytes.empty()) continue;
    (refusal(bytes).empty() ? read : refused)++;
  }
  EXPECT_GT(read, n / 50);
  EXPECT_GT(refused, n / 50);
}

/** The container is whole, so that more of the damage reaches what reads the tree. */
TEST(DpModel, NoDamageOfTheTreeCrashesTheReader)
{
  const int n = nmutations() / 20;
  Damage damage;
  int read = 0, refused = 0;
  for (int k = 0; k < n; k++) {
    SmallDpModel small;
    small.typed = k % 2;
    small.damage = [&damage](const std::string &tree) {
      return damage.of(tree);
    };
    (refusal(small.bytes()).empty() ? read : refused)++;
  }
  EXPECT_GT(read, n / 100);
  EXPECT_GT(refused, n / 50);
}

}    // namespace
