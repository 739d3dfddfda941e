// SPDX-License-Identifier: GPL-2.0-only

#include "gathered_atoms.h"

#include <algorithm>

using namespace TOFU_NS;

static constexpr double FAR = 1.0e12;    // coordinate of the atom that is far away from all others

void GatheredAtoms::renew(const AtomsToGather &from, int ncopies)
{
  from_ = from;
  while (static_cast<int>(copies_.size()) < ncopies) copies_.push_back(std::make_unique<Copy>());
  for (auto &copy : copies_) copy->missing = Missing::ALL;
}

void GatheredAtoms::set_fourth(const double *fourth)
{
  from_.fourth = fourth;
  for (auto &copy : copies_)
    if (copy->missing == Missing::NOTHING) copy->missing = Missing::FOURTH;
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
  if (to.missing == Missing::ALL)
    fill_all(to, first, last);
  else
    fill_fourth(to, first, last);
}

// coordinates in single precision are small, and so exact, when they count from the center; a row
// is written when all of it is there, so that compilers take two numbers at a time

template <class Real, class Fourth>
static void fill_rows_by(const AtomsToGather &from, Real *rows, std::size_t begin, std::size_t end,
                         const Fourth &fourth)
{
  const bool centers = sizeof(Real) < sizeof(double);
  const double *const x = from.x;
  const double cx = from.center[0], cy = from.center[1], cz = from.center[2];
  for (std::size_t i = begin; i < end; i++) {
    const double xi = x[3 * i], yi = x[3 * i + 1], zi = x[3 * i + 2];
    const Real w = fourth(i);
    Real *const row = rows + 4 * i;
    row[0] = static_cast<Real>(centers ? xi - cx : xi);
    row[1] = static_cast<Real>(centers ? yi - cy : yi);
    row[2] = static_cast<Real>(centers ? zi - cz : zi);
    row[3] = w;
  }
}

template <class Real>
static void fill_rows(const AtomsToGather &from, Real *rows, std::size_t begin, std::size_t end)
{
  const double *const fourth = from.fourth;
  if (fourth)
    fill_rows_by(from, rows, begin, end,
                 [fourth](std::size_t i) { return static_cast<Real>(fourth[i]); });
  else
    fill_rows_by(from, rows, begin, end, [](std::size_t) { return Real(0); });
}

template <class Real> static void copy_fourth(const double *fourth, Real *rows, int first, int last)
{
  for (std::size_t i = first; i < static_cast<std::size_t>(last); i++)
    rows[4 * i + 3] = fourth ? static_cast<Real>(fourth[i]) : 0;
}

void GatheredAtoms::fill_all(Copy &to, int first, int last) const
{
  if (from_.type) std::copy(from_.type + first, from_.type + last, to.types.data() + first);
  if (from_.singly)
    fill_rows(from_, to.singles.data(), first, last);
  else
    fill_rows(from_, to.rows.data(), first, last);
}

void GatheredAtoms::fill_fourth(Copy &to, int first, int last) const
{
  if (from_.singly)
    copy_fourth(from_.fourth, to.singles.data(), first, last);
  else
    copy_fourth(from_.fourth, to.rows.data(), first, last);
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
