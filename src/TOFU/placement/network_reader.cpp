// SPDX-License-Identifier: GPL-2.0-only

#include "network_reader.h"

#include "switch_network.h"
#include "torus_network.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace TOFU_NS {

namespace {

  using Words = std::vector<std::string>;

  bool is_number(const std::string &word)
  {
    return !word.empty() &&
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
  }

  std::string without_domain(const std::string &host)
  {
    return host.substr(0, host.find('.'));
  }

  Words parts_of(const std::string &text, char separator)
  {
    Words parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
  }

  /** What a file says of the nodes. */
  class NetworkFile {
   public:
    NetworkFile(std::istream &file, const RankNodes &nodes, const Words &hosts) :
        nodes_(nodes), hosts_(hosts), coords_(nodes.nnodes()), switches_(nodes.nnodes())
    {
      for (std::string line; std::getline(file, line);) {
        nline_++;
        std::istringstream stream(line.substr(0, line.find('#')));
        Words words;
        for (std::string word; stream >> word;) words.push_back(word);
        if (words.empty()) continue;
        if (words[0] == "torus")
          read_sizes(words);
        else
          read_node(words);
      }
    }

    std::unique_ptr<NodeNetwork> network()
    {
      for (int node = 0; node < nodes_.nnodes(); node++)
        if (coords_[node].empty() && switches_[node].empty())
          throw std::runtime_error("it has no line for host " + hosts_[node] + " of rank " +
                                   std::to_string(nodes_.ranks_of(node)[0]) +
                                   "; each node needs one");
      if (ndims_ == 0) return std::make_unique<SwitchNetwork>(switches_);
      if (sizes_.empty()) sizes_.assign(ndims_, 0);
      return std::make_unique<TorusNetwork>(sizes_, coords_);
    }

   private:
    const RankNodes &nodes_;
    const Words &hosts_;
    int nline_ = 0, ndims_ = 0;
    bool has_switches_ = false;
    std::vector<int> sizes_;
    std::vector<std::vector<int>> coords_;
    std::vector<Words> switches_;

    [[noreturn]] void fail(const std::string &what) const
    {
      throw std::runtime_error("line " + std::to_string(nline_) + ": " + what);
    }

    int number(const std::string &word) const
    {
      int value = 0;
      const char *const end = word.data() + word.size();
      const auto [rest, status] = std::from_chars(word.data(), end, value);
      if (!is_number(word) || status != std::errc() || rest != end)
        fail("'" + word + "' is no whole number from 0 on");
      return value;
    }

    void read_sizes(const Words &words)
    {
      if (!sizes_.empty()) fail("a second line 'torus'");
      if (ndims_ || has_switches_) fail("'torus' must be before all nodes");
      if (words.size() < 2) fail("'torus' needs the sizes of the rings");
      for (std::size_t i = 1; i < words.size(); i++) sizes_.push_back(number(words[i]));
    }

    void read_node(const Words &words)
    {
      if (words.size() < 2) fail("'" + words[0] + "' has neither coordinates nor switches");
      const bool by_switches = words.size() == 2 && !is_number(words[1]);
      if (by_switches ? ndims_ > 0 || !sizes_.empty() : has_switches_)
        fail("some nodes have coordinates and some have switches; it must be the same for all");
      if (by_switches) {
        const Words names = parts_of(words[1], '.');
        if (std::count(names.begin(), names.end(), ""))
          fail("'" + words[1] + "' has a switch without a name");
        has_switches_ = true;
        for (int node : nodes_named(words[0])) switches_[node] = names;
        return;
      }
      const std::vector<int> coords = coords_in(words);
      for (int node : nodes_named(words[0])) coords_[node] = coords;
    }

    std::vector<int> coords_in(const Words &words)
    {
      std::vector<int> coords;
      for (std::size_t i = 1; i < words.size(); i++) coords.push_back(number(words[i]));
      const int n = static_cast<int>(coords.size());
      const int wanted = sizes_.empty() ? ndims_ ? ndims_ : n : static_cast<int>(sizes_.size());
      if (n != wanted)
        fail(std::to_string(n) + " coordinates, there must be " + std::to_string(wanted));
      for (int dim = 0; dim < n; dim++)
        if (!sizes_.empty() && sizes_[dim] && coords[dim] >= sizes_[dim])
          fail("coordinate " + std::to_string(coords[dim]) + " is not below " +
               std::to_string(sizes_[dim]) + ", the size of the ring");
      ndims_ = n;
      return coords;
    }

    // hosts of other jobs are allowed, ranks of them are not

    std::vector<int> nodes_named(const std::string &name) const
    {
      if (is_number(name)) {
        const int rank = number(name);
        if (rank >= nodes_.nranks())
          fail("rank " + name + ", there are ranks 0 to " + std::to_string(nodes_.nranks() - 1));
        return {nodes_.node_of(rank)};
      }
      std::vector<int> found;
      for (int node = 0; node < nodes_.nnodes(); node++)
        if (hosts_[node] == name || without_domain(hosts_[node]) == name) found.push_back(node);
      return found;
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<NodeNetwork> read_network(std::istream &file, const RankNodes &nodes,
                                          const std::vector<std::string> &hosts)
{
  return NetworkFile(file, nodes, hosts).network();
}

/* ---------------------------------------------------------------------- */

std::unique_ptr<NodeNetwork> slurm_network(const std::vector<std::string> &addresses,
                                           const std::string &pattern)
{
  const std::size_t nparts = parts_of(pattern, '.').size();
  if (nparts < 2) return nullptr;
  std::vector<SwitchNetwork::Switches> switches;
  for (const std::string &address : addresses) {
    Words parts = parts_of(address, '.');
    if (parts.size() < nparts) return nullptr;
    parts.resize(nparts - 1);    // the name of a node may have points
    switches.push_back(std::move(parts));
  }
  auto network = std::make_unique<SwitchNetwork>(switches);
  if (network->is_one_switch()) return nullptr;
  return network;
}

/* ---------------------------------------------------------------------- */

std::unique_ptr<NodeNetwork> torus_of_system(const std::vector<int> &sizes,
                                             const std::vector<std::vector<int>> &coords)
{
  for (const std::vector<int> &place : coords) {
    if (place.size() != sizes.size()) return nullptr;
    for (std::size_t dim = 0; dim < sizes.size(); dim++)
      if (place[dim] < 0 || (sizes[dim] && place[dim] >= sizes[dim])) return nullptr;
  }
  if (std::all_of(coords.begin(), coords.end(), [&](const auto &at) { return at == coords[0]; }))
    return nullptr;
  return std::make_unique<TorusNetwork>(sizes, coords);
}

}    // namespace TOFU_NS
