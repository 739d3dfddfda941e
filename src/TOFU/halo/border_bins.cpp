// SPDX-License-Identifier: GPL-2.0-only

#include "border_bins.h"

#include <algorithm>

namespace TOFU_NS {

static constexpr int TOO_FEW = 1000;    // atoms of a part that are not worth a fork

void BorderBins::build(const HaloPlan &plan, const BorderCandidates &atoms, SendLists &lists,
                       const Parts &all_parts)
{
  const Parts parts = all_parts.for_work(atoms.natoms, TOO_FEW);
  set_limits(plan, atoms);
  classify(atoms, parts);
  count_bins();
  set_swaps_of_bins(plan);
  fill(plan, lists, parts);
  if (plan.corner_cutsq > 0.0) round_corners(plan, atoms, lists);
}

/* ---------------------------------------------------------------------- */

void BorderBins::set_limits(const HaloPlan &plan, const BorderCandidates &atoms)
{
  for (int dim = 0; dim < 3; dim++) {
    Digit &digit = digit_[dim];
    digit.nlow = static_cast<int>(plan.below[dim].size());
    digit.nhigh = static_cast<int>(plan.above[dim].size());
    digit.low.clear();
    digit.high.clear();
    for (int kind = 0; kind < atoms.nkinds; kind++) {
      const double cut = atoms.cut[3 * kind + dim];
      for (double edge : plan.below[dim]) digit.low.push_back(edge + cut);
      for (double edge : plan.above[dim]) digit.high.push_back(edge - cut);
    }
  }
}

/* ----------------------------------------------------------------------
   no branch depends on where an atom is: a third of all atoms is often near a
   face, which no branch predictor learns.  The limits recede from shell to
   shell, so that counting those passed needs no early end; the compares are
   inclusive, as in comm_style brick
------------------------------------------------------------------------- */

void BorderBins::classify(const BorderCandidates &atoms, const Parts &parts)
{
  bin_of_.resize(atoms.natoms);
  if (border_.size() < bin_of_.size()) border_.resize(bin_of_.size());
  shares_.resize(parts.n());
  parts.share(atoms.natoms, [&](int part, int first, int last) {
    shares_[part].bin_count.assign(classify_share(atoms, first, last), 0);
    collect(first, last, shares_[part]);
  });
}

/* ----------------------------------------------------------------------
   Returns: # of bins
------------------------------------------------------------------------- */

int BorderBins::classify_share(const BorderCandidates &atoms, int first, int last)
{
  std::fill(bin_of_.begin() + first, bin_of_.begin() + last, 0);
  int weight = 1;
  for (int dim = 0; dim < 3; dim++) {
    const Digit &digit = digit_[dim];
    for (int m = 0; m < digit.nlow; m++)
      add_passed(atoms, first, last, dim, digit.low.data() + m, digit.nlow, weight,
                 std::less_equal<double>());
    weight *= digit.nlow + 1;
    for (int m = 0; m < digit.nhigh; m++)
      add_passed(atoms, first, last, dim, digit.high.data() + m, digit.nhigh, weight,
                 std::greater_equal<double>());
    weight *= digit.nhigh + 1;
  }
  return weight;
}

/* ----------------------------------------------------------------------
   its border atoms, for now where its atoms begin
------------------------------------------------------------------------- */

void BorderBins::collect(int first, int last, Share &share)
{
  BorderAtom *const border = border_.data() + first;
  int *const count = share.bin_count.data();
  int n = 0;
  for (int i = first; i < last; i++) {
    border[n] = {i, bin_of_[i]};
    n += bin_of_[i] != 0;
    count[bin_of_[i]]++;
  }
  share.begin = first;
  share.nborder = n;
}

/* ---------------------------------------------------------------------- */

void BorderBins::count_bins()
{
  bin_count_.assign(shares_[0].bin_count.size(), 0);
  for (const Share &share : shares_)
    for (std::size_t bin = 1; bin < bin_count_.size(); bin++)    // but for the interior
      bin_count_[bin] += share.bin_count[bin];
}

/* ----------------------------------------------------------------------
   add weight to the bin of every atom that has passed a limit, which is
   limits[kind*stride] for an atom of that kind; with a mask, since compilers
   make a branch of a conditional here
------------------------------------------------------------------------- */

template <class Passed>
void BorderBins::add_passed(const BorderCandidates &atoms, int first, int last, int dim,
                            const double *limits, int stride, int weight, Passed passed)
{
  const double *x = atoms.x + dim;
  int *bin = bin_of_.data();
  if (atoms.kind) {
    for (int i = first; i < last; i++)
      bin[i] += weight & -static_cast<int>(passed(x[3 * i], limits[atoms.kind[i] * stride]));
  } else {
    const double limit = limits[0];
    for (int i = first; i < last; i++)
      bin[i] += weight & -static_cast<int>(passed(x[3 * i], limit));
  }
}

/* ---------------------------------------------------------------------- */

void BorderBins::set_swaps_of_bins(const HaloPlan &plan)
{
  const int nbins = static_cast<int>(bin_count_.size());
  swaps_first_.assign(nbins + 1, 0);
  swaps_of_.clear();
  for (int bin = 0; bin < nbins; bin++) {
    swaps_first_[bin] = static_cast<int>(swaps_of_.size());
    if (bin_count_[bin] == 0) continue;

    int wanted[3][2];    // how many receivers below and above want atoms of this bin
    int rest = bin;
    for (int dim = 0; dim < 3; dim++) {
      wanted[dim][0] = rest % (digit_[dim].nlow + 1);
      rest /= digit_[dim].nlow + 1;
      wanted[dim][1] = rest % (digit_[dim].nhigh + 1);
      rest /= digit_[dim].nhigh + 1;
    }
    for (std::size_t swap = 0; swap < plan.swaps.size(); swap++) {
      if (plan.swaps[swap].sendproc < 0) continue;
      const auto &offset = plan.swaps[swap].offset;
      bool inside = true;
      for (int dim = 0; dim < 3; dim++)
        inside = inside && -offset[dim] <= wanted[dim][0] && offset[dim] <= wanted[dim][1];
      if (inside) swaps_of_.push_back(static_cast<int>(swap));
    }
  }
  swaps_first_[nbins] = static_cast<int>(swaps_of_.size());
}

/* ---------------------------------------------------------------------- */

void BorderBins::fill(const HaloPlan &plan, SendLists &lists, const Parts &parts)
{
  count_.assign(plan.swaps.size(), 0);
  for (std::size_t bin = 0; bin < bin_count_.size(); bin++)
    for (int k = swaps_first_[bin]; k < swaps_first_[bin + 1]; k++)
      count_[swaps_of_[k]] += bin_count_[bin];

  lists.allot(count_);
  set_cursors(lists);
  parts.run([&](int part) {
    Share &share = shares_[part];
    int **const cursor = share.cursor.data();
    for (int n = share.begin; n < share.begin + share.nborder; n++) {
      const BorderAtom &atom = border_[n];
      for (int k = swaps_first_[atom.bin]; k < swaps_first_[atom.bin + 1]; k++)
        *cursor[swaps_of_[k]]++ = atom.index;
    }
  });
}

/* ----------------------------------------------------------------------
   those of a share follow those of the shares before
------------------------------------------------------------------------- */

void BorderBins::set_cursors(SendLists &lists)
{
  std::vector<int *> next;
  for (int swap = 0; swap < lists.nswaps(); swap++) next.push_back(lists.list(swap));
  for (Share &share : shares_) {
    share.cursor = next;
    for (std::size_t bin = 1; bin < bin_count_.size(); bin++)
      for (int k = swaps_first_[bin]; k < swaps_first_[bin + 1]; k++)
        next[swaps_of_[k]] += share.bin_count[bin];
  }
}

/* ----------------------------------------------------------------------
   an atom near a face of the receiver is within reach of it; near an edge or
   a corner its distance decides.  The lists stay in ascending order
------------------------------------------------------------------------- */

void BorderBins::round_corners(const HaloPlan &plan, const BorderCandidates &atoms,
                               SendLists &lists)
{
  for (int swap = 0; swap < static_cast<int>(plan.swaps.size()); swap++) {
    const auto &offset = plan.swaps[swap].offset;
    double edge[3] = {0.0, 0.0, 0.0}, sign[3] = {0.0, 0.0, 0.0};
    int ndims = 0;
    for (int dim = 0; dim < 3; dim++) {
      const int m = offset[dim];
      if (m == 0) continue;
      edge[dim] = m > 0 ? plan.above[dim][m - 1] : plan.below[dim][-m - 1];
      sign[dim] = m > 0 ? 1.0 : -1.0;
      ndims++;
    }
    count_[swap] = lists.count(swap);
    if (ndims < 2 || count_[swap] == 0) continue;

    auto beyond = [&](int i) {
      const double *x = atoms.x + 3 * static_cast<std::size_t>(i);
      double distsq = 0.0;
      for (int dim = 0; dim < 3; dim++) {
        const double gap = std::max(sign[dim] * (edge[dim] - x[dim]), 0.0);
        distsq += gap * gap;
      }
      return distsq > plan.corner_cutsq;
    };
    int *list = lists.list(swap);
    count_[swap] = static_cast<int>(std::remove_if(list, list + count_[swap], beyond) - list);
  }
  lists.shrink(count_);
}

}    // namespace TOFU_NS
