// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of owned atoms that are computed by another rank, for which these atoms are ghosts: all
// ranks together give the results of one rank.

#include "unit/kernels/data/compared_values.h"
#include "unit/kernels/manybody/random_eam_tables.h"

#include "kernels/data/row_arena.h"
#include "kernels/manybody/eam.h"
#include "kernels/manybody/sw.h"
#include "kernels/manybody/tersoff.h"
#include "kernels/neighbor/near_rows.h"
#include "kernels/pair/lj_cut.h"

using namespace TOFU_NS;

namespace {

constexpr int NATOMS = 240, NTYPES = 2;
constexpr double CUTOFF = 1.3, WIDTH = 5.0;
const double SPECIAL_LJ[4] = {1.0, 0.0, 0.4, 0.7}, SPECIAL_COUL[4] = {1.0, 1.0, 1.0, 1.0};

struct System {
  std::vector<std::array<double, 3>> x;

  System()
  {
    std::mt19937 random(6);
    std::uniform_real_distribution<double> uniform(0.0, WIDTH);
    while (static_cast<int>(x.size()) < NATOMS) {
      x.push_back({uniform(random), uniform(random), uniform(random)});
      const int last = static_cast<int>(x.size()) - 1;
      for (int i = 0; i < last; i++)
        if (distance(i, last) < 0.65) {
          x.pop_back();
          break;
        }
    }
  }

  double distance(int i, int j) const
  {
    return std::hypot(x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]);
  }
  int type(int i) const { return 1 + i % NTYPES; }
  int bond(int i, int j) const { return (i + j) % 9 < 4 ? (i + j) % 9 : 0; }
  bool in_row(ListKind kind, int i, int j) const
  {
    return i != j && distance(i, j) < 1.2 * CUTOFF &&
        (kind == ListKind::FULL || (i < j) == ((i + j) % 3 > 0));
  }
};

const System &the_system()
{
  static const System system;
  return system;
}

/** A rank with its owned atoms, then all others as ghosts, and the rows of some of them. */
struct Rank {
  using Which = std::function<bool(int atom)>;

  int nlocal = 0;
  std::vector<int> ids;        // [NATOMS]
  std::vector<double> rows;    // [NATOMS+1][4]
  std::vector<int> types;      // [NATOMS+1]
  RowArena arena;
  std::vector<int> atoms, nneighbors, nspecial;
  std::vector<int *> first;

  Rank(const System &system, ListKind kind, const Which &owned, const Which &computed) :
      rows(4 * (NATOMS + 1), 1e12), types(NATOMS + 1, 1), nneighbors(NATOMS), nspecial(NATOMS),
      first(NATOMS)
  {
    for (int id = 0; id < NATOMS; id++)
      if (owned(id)) ids.push_back(id);
    nlocal = static_cast<int>(ids.size());
    for (int id = 0; id < NATOMS; id++)
      if (!owned(id)) ids.push_back(id);
    for (int i = 0; i < NATOMS; i++) {
      std::copy_n(system.x[ids[i]].begin(), 3, &rows[4 * i]);
      rows[4 * i + 3] = 0.0;
      types[i] = system.type(ids[i]);
      if (computed(ids[i])) make_row(system, kind, i);
    }
  }

  PairJob job(ListKind kind) const
  {
    PairJob made;
    made.kind = kind;
    made.nlocal = nlocal;
    made.list = {static_cast<int>(atoms.size()), atoms.data(), first.data(), nneighbors.data(),
                 nspecial.data()};
    made.atoms = {rows.data(), types.data()};
    made.special_lj = SPECIAL_LJ;
    made.special_coul = SPECIAL_COUL;
    made.tallies = Tallies::ALL;
    return made;
  }

