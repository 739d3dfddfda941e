// SPDX-License-Identifier: GPL-2.0-only

#include "placement.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace TOFU_NS {

namespace {

  // so many times the fewest off-node ghosts are as good, if there are fewer ghosts in all for it

  constexpr double AS_GOOD = 1.005;

  // grids with so many times the fewest ghosts are left out, since ranks compute with all ghosts;
  // what links can be saved is worth more than what off-node ghosts can

  constexpr double MOST_GHOSTS = 1.2;
  constexpr double MOST_GHOSTS_FOR_LINKS = 1.5;

  // sums that differ by less are the same

  constexpr double SAME = 1e-9;

  // pairs of nodes that may be looked at, about two seconds, and grids that are tried in any case

  constexpr double MOST_PAIRS = 5e7;
  constexpr double FEWEST_TRIED = 8.0;

  bool is_less(double a, double b)
  {
    return a < b * (1.0 - SAME);
  }

  /** A grid of ranks, and the block of each node. */
  struct Blocks {
    GridSize procgrid, block;
    GhostTraffic traffic;
  };

  bool divides(const GridSize &block, const GridSize &procgrid)
  {
    return procgrid[0] % block[0] == 0 && procgrid[1] % block[1] == 0 &&
        procgrid[2] % block[2] == 0;
  }

  std::vector<Blocks> all_blocks(const GhostBox &box, const RankNodes &nodes, double most_ghosts)
  {
    const std::vector<GridSize> procgrids = grids_of(nodes.nranks(), box.dimension),
                                blocks = grids_of(nodes.most(), box.dimension);
    double fewest = std::numeric_limits<double>::max();
    for (const GridSize &procgrid : procgrids) fewest = std::min(fewest, all_ghosts(box, procgrid));

    std::vector<Blocks> found;
    for (const GridSize &procgrid : procgrids) {
      if (all_ghosts(box, procgrid) > most_ghosts * fewest) continue;
      for (const GridSize &block : blocks)
        if (divides(block, procgrid))
          found.push_back({procgrid, block, traffic_of_blocks(box, procgrid, block)});
    }
    return found;
  }

  /** Nodes in the order of their ranks, along the dimensions in one of the six orders. */
  std::vector<int> nodes_in_order(const GridSize &size, const DimOrder &order)
  {
    std::vector<int> nodes(ncells(size));
    for (int index = 0; index < ncells(size); index++)
      nodes[index] = index_in_order(size, cell_at(size, index), order);
    return nodes;
  }

  /** Ranks of a node follow each other along the dimensions of its block in the given order. */
  Placement ranks_of_blocks(const Blocks &blocks, const RankNodes &nodes,
                            const std::vector<int> &node_at, const DimOrder &order)
  {
    const GridSize &block = blocks.block, size = blocks_of(blocks.procgrid, block);
    Placement placement{blocks.procgrid, std::vector<int>(ncells(blocks.procgrid))};
    for (int index = 0; index < ncells(blocks.procgrid); index++) {
      const Cell cell = cell_at(blocks.procgrid, index);
      const Cell outer{cell[0] / block[0], cell[1] / block[1], cell[2] / block[2]};
      const Cell inner{cell[0] % block[0], cell[1] % block[1], cell[2] % block[2]};
      const int node = node_at[cell_index(size, outer)];
      placement.rank_at[index] = nodes.ranks_of(node)[index_in_order(block, inner, order)];
    }
    return placement;
  }

  // ---- nothing is known of the network

  const Blocks &blocks_with_fewest_ghosts(const std::vector<Blocks> &all)
  {
    double fewest = std::numeric_limits<double>::max();
    for (const Blocks &blocks : all) fewest = std::min(fewest, blocks.traffic.off_node);
    const Blocks *best = nullptr;
    for (const Blocks &blocks : all)
      if (blocks.traffic.off_node <= AS_GOOD * fewest &&
          (!best || is_less(blocks.traffic.all, best->traffic.all)))
        best = &blocks;
    return *best;
  }

  // ---- the network is known

  /** Places of nodes for grids and blocks, the best of those that have been tried. */
  class NodePlaces {
   public:
    NodePlaces(const GhostBox &box, const NodeNetwork &network) : box_(box), network_(network) {}

