// SPDX-License-Identifier: GPL-2.0-only

#include "graph.h"

#include "little_endian.h"
#include "model/model_error.h"
#include "protobuf.h"

namespace TOFU_NS {

// Numbers of the fields are those of TensorFlow's graph.proto, node_def.proto, attr_value.proto,
// tensor.proto and tensor_shape.proto

static constexpr double MOST_EXPANDED = 1 << 24;
static constexpr std::int64_t HALF = 19, BFLOAT16 = 14;
static constexpr std::int64_t FLOAT = 1, DOUBLE = 2, INT32 = 3, STRING = 7, INT64 = 9, BOOL = 10;

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the graph is damaged: " + what);
}

static std::string without_output(std::string name)
{
  if (!name.empty() && name.front() == '^') name.erase(0, 1);
  return name.substr(0, name.find(':'));
}

static void read_list(std::string_view bytes, std::vector<double> &list)
{
  ProtobufMessage message(bytes);
  while (message.next())
    if (message.field() == 3)
      message.for_integers([&](std::int64_t n) { list.push_back(static_cast<double>(n)); });
}

static GraphAttribute read_attribute(std::string_view bytes)
{
  GraphAttribute result;
  ProtobufMessage message(bytes);
  while (message.next()) switch (message.field()) {
      case 1:
        read_list(message.bytes(), result.list);
        break;
      case 2:
        result.text = message.text();
        break;
      case 3:
      case 5:
        result.number = static_cast<double>(message.integer());
        break;
      case 4:
        result.number = message.single();
        break;
      case 8:
        result.tensor = message.bytes();
        break;
      default:
        break;
    }
  return result;
}

static GraphNode read_node(std::string_view bytes)
{
  GraphNode node;
  ProtobufMessage message(bytes);
  while (message.next()) {
    if (message.field() == 1)
      node.name = message.text();
    else if (message.field() == 2)
      node.operation = message.text();
    else if (message.field() == 3)
      node.inputs.push_back(without_output(message.text()));
    else if (message.field() == 5) {
      ProtobufMessage entry(message.bytes());
      std::string key;
      GraphAttribute value;
      while (entry.next())
        if (entry.field() == 1)
          key = entry.text();
        else if (entry.field() == 2)
          value = read_attribute(entry.bytes());
      node.attributes[key] = value;
    }
  }
  return node;
}

Graph::Graph(std::string_view file)
{
  ProtobufMessage message(file);
  while (message.next()) {
    if (message.field() != 1) continue;
    GraphNode node = read_node(message.bytes());
    nodes_[node.name] = std::move(node);
  }
  if (nodes_.empty()) damaged("it has no nodes");
}

const GraphNode *Graph::find(const std::string &name) const
{
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

bool Graph::has_constant(const std::string &name) const
{
  const GraphNode *const node = find(name);
  return node && node->operation == "Const";
}

static void read_shape(std::string_view bytes, Tensor &tensor)
{
  ProtobufMessage message(bytes);
  while (message.next()) {
    if (message.field() != 2) continue;
    std::int64_t size = 0;
    ProtobufMessage dim(message.bytes());
    while (dim.next())
      if (dim.field() == 1) size = dim.integer();
    tensor.shape.push_back(size);
  }
}

template <class T> static void read_content(std::string_view content, Tensor &tensor)
{
  if (content.size() % sizeof(T)) damaged("an array ends inside a number");
  for (std::size_t k = 0; k < content.size(); k += sizeof(T))
    tensor.numbers.push_back(static_cast<double>(read_little_endian<T>(content.data() + k)));
}

Tensor Graph::constant(const std::string &name) const
{
  const GraphNode *const node = find(name);
  if (!node || node->operation != "Const") damaged("it has no constant '" + name + "'");
  const auto value = node->attributes.find("value");
  if (value == node->attributes.end()) damaged("'" + name + "' has no value");

  Tensor tensor;
  std::int64_t kind = 0;
  std::string_view content;
  ProtobufMessage message(value->second.tensor);
  const auto append = [&](auto number) {
    tensor.numbers.push_back(static_cast<double>(number));
  };
  while (message.next()) switch (message.field()) {
      case 1:
        kind = message.integer();
        break;
      case 2:
        read_shape(message.bytes(), tensor);
        break;
      case 4:
        content = message.bytes();
        break;
      case 5:
        message.for_singles(append);
        break;
      case 6:
        message.for_reals(append);
        break;
      case 7:
      case 10:
      case 11:
        message.for_integers(append);
        break;
      case 8:
        tensor.texts.push_back(message.text());
        break;
      default:
        break;
    }
  if (kind == HALF || kind == BFLOAT16) refuse_model("numbers of half precision");
  tensor.single_precision = kind == FLOAT;
  if (!content.empty()) switch (kind) {
      case FLOAT:
        read_content<float>(content, tensor);
        break;
      case DOUBLE:
        read_content<double>(content, tensor);
        break;
      case INT32:
        read_content<std::int32_t>(content, tensor);
        break;
      case INT64:
        read_content<std::int64_t>(content, tensor);
        break;
      case BOOL:
        read_content<char>(content, tensor);
        break;
      default:
        damaged("'" + name + "' has numbers of kind " + std::to_string(kind));
    }
  if (kind == STRING) return tensor;

  // of equal numbers at the end of an array one is enough

  double count = 1.0;
  for (std::int64_t n : tensor.shape) {
    if (n < 0) damaged("'" + name + "' has a negative size");
    count *= static_cast<double>(n);
  }
  const auto have = static_cast<double>(tensor.size());
  expanded_ += count > have ? count : 0.0;
  if (count < have || (count > have && (!have || expanded_ > MOST_EXPANDED)))
    damaged("'" + name + "' does not have as many numbers as its shape");
  if (count > have) tensor.numbers.resize(static_cast<std::size_t>(count), tensor.numbers.back());
  return tensor;
}

double Graph::number(const std::string &name) const
{
  const Tensor tensor = constant(name);
  if (tensor.size() != 1) damaged("'" + name + "' is not one number");
  return tensor.numbers.front();
}

std::string Graph::text(const std::string &name) const
{
  const Tensor tensor = constant(name);
  if (tensor.texts.size() != 1) damaged("'" + name + "' is not one text");
  return tensor.texts.front();
}

}    // namespace TOFU_NS