 private:
  void make_row(const System &system, ListKind kind, int i)
  {
    std::vector<int> special, others;
    for (int j = 0; j < NATOMS; j++) {
      if (!system.in_row(kind, ids[i], ids[j])) continue;
      const unsigned bond = system.bond(ids[i], ids[j]);
      (bond ? special : others).push_back(static_cast<int>(j | bond << SPECIAL_SHIFT));
    }
    first[i] = arena.row(special.size() + others.size(), NATOMS);
    std::copy(others.begin(), others.end(), std::copy(special.begin(), special.end(), first[i]));
    nneighbors[i] = static_cast<int>(special.size() + others.size());
    nspecial[i] = static_cast<int>(special.size());
    atoms.push_back(i);
  }
};

/** Two ranks, each of which computes rows of the other; the second may own no atoms. */
std::vector<Rank> divided(ListKind kind, bool second_owns)
{
  const System &system = the_system();
  const auto owner = [&](int id) {
    return second_owns && system.x[id][0] > 0.6 * WIDTH ? 1 : 0;
  };
  const auto computer = [&](int id) {
    return id % 4 == 0 ? 1 - owner(id) : owner(id);
  };
  std::vector<Rank> ranks;
  for (int me = 0; me < 2; me++)
    ranks.emplace_back(
        system, kind, [&](int id) { return owner(id) == me; },
        [&](int id) { return computer(id) == me; });
  return ranks;
}

std::vector<Rank> undivided(ListKind kind)
{
  const auto all = [](int) {
    return true;
  };
  std::vector<Rank> ranks;
  ranks.emplace_back(the_system(), kind, all, all);
  return ranks;
}

/** Sums over all ranks, in which values of ghosts are added to those of their owners. */
struct Sums {
  std::vector<double> f = std::vector<double>(3 * NATOMS, 0.0);
  std::vector<double> eatom = std::vector<double>(NATOMS, 0.0);
  std::vector<double> vatom = std::vector<double>(6 * NATOMS, 0.0);
  PairTally tally;
};

void expect_equal(const std::vector<double> &one, const std::vector<double> &other)
{
  ASSERT_GT(TOFU_TEST::largest(one), 0.1);
  TOFU_TEST::expect_near(one, other, 1e-12);
}

void expect_equal(const Sums &one, const Sums &other, bool by_atom)
{
  expect_equal(one.f, other.f);
  expect_equal({one.tally.evdwl}, {other.tally.evdwl});
  expect_equal(std::vector<double>(one.tally.virial, one.tally.virial + 6),
               std::vector<double>(other.tally.virial, other.tally.virial + 6));
  if (!by_atom) return;
  expect_equal(one.eatom, other.eatom);
  expect_equal(one.vatom, other.vatom);
}

int begin_of_part(int part, int nparts, int n)
{
  return n * part / nparts;
}

// the parts of the work one after the other, as the style cuts them

using PairKernel = std::function<void(const PairJob &, int first, int last, PairTally &)>;

void add_pairs(const Rank &rank, ListKind kind, int nparts, const PairKernel &kernel, Sums &sums)
{
  std::vector<double> f(3 * NATOMS, 0.0), half(4 * (NATOMS + 1), 0.0), eatom(NATOMS, 0.0);
  std::vector<std::array<double, 6>> vatom(NATOMS, {0, 0, 0, 0, 0, 0});
  PairJob job = rank.job(kind);
  job.forces = {f.data(), half.data()};
  PairTally tally;
  tally.eatom = eatom.data();
  tally.vatom = reinterpret_cast<double(*)[6]>(vatom.data());
  for (int part = 0; part < nparts; part++)
    kernel(job, begin_of_part(part, nparts, job.list.nrows),
           begin_of_part(part + 1, nparts, job.list.nrows), tally);

  sums.tally.add(tally);
  for (int i = 0; i < NATOMS; i++) {
    const int id = rank.ids[i];
    for (int dim = 0; dim < 3; dim++) sums.f[3 * id + dim] += f[3 * i + dim] + half[4 * i + dim];
    sums.eatom[id] += eatom[i];
    for (int c = 0; c < 6; c++) sums.vatom[6 * id + c] += vatom[i][c];
  }
}

// as above, with an array of forces for each part, in which the forces of its own atoms count