    const Blocks &blocks() const { return *blocks_; }
    const std::vector<int> &node_at() const { return node_at_; }
    const DimOrder &order() const { return *order_; }
    double links() const { return links_; }

    void try_all_ways(const Blocks &blocks)
    {
      const GridSize size = blocks_of(blocks.procgrid, blocks.block);
      for (const DimOrder &order : DIM_ORDERS) try_one(blocks, nodes_in_order(size, order), order);
      std::array<double, 3> edge;
      for (int dim = 0; dim < 3; dim++) edge[dim] = box_.length[dim] / size[dim];
      for (std::vector<int> &node_at : network_.layouts(size, edge))
        try_one(blocks, std::move(node_at), DIM_ORDERS[0]);
    }

   private:
    const GhostBox &box_;
    const NodeNetwork &network_;
    const Blocks *blocks_ = nullptr;
    std::vector<int> node_at_;
    const DimOrder *order_ = nullptr;
    double links_ = std::numeric_limits<double>::max();

    void try_one(const Blocks &blocks, std::vector<int> node_at, const DimOrder &order)
    {
      const double links = links_of_blocks(box_, blocks.procgrid, blocks.block, node_at,
                                           [this](int a, int b) { return network_.links(a, b); });
      if (!is_less(links, links_)) return;
      links_ = links;
      blocks_ = &blocks;
      node_at_ = std::move(node_at);
      order_ = &order;
    }
  };

  /** Grids that lie along the network first, then those with few ghosts; those that cannot have
      fewer links are left out, since each ghost passes one at least. */
  NodePlaces places_with_fewest_links(const GhostBox &box, const RankNodes &nodes,
                                      const NodeNetwork &network, const std::vector<Blocks> &all)
  {
    using Key = std::pair<bool, double>;
    std::vector<std::pair<Key, const Blocks *>> order;
    for (const Blocks &blocks : all)
      order.push_back(
          {{!network.fits(blocks_of(blocks.procgrid, blocks.block)), blocks.traffic.off_node},
           &blocks});
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });

    constexpr double PAIRS = 13.0, WAYS = 8.0;    // of a node, and of a grid; about
    double left = std::max(FEWEST_TRIED, MOST_PAIRS / (PAIRS * WAYS * nodes.nnodes()));
    NodePlaces places(box, network);
    for (const auto &[key, blocks] : order) {
      if (!is_less(blocks->traffic.off_node, places.links())) continue;
      places.try_all_ways(*blocks);
      if (--left < 0.0) break;
    }
    return places;
  }

  // ---- and what that means for the traffic

  GhostTraffic traffic_of(const GhostBox &box, const RankNodes &nodes, const NodeNetwork *network,
                          const Placement &placement)
  {
    std::vector<int> node_at;
    for (int rank : placement.rank_at) node_at.push_back(nodes.node_of(rank));
    return count_traffic(box, placement.procgrid, node_at,
                         [network](int a, int b) { return network ? network->links(a, b) : 1; });
  }

}    // namespace

/* ---------------------------------------------------------------------- */

PlacementChoice choose_placement(const GhostBox &box, const RankNodes &nodes,
                                 const NodeNetwork *network, const Placement &default_place)
{
  const std::vector<Blocks> all =
      all_blocks(box, nodes, network ? MOST_GHOSTS_FOR_LINKS : MOST_GHOSTS);
  PlacementChoice choice;
  choice.before = traffic_of(box, nodes, network, default_place);
  if (network) {
    const NodePlaces places = places_with_fewest_links(box, nodes, *network, all);
    choice.block = places.blocks().block;
    choice.placement = ranks_of_blocks(places.blocks(), nodes, places.node_at(), places.order());
  } else {
    const Blocks &blocks = blocks_with_fewest_ghosts(all);
    const DimOrder &order = DIM_ORDERS[0];
    choice.block = blocks.block;
    choice.placement = ranks_of_blocks(
        blocks, nodes, nodes_in_order(blocks_of(blocks.procgrid, blocks.block), order), order);
  }
  choice.after = traffic_of(box, nodes, network, choice.placement);
  choice.is_default = !is_less(choice.after.links, choice.before.links);
  if (choice.is_default) {
    choice.placement = default_place;
    choice.after = choice.before;
  }
  return choice;
}

}    // namespace TOFU_NS
