// SPDX-License-Identifier: GPL-2.0-only
//
// A frozen graph of TensorFlow (GraphDef): nodes by name, with the constants among them.

#ifndef TOFU_MODEL_GRAPH_H
#define TOFU_MODEL_GRAPH_H

#include "tensor.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace TOFU_NS {

struct GraphAttribute {
  double number = 0.0;    // of kinds i, f, b
  std::string text;
  std::vector<double> list;    // numbers
  std::string_view tensor;     // as the file has it
};

struct GraphNode {
  std::string name, operation;
  std::vector<std::string> inputs;    // names of nodes, without the number of an output
  std::map<std::string, GraphAttribute> attributes;
};

class Graph {
 public:
  /** The bytes of a file, which must stay as long as the graph.  Throws ModelError. */
  explicit Graph(std::string_view file);

  /** A node, or nullptr. */
  const GraphNode *find(const std::string &name) const;
  const std::map<std::string, GraphNode> &nodes() const { return nodes_; }

  /** Value of a constant.  Throws ModelError: there is none of this name, or it is damaged. */
  Tensor constant(const std::string &name) const;
  bool has_constant(const std::string &name) const;

  /** A constant with one number, or one text. */
  double number(const std::string &name) const;
  std::string text(const std::string &name) const;

 private:
  std::map<std::string, GraphNode> nodes_;
  mutable double expanded_ = 0.0;    // # of values of constants that are stored in compressed form
};

}    // namespace TOFU_NS

#endif