using CenterKernel = std::function<void(const CenterJob &)>;

void add_centers(const Rank &rank, int nparts, const CenterKernel &kernel, Sums &sums)
{
  const PairJob job = rank.job(ListKind::FULL);
  const int nrows = job.list.nrows;
  AtomOwners owners;
  for (int part = 0; part <= nparts; part++) {
    owners.owned.push_back(begin_of_part(part, nparts, rank.nlocal));
    owners.ghosts.push_back(rank.nlocal + begin_of_part(part, nparts, NATOMS - rank.nlocal));
  }
  NearRows near_rows;
  near_rows.reset(nparts, NATOMS, 1.1 * CUTOFF, 0.1 * CUTOFF);
  for (int part = 0; part < nparts; part++) {
    const int first = begin_of_part(part, nparts, nrows),
              last = begin_of_part(part + 1, nparts, nrows);
    near_rows.fill(part, job.list, job.atoms, first, last);
    PairJob mine = job;
    mine.list = near_rows.rows(job.list);
    std::vector<double> f(4 * (NATOMS + 1), 0.0);
    std::vector<std::vector<CenterForces::Sent>> sent(nparts);
    const int own = owners.owned[part], own_end = nparts == 1 ? NATOMS : owners.owned[part + 1];
    CenterWorkspace work;
    const CenterForces forces{f.data(), own, own_end, &owners, &sent};
    kernel({mine, forces, work, first, last, sums.tally});
    for (int i = own; i < own_end; i++)
      for (int dim = 0; dim < 3; dim++) sums.f[3 * rank.ids[i] + dim] += f[4 * i + dim];
    for (const auto &box : sent)
      for (const CenterForces::Sent &one : box)
        for (int dim = 0; dim < 3; dim++) sums.f[3 * rank.ids[one.atom] + dim] -= one.gradient[dim];
  }
}

// parameters: kind of list, # of parts, whether the second rank owns atoms

class TransferredRows : public testing::TestWithParam<std::tuple<ListKind, int, bool>> {
 protected:
  ListKind kind() const { return std::get<0>(GetParam()); }
  int nparts() const { return std::get<1>(GetParam()); }
  bool second_owns() const { return std::get<2>(GetParam()); }

  void check(const std::function<Sums(std::vector<Rank> &, int nparts)> &compute, bool by_atom)
  {
    std::vector<Rank> one = undivided(kind()), two = divided(kind(), second_owns());
    expect_equal(compute(one, 1), compute(two, nparts()), by_atom);
  }
};

class DonatedCenters : public TransferredRows {
 protected:
  void check_centers(const CenterKernel &kernel)
  {
    check(
        [&](const std::vector<Rank> &ranks, int nparts) {
          Sums sums;
          for (const Rank &rank : ranks) add_centers(rank, nparts, kernel, sums);
          return sums;
        },
        false);
  }
};

std::string name_of(const testing::TestParamInfo<TransferredRows::ParamType> &info)
{
  const auto [kind, nparts, second_owns] = info.param;
  return std::string(kind == ListKind::FULL ? "Full" : "Half") + std::to_string(nparts) +
      (second_owns ? "Parts" : "PartsSecondRankOwnsNothing");
}

}    // namespace

TEST_P(TransferredRows, GiveThePairForcesOfOneRank)
{
  std::vector<double> table((NTYPES + 1) * (NTYPES + 1) * LJCutCoefficients::NCOEFFICIENTS, 0.0);
  for (int i = 1; i <= NTYPES; i++)
    for (int j = 1; j <= NTYPES; j++) {
      double *const c = &table[(i * (NTYPES + 1) + j) * LJCutCoefficients::NCOEFFICIENTS];
      const double epsilon = 1.0 + 0.1 * (i + j), cut = CUTOFF * (1.0 - 0.05 * i * j);
      c[0] = cut * cut;
      c[1] = 48.0 * epsilon;
      c[2] = 24.0 * epsilon;
      c[4] = c[5] = 4.0 * epsilon;
    }
  check(
      [&](const std::vector<Rank> &ranks, int nparts) {
        Sums sums;
        for (const Rank &rank : ranks)
          add_pairs(
              rank, kind(), nparts,
              [&](const PairJob &job, int first, int last, PairTally &tally) {
                lj_cut({NTYPES, {table.data()}}, job, first, last, tally);
              },
              sums);
        return sums;
      },
      true);
}

