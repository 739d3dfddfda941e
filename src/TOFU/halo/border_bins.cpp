// SPDX-License-Identifier: GPL-2.0-only

#include "border_bins.h"

namespace TOFU_NS {

void BorderBins::build(const HaloPlan &plan, const BorderAtoms &atoms, SendLists &lists)
{
  set_limits(plan, atoms);
  classify(atoms);
  set_swaps_of_bins(plan);
  fill(plan, lists);
}

/* ---------------------------------------------------------------------- */

void BorderBins::set_limits(const HaloPlan &plan, const BorderAtoms &atoms)
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
   the limits recede from shell to shell, so the first that fails ends the
   count; the compares are inclusive, as in comm_style brick
------------------------------------------------------------------------- */

void BorderBins::classify(const BorderAtoms &atoms)
{
  const int nbins = (digit_[0].nlow + 1) * (digit_[0].nhigh + 1) * (digit_[1].nlow + 1) *
      (digit_[1].nhigh + 1) * (digit_[2].nlow + 1) * (digit_[2].nhigh + 1);
  bin_count_.assign(nbins, 0);
  border_.clear();

  for (int i = 0; i < atoms.natoms; i++) {
    const int kind = atoms.kind ? atoms.kind[i] : 0;
    int bin = 0;
    for (int dim = 2; dim >= 0; dim--) {
      const Digit &digit = digit_[dim];
      const double coord = atoms.x[3 * i + dim];
      const double *low = digit.low.data() + kind * digit.nlow;
      const double *high = digit.high.data() + kind * digit.nhigh;
      int nlow = 0, nhigh = 0;
      while (nlow < digit.nlow && coord <= low[nlow]) nlow++;
      while (nhigh < digit.nhigh && coord >= high[nhigh]) nhigh++;
      bin = (bin * (digit.nhigh + 1) + nhigh) * (digit.nlow + 1) + nlow;
    }
    if (bin == 0) continue;
    border_.push_back({i, bin});
    bin_count_[bin]++;
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

void BorderBins::fill(const HaloPlan &plan, SendLists &lists)
{
  count_.assign(plan.swaps.size(), 0);
  for (std::size_t bin = 0; bin < bin_count_.size(); bin++)
    for (int k = swaps_first_[bin]; k < swaps_first_[bin + 1]; k++)
      count_[swaps_of_[k]] += bin_count_[bin];

  lists.allot(count_);
  cursor_.resize(count_.size());
  for (std::size_t swap = 0; swap < count_.size(); swap++)
    cursor_[swap] = lists.list(static_cast<int>(swap));
  for (const BorderAtom &atom : border_)
    for (int k = swaps_first_[atom.bin]; k < swaps_first_[atom.bin + 1]; k++)
      *cursor_[swaps_of_[k]]++ = atom.index;
}

}    // namespace TOFU_NS
