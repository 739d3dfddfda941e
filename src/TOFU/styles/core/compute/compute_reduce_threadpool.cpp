// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_reduce_threadpool.h"

#include "threadpool/fixes/fix_calls.h"

#include "arg_info.h"
#include "atom.h"
#include "fix.h"
#include "update.h"

#include <array>
#include <cmath>
#include <cstddef>

using namespace LAMMPS_NS;

/** A value of each atom. */
struct ComputeReduceThreadpool::Column {
  const double *first = nullptr;    // nullptr: none, or no atom has one
  std::size_t stride = 1;

  Column() = default;
  explicit Column(const double *vector) : first(vector) {}
  Column(double **rows, int column, int ncolumns) :
      first(rows ? rows[0] + column : nullptr), stride(ncolumns)
  {
  }
  double operator[](int i) const { return first[i * stride]; }
};

/* ----------------------------------------------------------------------
   compute reduce reads its own name
------------------------------------------------------------------------- */

ComputeReduceThreadpool::ComputeReduceThreadpool(LAMMPS *lmp, int narg, char **arg) :
    GroupComputeOnPool(lmp, narg, StockArguments(narg, arg).words())
{
}

/* ----------------------------------------------------------------------
   none for what is left to compute reduce, with its errors
------------------------------------------------------------------------- */

ComputeReduceThreadpool::Column ComputeReduceThreadpool::column_of(value_t &val)
{
  const int index = val.argindex;    // from 0 of positions, from 1 of arrays
  switch (val.which) {
    case ArgInfo::X:
      return {atom->x, index, 3};
    case ArgInfo::V:
      return {atom->v, index, 3};
    case ArgInfo::F:
      return {atom->f, index, 3};
    case ArgInfo::COMPUTE: {
      if (!val.val.c) init();
      Compute *const compute = val.val.c;
      if (!(compute->invoked_flag & Compute::INVOKED_PERATOM)) {
        compute->compute_peratom();
        compute->invoked_flag |= Compute::INVOKED_PERATOM;
      }
      if (index == 0) return Column(compute->vector_atom);
      return {compute->array_atom, index - 1, compute->size_peratom_cols};
    }
    case ArgInfo::FIX: {
      if (!val.val.f) init();
      Fix *const fix = val.val.f;
      if (update->ntimestep % fix->peratom_freq) return {};
      if (index == 0) return Column(fix->vector_atom);
      return {fix->array_atom, index - 1, fix->size_peratom_cols};
    }
    default:
      return {};
  }
}

/* ----------------------------------------------------------------------
   the first of the values with the largest key, whose atom is `index`; without one that is larger
   than that of `worst`, this one
------------------------------------------------------------------------- */

template <class Key>
double ComputeReduceThreadpool::best_of(const Column &column, double worst, const Key &key)
{
  const int *const mask = atom->mask, bit = groupbit;
  const double lowest = key(worst);
  const auto best = collect_over_atoms<2>(
      threadpool(), atom->nlocal,
      [=](int first, int last) {
        std::array<double, 2> some{lowest, 0.0};    // key, and index + 1 of the atom
        for (int i = first; i < last; i++)
          if ((mask[i] & bit) && key(column[i]) > some[0]) some = {key(column[i]), i + 1.0};
        return some;
      },
      [](auto &all, const auto &some) {
        if (some[1] > 0.0 && (all[1] == 0.0 || some[0] > all[0])) all = some;
      });
  index = static_cast<int>(best[1]) - 1;
  if (index < 0) return worst;
  return mode == MINN ? -best[0] : best[0];
}

/* ---------------------------------------------------------------------- */

double ComputeReduceThreadpool::compute_one(int m, int flag)
{
  constexpr double MOST = 1.0e20;    // of values that min and max see
  const Column column = flag < 0 && input_mode == PERATOM && mode != MINABS ? column_of(values[m])
                                                                            : Column();
  if (!column.first) return ComputeReduce::compute_one(m, flag);
  index = -1;
  const auto sum_of = [&](const auto &number) {
    return loops().sum<1>([=](int i, auto &sum) { sum[0] += number(column[i]); })[0];
  };
  switch (mode) {
    case SUMSQ:
    case AVESQ:
      return sum_of([](double value) { return value * value; });
    case SUMABS:
    case AVEABS:
      return sum_of([](double value) { return std::fabs(value); });
    case MINN:
      return best_of(column, MOST, [](double value) { return -value; });
    case MAXX:
      return best_of(column, -MOST, [](double value) { return value; });
    case MAXABS:
      return best_of(column, 0.0, [](double value) { return std::fabs(value); });
    default:
      return sum_of([](double value) { return value; });
  }
}

/* ----------------------------------------------------------------------
   # of atoms of a mean
------------------------------------------------------------------------- */

bigint ComputeReduceThreadpool::count(int m)
{
  if (input_mode != PERATOM) return ComputeReduce::count(m);
  const auto mine = loops().sum<1>([](int, auto &n) { n[0] += 1.0; });
  double all;
  sum_over_ranks(lmp, 1, mine.data(), &all);
  return static_cast<bigint>(all);
}
