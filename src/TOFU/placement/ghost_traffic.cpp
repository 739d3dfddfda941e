// SPDX-License-Identifier: GPL-2.0-only

#include "ghost_traffic.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

namespace {

  double overlap(double lo, double hi, double otherlo, double otherhi)
  {
    return std::max(0.0, std::min(hi, otherhi) - std::max(lo, otherlo));
  }

  // one dimension: volumes are products of such lengths, since sub-boxes and blocks are bricks

  class Line {
   public:
    Line(const GhostBox &box, const GridSize &procgrid, int dim) :
        length_(box.length[dim]), n_(procgrid[dim]), edge_(length_ / n_),
        cut_(dim == 2 && box.dimension == 2 ? 0.0 : box.cutghost),
        periodic_(box.periodic[dim] && cut_ > 0.0)
    {
    }

    /** Shifts by so many blocks, and no more, have ghosts. */
    int reach(int block) const
    {
      const int nshifts = static_cast<int>(std::ceil(cut_ / (block * edge_)));
      return periodic_ ? nshifts : std::min(nshifts, n_ / block - 1);
    }

    /** Length of what the ranks of a block see of the block that is so many further on. */
    double seen(int block, int shift) const
    {
      double sum = 0.0;
      const double lo = static_cast<double>(shift) * block * edge_, hi = lo + block * edge_;
      for (int i = 0; i < block; i++)
        sum += overlap(i * edge_ - cut_, (i + 1) * edge_ + cut_, lo, hi);
      return sum;
    }

    /** The same, summed over all blocks, of the block itself and its images. */
    double seen_of_own(int block) const
    {
      double sum = seen(block, 0);
      const int nblocks = n_ / block;
      for (int shift = nblocks; periodic_ && shift <= reach(block); shift += nblocks)
        sum += seen(block, shift) + seen(block, -shift);
      return sum * nblocks;
    }

    /** Length of what all ranks see. */
    double seen_of_all() const
    {
      if (periodic_) return n_ * (edge_ + 2.0 * cut_);
      double sum = 0.0;
      for (int i = 0; i < n_; i++)
        sum += overlap(i * edge_ - cut_, (i + 1) * edge_ + cut_, 0.0, length_);
      return sum;
    }

    /** [blocks] the block that is so many further on; -1 if that is beyond a boundary. */
    std::vector<int> shifted(int block, int shift) const
    {
      const int nblocks = n_ / block;
      std::vector<int> to(nblocks, -1);
      for (int i = 0; i < nblocks; i++)
        if (i + shift >= 0 && i + shift < nblocks)
          to[i] = i + shift;
        else if (periodic_)
          to[i] = ((i + shift) % nblocks + nblocks) % nblocks;
      return to;
    }

   private:
    double length_;
    int n_;
    double edge_, cut_;
    bool periodic_;
  };

  struct Lines {
    Line x, y, z;

    Lines(const GhostBox &box, const GridSize &procgrid) :
        x(box, procgrid, 0), y(box, procgrid, 1), z(box, procgrid, 2)
    {
    }
  };

  double volume(const GhostBox &box)
  {
    return box.length[0] * box.length[1] * box.length[2];
  }

  /** Blocks that are shifted along one dimension. */
  struct Shift {
    int by;
    double seen;            // length of what a block sees of the other one
    std::vector<int> to;    // [blocks] the other one, -1: none
  };

  std::vector<Shift> shifts_of(const Line &line, int block)
  {
    std::vector<Shift> shifts;
    for (int by = -line.reach(block); by <= line.reach(block); by++)
      if (const double seen = line.seen(block, by); seen > 0.0)
        shifts.push_back({by, seen, line.shifted(block, by)});
    return shifts;
  }

  // calls use(block, other block, volume of the ghosts that they have of each other); a block and
  // itself are such a pair, too.  Of two opposite shifts one is enough, since both have the same
  // pairs

  template <class Use>
  void for_pairs(const GhostBox &box, const GridSize &procgrid, const GridSize &block, Use &&use)
  {
    const Lines line(box, procgrid);
    const GridSize size = blocks_of(procgrid, block);
    const std::vector<Shift> xs = shifts_of(line.x, block[0]), ys = shifts_of(line.y, block[1]),
                             zs = shifts_of(line.z, block[2]);
    for (const Shift &sz : zs)
      for (const Shift &sy : ys)
        for (const Shift &sx : xs) {
          const std::array<int, 3> shift{sz.by, sy.by, sx.by}, none{0, 0, 0};
          if (shift < none) continue;
          const double ghosts =
              sx.seen * sy.seen * sz.seen / volume(box) * (shift == none ? 1.0 : 2.0);
          std::size_t index = 0;
          for (int z = 0; z < size[2]; z++)
            for (int y = 0; y < size[1]; y++)
              for (int x = 0; x < size[0]; x++, index++) {
                const Cell other{sx.to[x], sy.to[y], sz.to[z]};
                if (other[0] >= 0 && other[1] >= 0 && other[2] >= 0)
                  use(index, cell_index(size, other), ghosts);
              }
        }
  }

}    // namespace

/* ---------------------------------------------------------------------- */

GhostTraffic count_traffic(const GhostBox &box, const GridSize &procgrid,
                           const std::vector<int> &nodes, const LinksBetween &links)
{
  GhostTraffic traffic;
  traffic.all = -1.0;    // the sub-boxes themselves
  for_pairs(box, procgrid, {1, 1, 1}, [&](std::size_t cell, std::size_t other, double ghosts) {
    traffic.all += ghosts;
    if (nodes[cell] == nodes[other]) return;
    traffic.off_node += ghosts;
    traffic.links += ghosts * links(nodes[cell], nodes[other]);
  });
  return traffic;
}

/* ---------------------------------------------------------------------- */

double all_ghosts(const GhostBox &box, const GridSize &procgrid)
{
  const Lines line(box, procgrid);
  return line.x.seen_of_all() * line.y.seen_of_all() * line.z.seen_of_all() / volume(box) - 1.0;
}

/* ---------------------------------------------------------------------- */

GhostTraffic traffic_of_blocks(const GhostBox &box, const GridSize &procgrid, const GridSize &block)
{
  const Lines line(box, procgrid);
  const double on_node = line.x.seen_of_own(block[0]) * line.y.seen_of_own(block[1]) *
      line.z.seen_of_own(block[2]) / volume(box);
  GhostTraffic traffic;
  traffic.all = all_ghosts(box, procgrid);
  traffic.off_node = traffic.all + 1.0 - on_node;
  return traffic;
}

/* ---------------------------------------------------------------------- */

double links_of_blocks(const GhostBox &box, const GridSize &procgrid, const GridSize &block,
                       const std::vector<int> &nodes, const LinksBetween &links)
{
  double sum = 0.0;
  for_pairs(box, procgrid, block, [&](std::size_t cell, std::size_t other, double ghosts) {
    if (nodes[cell] != nodes[other]) sum += ghosts * links(nodes[cell], nodes[other]);
  });
  return sum;
}

}    // namespace TOFU_NS
