// SPDX-License-Identifier: GPL-2.0-only

#include "gathered_atoms.h"

#include <algorithm>
#include <tuple>

using namespace TOFU_NS;

static constexpr double FAR = 1.0e12;    // coordinate of the atom that is far away from all others

bool AtomsToGather::same_owned(const AtomsToGather &other) const
{
  const auto fields = [](const AtomsToGather &a) {
    return std::tie(a.natoms, a.x, a.type, a.fourth, a.singly, a.center[0], a.center[1],
                    a.center[2]);
  };
  return fields(*this) == fields(other);
}

void GatheredAtoms::renew(const AtomsToGather &from, int ncopies)
{
  if (!from.same_owned(from_)) forget_ahead();
  from_ = from;
  fourth_ = from.fourth;
  while (static_cast<int>(copies_.size()) < ncopies) copies_.push_back(std::make_unique<Copy>());
  for (auto &copy : copies_) copy->missing = Missing::ALL;
}

void GatheredAtoms::renew_fourth(const double *fourth)
{
  fourth_ = fourth;
  for (auto &copy : copies_)
    if (copy->missing == Missing::NOTHING) copy->missing = Missing::FOURTH;
  forget_ahead();
}

template <class Real> static void set_far(Real *row)
{
  row[0] = row[1] = row[2] = static_cast<Real>(FAR);
  row[3] = 0;
}

void GatheredAtoms::begin(int copy)
{
  Copy &to = *copies_[copy];
  const std::size_t far = from_.natoms;
  if (from_.singly)
    set_far(to.singles.room(4 * (far + 1)) + 4 * far);
  else
    set_far(to.rows.room(4 * (far + 1)) + 4 * far);
  if (from_.type) to.types.room(far + 1)[far] = 1;
}

void GatheredAtoms::fill(int copy, int first, int last)
{
  Copy &to = *copies_[copy];
  if (to.missing == Missing::FOURTH) {
    fill_fourth(to, first, last);
    return;
  }
  fill_all(to, fourth_, first, std::min(last, to.ahead_first));
  fill_all(to, fourth_, std::max(first, to.ahead_last), last);
}

void GatheredAtoms::end(int copy)
{
  Copy &of = *copies_[copy];
  of.missing = Missing::NOTHING;
  of.ahead_first = of.ahead_last = 0;
}

void GatheredAtoms::fill_ahead(int copy, int first, int last)
{
  if (missing(copy) != Missing::ALL) fill_all(*copies_[copy], from_.fourth, first, last);
}

void GatheredAtoms::note_ahead(int copy, int first, int last)
{
  Copy &of = *copies_[copy];
  if (of.missing == Missing::ALL) return;
  of.ahead_first = first;
  of.ahead_last = last;
}

void GatheredAtoms::forget_ahead()
{
  for (auto &copy : copies_) copy->ahead_first = copy->ahead_last = 0;
}

// coordinates in single precision are small, and so exact, when they count from the center

template <class Real>
static void fill_rows(const AtomsToGather &from, const double *fourth, Real *rows,
                      std::size_t begin, std::size_t end)
{
  for (std::size_t i = begin; i < end; i++) {
    const double *const x = from.x + 3 * i;
    for (int dim = 0; dim < 3; dim++)
      rows[4 * i + dim] =
          static_cast<Real>(sizeof(Real) < sizeof(double) ? x[dim] - from.center[dim] : x[dim]);
    rows[4 * i + 3] = fourth ? static_cast<Real>(fourth[i]) : 0;
  }
}

template <class Real> static void set_fourth(const double *fourth, Real *rows, int first, int last)
{
  for (std::size_t i = first; i < static_cast<std::size_t>(last); i++)
    rows[4 * i + 3] = fourth ? static_cast<Real>(fourth[i]) : 0;
}

void GatheredAtoms::fill_all(Copy &to, const double *fourth, int first, int last) const
{
  if (first >= last) return;
  if (from_.type) std::copy(from_.type + first, from_.type + last, to.types.data() + first);
  if (from_.singly) {
    fill_rows(from_, fourth, to.singles.data(), first, last);
    return;
  }
  const int end = from_.ghosts ? std::clamp(from_.nowned, first, last) : last;
  fill_rows(from_, fourth, to.rows.data(), first, end);
  if (end == last) return;
  from_.ghosts(end, last, to.rows.data());
  set_fourth(fourth, to.rows.data(), end, last);
}

void GatheredAtoms::fill_fourth(Copy &to, int first, int last) const
{
  if (from_.singly)
    set_fourth(fourth_, to.singles.data(), first, last);
  else
    set_fourth(fourth_, to.rows.data(), first, last);
}

PairAtoms GatheredAtoms::atoms(int copy) const
{
  const Copy &from = *copies_[copy];
  return {from_.singly ? nullptr : from.rows.data(), from_.type ? from.types.data() : nullptr,
          from_.singly ? from.singles.data() : nullptr};
}

double GatheredAtoms::nbytes() const
{
  double bytes = 0.0;
  for (const auto &copy : copies_)
    bytes +=
        static_cast<double>(copy->rows.nbytes() + copy->singles.nbytes() + copy->types.nbytes());
  return bytes;
}