TEST_P(TransferredRows, GiveTheEmbeddingForcesOfOneRankIfDensitiesGoHomeInBetween)
{
  const EAMTables tables = TOFU_TEST::random_eam_tables(NTYPES, CUTOFF);
  check(
      [&](std::vector<Rank> &ranks, int nparts) {
        std::vector<double> densities(NATOMS, 0.0);
        std::vector<EAMInside> insides(ranks.size());
        std::vector<RowArena> arenas(ranks.size());
        for (std::size_t r = 0; r < ranks.size(); r++) {
          const Rank &rank = ranks[r];
          const PairJob job = rank.job(kind());
          insides[r].first.resize(NATOMS);
          insides[r].nneighbors.resize(NATOMS);
          std::vector<double> rho(NATOMS + 1, 0.0);
          for (int part = 0; part < nparts; part++)
            eam_densities(tables, job, begin_of_part(part, nparts, job.list.nrows),
                          begin_of_part(part + 1, nparts, job.list.nrows), arenas[r], insides[r],
                          rho.data());
          for (int i = 0; i < NATOMS; i++) densities[rank.ids[i]] += rho[i];
        }
        Sums sums;
        for (std::size_t r = 0; r < ranks.size(); r++) {
          for (int i = 0; i < NATOMS; i++) ranks[r].rows[4 * i + 3] = densities[ranks[r].ids[i]];
          add_pairs(
              ranks[r], kind(), nparts,
              [&](const PairJob &job, int first, int last, PairTally &tally) {
                eam_forces(tables, job, first, last, insides[r], tally);
              },
              sums);
        }
        return sums;
      },
      true);
}

TEST_P(DonatedCenters, GiveTheForcesOfOneRank)
{
  const std::vector<double> cutsq{CUTOFF * CUTOFF},
      sw_pairs{CUTOFF, 0.6, 0.7, 4.0, 0.0, 0.5, 0.8, 0.0}, sw_triples{20.0, -1.0 / 3.0, 0.0, 0.0};
  const SWCoefficients sw{1, cutsq.data(), sw_pairs.data(), sw_triples.data(), 4, 0};
  check_centers([&](const CenterJob &job) { stillinger_weber(sw, job); });

  const std::vector<double> pairs{CUTOFF - 0.15, 0.15,  1.0 / 0.15, 3.0, 50.0, 1.5, 10.0, 0.5,
                                  0.7,           1e-20, 0.0,        0.0, 0.0,  0.0, 0.0,  0.0},
      triples{0.8, 4.0, 1.0, -0.3, 4.0, 1.2, 1.0, 0.0, CUTOFF - 0.15, 0.15, 1.0 / 0.15, 0.0};
  TersoffCoefficients bonds;
  bonds.nelements = 1;
  bonds.shift = 0.0;
  bonds.cutsq = cutsq.data();
  bonds.pairs = pairs.data();
  bonds.triples = triples.data();
  bonds.exponents = true;
  check_centers([&](const CenterJob &job) { tersoff(bonds, job); });
}

INSTANTIATE_TEST_SUITE_P(FullLists, TransferredRows,
                         testing::Combine(testing::Values(ListKind::FULL), testing::Values(1, 2, 3),
                                          testing::Bool()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(FullLists, DonatedCenters,
                         testing::Combine(testing::Values(ListKind::FULL), testing::Values(1, 2, 3),
                                          testing::Bool()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(HalfLists, TransferredRows,
                         testing::Combine(testing::Values(ListKind::HALF), testing::Values(1),
                                          testing::Bool()),
                         name_of);
