// SPDX-License-Identifier: GPL-2.0-only
//
// The vectorised kernels against loops over all pairs, for every kind of list.

#include "pair_formulas.h"
#include "unit/kernels/data/listed_atoms.h"
#include "unit/kernels/manybody/random_eam_tables.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/manybody/eam.h"
#include "kernels/pair/exponential.h"
#include "kernels/pair/lj_coul.h"
#include "kernels/pair/lj_cut.h"

using namespace TOFU_NS;
using namespace TOFU_TEST;

namespace {

constexpr int NLOCAL = 150, NALL = 230;    // the rest are ghosts
constexpr double CUTOFF = 1.3;

const double SPECIAL_LJ[4] = {1.0, 0.0, 0.4, 0.7}, SPECIAL_COUL[4] = {1.0, 0.0, 0.6, 0.9};

struct System : AtomsAtRandom {
  int ntypes;
  std::vector<int> type;    // [NALL+1]

  explicit System(int ntypes_in, unsigned seed) :
      AtomsAtRandom(NALL, 1e12), ntypes(ntypes_in), type(NALL + 1, 1)
  {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 4.5);
    for (int i = 0; i < NALL; i++) {
      type[i] = 1 + static_cast<int>(random() % ntypes);
      place(i, 0.7, random, uniform);    // not too close: all forces have about the same size
      rows[4 * i + 3] = uniform(random) - 2.0;
    }
  }

  int bond(int i, int j) const { return (i * 7 + j * 7) % 11 < 4 ? (i + j) % 4 : 0; }
};

/** Each system is made once: the search for free places of the last atoms takes longer than a
    test. */
const System &made_system(int ntypes, unsigned seed)
{
  static std::map<std::pair<int, unsigned>, System> made;
  return made.try_emplace({ntypes, seed}, ntypes, seed).first->second;
}

bool in_list(ListKind kind, int i, int j)
{
  if (i == j) return false;
  if (kind == ListKind::FULL) return true;
  return j > i &&
      !(kind == ListKind::HALF && j >= NLOCAL && (i + j) % 2);    // one of two ranks has the pair
}

/** A list with some skin, with special bonds if wanted. */
struct List : ListRows {
  List(const System &system, ListKind kind, bool special)
  {
    arena.reset(SINGLE_ROW_PADDING);
    for (int i = 0; i < NLOCAL; i++) {
      std::vector<int> bonded, others;
      for (int j = 0; j < NALL; j++) {
        if (!in_list(kind, i, j) || system.distancesq(i, j) > 1.2 * CUTOFF * CUTOFF) continue;
        const int bond = special ? system.bond(i, j) : 0;
        (bond ? bonded : others).push_back(entry_of(j, bond));
      }
      append(bonded, others, NALL);
    }
  }
};

struct Result {
  std::vector<double> f = std::vector<double>(3 * NALL, 0.0);
  std::vector<double> eatom = std::vector<double>(NALL, 0.0);
  std::vector<std::array<double, 6>> vatom =
      std::vector<std::array<double, 6>>(NALL, {0, 0, 0, 0, 0, 0});
  double energy = 0.0;
  double virial[6] = {0, 0, 0, 0, 0, 0};
};

using PairFunction = std::function<void(int i, int j, double rsq, double &fpair, double &energy)>;

// loop over all pairs of the list

Result expected(const System &system, ListKind kind, const PairFunction &function)
{
  Result result;
  for (int i = 0; i < NLOCAL; i++)
    for (int j = 0; j < NALL; j++) {
      const double rsq = system.distancesq(i, j);
      if (!in_list(kind, i, j) || rsq > 1.2 * CUTOFF * CUTOFF) continue;
      double fpair = 0.0, energy = 0.0;
      function(i, j, rsq, fpair, energy);
      const bool twice = kind == ListKind::FULL || (kind == ListKind::HALF_NO_GHOST && j >= NLOCAL);
      const double weight = twice ? 0.5 : 1.0;
      double del[3], force[3];
      for (int dim = 0; dim < 3; dim++) {
        del[dim] = system.rows[4 * i + dim] - system.rows[4 * j + dim];
        force[dim] = fpair * del[dim];
        result.f[3 * i + dim] += force[dim];
        if (!twice) result.f[3 * j + dim] -= force[dim];
      }
      const int a[6] = {0, 1, 2, 0, 0, 1}, b[6] = {0, 1, 2, 1, 2, 2};
      result.energy += weight * energy;
      result.eatom[i] += (twice ? 1.0 : 0.5) * weight * energy;
      if (!twice) result.eatom[j] += 0.5 * energy;
      for (int c = 0; c < 6; c++) {
        const double v = weight * del[a[c]] * force[b[c]];
        result.virial[c] += v;
        result.vatom[i][c] += (twice ? 1.0 : 0.5) * v;
        if (!twice) result.vatom[j][c] += 0.5 * v;
      }
    }
  return result;
}

using Compute = std::function<void(const PairJob &, PairTally &)>;

Result found(const System &system, ListKind kind, bool special, bool tallied, bool per_atom,
             const Compute &compute)
{
  const List list(system, kind, special);
  Result result;
  std::vector<double> half(4 * (NALL + 1), 0.0);
  PairJob job;
  job.kind = kind;
  job.nlocal = NLOCAL;
  job.list = list.rows();
  job.atoms = {system.rows.data(), system.type.data()};
  job.forces = {result.f.data(), half.data()};
  job.special_lj = SPECIAL_LJ;
  job.special_coul = SPECIAL_COUL;
  job.tallies = tallied ? Tallies::ALL : Tallies::NONE;
  PairTally tally;
  if (per_atom) {
    tally.eatom = result.eatom.data();
    tally.vatom = reinterpret_cast<double(*)[6]>(result.vatom.data());
  }
  compute(job, tally);
  result.energy = tally.evdwl + tally.ecoul;
  std::copy(tally.virial, tally.virial + 6, result.virial);
  if (kind != ListKind::FULL)
    for (int i = 0; i < (kind == ListKind::HALF ? NALL : NLOCAL); i++)
      for (int dim = 0; dim < 3; dim++) result.f[3 * i + dim] += half[4 * i + dim];
  return result;
}

void expect_equal(const Result &one, const Result &other, bool tallied, bool per_atom,
                  double tolerance = 1e-12)
{
  double scale = 1.0;
  for (double f : one.f) scale = std::max(scale, std::fabs(f));
  for (std::size_t k = 0; k < one.f.size(); k++)
    EXPECT_NEAR(one.f[k], other.f[k], tolerance * scale);
  if (!tallied) return;
  EXPECT_NEAR(one.energy, other.energy, tolerance * scale * NLOCAL);
  for (int c = 0; c < 6; c++)
    EXPECT_NEAR(one.virial[c], other.virial[c], tolerance * scale * NLOCAL);
  if (!per_atom) return;
  for (int i = 0; i < NALL; i++) {
    EXPECT_NEAR(one.eatom[i], other.eatom[i], tolerance * scale);
    for (int c = 0; c < 6; c++) EXPECT_NEAR(one.vatom[i][c], other.vatom[i][c], tolerance * scale);
  }
}

// every kind of list, with and without types, special bonds and tallies

struct Setting {
  std::int64_t instruction_set;
  ListKind kind;
  int ntypes;
  bool special;
  int tallies;    // 0: none, 1: sums, 2: per atom, too
};

constexpr ListKind ALL_KINDS[] = {ListKind::FULL, ListKind::HALF, ListKind::HALF_NO_GHOST};

// instruction sets that are not the best of this processor, or are emulated by qemu, shall give the
// same results, but are tested in fewer settings

#ifdef TOFU_EMULATED
constexpr bool EMULATED = true;
#else
constexpr bool EMULATED = false;
#endif

std::vector<Setting> settings()
{
  std::vector<Setting> all;
  const auto sets = instruction_sets();
  for (ListKind kind : ALL_KINDS)
    for (std::int64_t set : sets) {
      if (set != sets.front() || EMULATED) {
        all.push_back({set, kind, 1, false, 0});
        all.push_back({set, kind, 3, true, 2});
        continue;
      }
      for (int ntypes : {1, 3})
        for (bool special : {false, true})
          for (int tallies : {0, 1, 2}) all.push_back({set, kind, ntypes, special, tallies});
    }
  return all;
}

std::string setting_name(const testing::TestParamInfo<Setting> &info)
{
  const Setting &s = info.param;
  static const char *const kinds[] = {"Full", "Half", "HalfNoGhost"},
                           *const tallies[] = {"", "Sums", "PerAtom"};
  const auto kind = std::find(std::begin(ALL_KINDS), std::end(ALL_KINDS), s.kind) - ALL_KINDS;
  return instruction_set_name(s.instruction_set) + "_" + kinds[kind] + std::to_string(s.ntypes) +
      (s.ntypes == 1 ? "Type" : "Types") + (s.special ? "Special" : "") + tallies[s.tallies];
}

class PairKernels : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { use_instruction_set(GetParam().instruction_set); }
  void TearDown() override { use_best_instruction_set(); }
  ListKind kind() const { return GetParam().kind; }
  int ntypes() const { return GetParam().ntypes; }
  bool special() const { return GetParam().special; }
  bool tallied() const { return GetParam().tallies > 0; }
  bool per_atom() const { return GetParam().tallies > 1; }

  Result found_with(const System &system, const Compute &compute) const
  {
    return found(system, kind(), special(), tallied(), per_atom(), compute);
  }

  Result expect_sum_over_pairs(const System &system, const PairFunction &function,
                               const Compute &compute) const
  {
    const Result result = found_with(system, compute);
    expect_equal(expected(system, kind(), function), result, tallied(), per_atom());
    return result;
  }
};

// a table of n coefficients per pair of types; fill(c, i, j) sets them

template <class Fill> std::vector<double> make_coefficients(int ntypes, int n, Fill fill)
{
  std::vector<double> table((ntypes + 1) * (ntypes + 1) * n, 0.0);
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++) fill(&table[(i * (ntypes + 1) + j) * n], i, j);
  return table;
}

TEST_P(PairKernels, LennardJonesIsWhatTheSumOverPairsGives)
{
  const System &system = made_system(ntypes(), 4711);
  constexpr int N = LJCutCoefficients::NCOEFFICIENTS;
  const std::vector<double> table = make_coefficients(ntypes(), N, [](double *c, int i, int j) {
    const double epsilon = 1.0 + 0.1 * (i + j), cut = CUTOFF * (1.0 - 0.05 * i * j);
    c[0] = cut * cut;
    c[1] = 48.0 * epsilon;
    c[2] = 24.0 * epsilon;
    c[4] = c[5] = 4.0 * epsilon;
    c[6] = 0.01 * (i + j);
  });
  const auto function = [&](int i, int j, double rsq, double &fpair, double &energy) {
    const double *const c = &table[(system.type[i] * (ntypes() + 1) + system.type[j]) * N];
    if (rsq >= c[0]) return;
    const double factor = special() ? SPECIAL_LJ[system.bond(i, j)] : 1.0;
    const double r6inv = 1.0 / (rsq * rsq * rsq);
    fpair = factor * r6inv * (c[1] * r6inv - c[2]) / rsq;
    energy = factor * (r6inv * (c[4] * r6inv - c[5]) - c[6]);
  };
  const Result result =
      expect_sum_over_pairs(system, function, [&](const PairJob &job, PairTally &tally) {
        lj_cut({ntypes(), table.data()}, job, 0, 70, tally);
        lj_cut({ntypes(), table.data()}, job, 70, NLOCAL, tally);
      });

  const std::vector<float> rows(system.rows.begin(), system.rows.end()),
      singles(table.begin(), table.end());
  const Result single = found_with(system, [&](PairJob job, PairTally &tally) {
    job.atoms.rows = nullptr;
    job.atoms.singles = rows.data();
    lj_cut({ntypes(), {nullptr, singles.data()}}, job, 0, 70, tally);
    lj_cut({ntypes(), {nullptr, singles.data()}}, job, 70, NLOCAL, tally);
  });
  expect_equal(result, single, tallied(), per_atom(), 3e-5);
  EXPECT_NE(result.f, single.f);
}

TEST_P(PairKernels, ForcesOfAtomsThatOverlapAreLimitedInSinglePrecision)
{
  System system = made_system(ntypes(), 4711);
  constexpr int N = LJCutCoefficients::NCOEFFICIENTS;
  std::vector<float> table((ntypes() + 1) * (ntypes() + 1) * N, 0.0F);
  for (std::size_t k = 0; k < table.size(); k += N) {
    table[k] = CUTOFF * CUTOFF;
    table[k + 1] = 48.0F;
    table[k + 2] = 24.0F;
  }
  const auto forces = [&]() {
    const std::vector<float> rows(system.rows.begin(), system.rows.end());
    return found(system, kind(), false, tallied(), per_atom(), [&](PairJob job, PairTally &tally) {
      job.atoms.rows = nullptr;
      job.atoms.singles = rows.data();
      lj_cut({ntypes(), {nullptr, table.data()}}, job, 0, NLOCAL, tally);
    });
  };
  constexpr int I = 40, J = 55;
  for (int dim = 0; dim < 3; dim++) system.rows[4 * J + dim] = system.rows[4 * I + dim] = 0.25;
  const Result same = forces();
  EXPECT_FALSE(std::isfinite(same.f[3 * I + 1])) << "a force without a direction stops the run";

  constexpr double APART = 1.0 / 4096.0;    // to the power of -14 beyond single precision
  system.rows[4 * J + 1] += APART;
  const Result result = forces();
  for (double f : result.f) EXPECT_TRUE(std::isfinite(f));
  EXPECT_NEAR(result.f[3 * I + 1], -1e30 * APART, 1e-6 * 1e30 * APART);
  EXPECT_NEAR(result.f[3 * J + 1], 1e30 * APART, 1e-6 * 1e30 * APART);
}

double spline(const EAMTables &tables, const std::vector<double> &table, int which, double rsq,
              double &slope)
{
  const double place = std::sqrt(rsq) * tables.rdr + 1.0;
  const int m = std::min(static_cast<int>(place), tables.nr - 1);
  const double p = std::min(place - m, 1.0);
  const double *const c = &table[(which * (tables.nr + 1) + m) * 4];
  slope = ((3.0 * c[0] * p + 2.0 * c[1]) * p + c[2]) * tables.rdr;
  return ((c[0] * p + c[1]) * p + c[2]) * p + c[3];
}

TEST_P(PairKernels, EmbeddedAtomsAreWhatTheSumOverPairsGives)
{
  const System &system = made_system(ntypes(), 815);
  const EAMTables tables = random_eam_tables(ntypes(), CUTOFF);
  std::vector<double> rho(NALL + 1, 0.0), expected_rho(NALL, 0.0);
  const auto function = [&](int i, int j, double rsq, double &fpair, double &energy) {
    if (rsq >= tables.cutsq) return;
    const EAMTables::Pair &pair = tables.of(system.type[i], system.type[j]);
    double slope_ij, slope_ji, z2p;
    const double at_j = spline(tables, tables.rhor, pair.rhor_ij, rsq, slope_ij);
    const double at_i = spline(tables, tables.rhor, pair.rhor_ji, rsq, slope_ji);
    expected_rho[i] += at_i;
    if (kind() == ListKind::HALF || (kind() == ListKind::HALF_NO_GHOST && j < NLOCAL))
      expected_rho[j] += at_j;
    const double z2 = spline(tables, tables.z2r, pair.z2r, rsq, z2p), r = std::sqrt(rsq);
    const double phi = z2 / r, phip = z2p / r - phi / r;
    fpair = -pair.scale *
        (system.rows[4 * i + 3] * slope_ji + system.rows[4 * j + 3] * slope_ij + phip) / r;
    energy = pair.scale * phi;
  };
  EAMInside inside;
  inside.first.resize(NLOCAL);
  inside.nneighbors.resize(NLOCAL);
  RowArena arena;
  expect_sum_over_pairs(system, function, [&](const PairJob &job, PairTally &tally) {
    eam_densities(tables, job, 0, NLOCAL, arena, inside, rho.data());
    eam_forces(tables, job, 0, NLOCAL, inside, tally);
  });
  for (int i = 0; i < (kind() == ListKind::HALF ? NALL : NLOCAL); i++)
    EXPECT_NEAR(rho[i], expected_rho[i], 1e-12 * 100);
}

// the next row follows in memory

TEST_P(PairKernels, RowsOfAnyLengthAreReadToTheirEnd)
{
  const System &system = made_system(ntypes(), 4711);
  List list(system, kind(), false);
  for (int i = 0; i < NLOCAL; i++) {
    list.nneighbors[i] = std::min(list.nneighbors[i], i % 35);
    std::fill_n(list.first[i] + list.nneighbors[i], ROW_PADDING, NALL);
  }
  const std::vector<double> table =
      make_coefficients(ntypes(), LJCutCoefficients::NCOEFFICIENTS, [](double *c, int i, int j) {
        c[0] = 1e6;    // cut-off beyond all atoms
        c[1] = 48.0 + i + j;
      });

  std::vector<double> f(3 * NALL, 0.0), half(4 * (NALL + 1), 0.0), expected(3 * NALL, 0.0);
  for (int i = 0; i < NLOCAL; i++)
    for (int k = 0; k < list.nneighbors[i]; k++) {
      const int j = list.first[i][k];
      const double strength = 48.0 + system.type[i] + system.type[j];
      const double fpair = strength / std::pow(system.distancesq(i, j), 7);
      for (int dim = 0; dim < 3; dim++) {
        const double force = fpair * (system.rows[4 * i + dim] - system.rows[4 * j + dim]);
        expected[3 * i + dim] += force;
        if (kind() != ListKind::FULL) expected[3 * j + dim] -= force;
      }
    }
  PairJob job;
  job.kind = kind();
  job.nlocal = NLOCAL;
  job.list = list.rows();
  job.atoms = {system.rows.data(), system.type.data()};
  job.forces = {f.data(), half.data()};
  PairTally tally;
  lj_cut({ntypes(), {table.data()}}, job, 0, NLOCAL, tally);
  const double scale = std::fabs(*std::max_element(expected.begin(), expected.end()));
  for (int i = 0; i < NALL; i++)
    for (int dim = 0; dim < 3; dim++)
      EXPECT_NEAR(f[3 * i + dim] + half[4 * i + dim], expected[3 * i + dim], 1e-12 * scale);
}

constexpr double QQRD2E = 1.7;

// Lennard-Jones and Coulomb parts as they are in LAMMPS' loops: force times distance, and energy

struct Parts {
  double force = 0.0, energy = 0.0;
};

Parts lj_part(const double *c, double rsq)
{
  const double r6inv = 1.0 / (rsq * rsq * rsq);
  return {r6inv * (c[1] * r6inv - c[2]), r6inv * (c[5] * r6inv - c[6]) - c[7]};
}

Parts charmm_part(const double *c, const Switching &s, double rsq)
{
  if (rsq >= s.outersq) return {};
  const Parts lj = lj_part(c, rsq);
  if (rsq <= s.innersq) return lj;
  return {lj.force * switched(s, rsq) - std::sqrt(rsq) * lj.energy * slope_of_switched(s, rsq),
          lj.energy * switched(s, rsq)};
}

// table by the bits of rsq, with any values: the test is which entries the kernel takes, and how

struct MadeTable {
  std::vector<double> forces, others;
  LongRange table;

  explicit MadeTable(bool with_table)
  {
    table.g_ewald = 1.1;
    table.cutsq = 1.25 * 1.25;
    table.innersq = with_table ? 0.8 * 0.8 : 1e300;
    if (!with_table) return;
    table.nentries = 64;
    table.shift = 23 - 4;
    table.mask = (table.nentries - 1) << table.shift;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int i = 0; i < table.stride(double()) * table.nentries; i++)
      forces.push_back(uniform(random));
    for (int i = 0; i < 4 * table.nentries; i++) others.push_back(uniform(random));
    table.forces.doubles = forces.data();
    table.others.doubles = others.data();
  }

  Parts pair(double rsq, double qq, double factor) const
  {
    if (rsq >= table.cutsq) return {};
    if (rsq <= table.innersq) {
      const double r = std::sqrt(rsq), bare = QQRD2E * qq / r, missing = 1.0 - factor;
      const EwaldFactors ewald = ewald_factors(table.g_ewald * r);
      return {bare * (ewald.force - missing), bare * (ewald.energy - missing)};
    }
    const float single = static_cast<float>(rsq);
    int bits;
    std::memcpy(&bits, &single, sizeof(bits));
    const int entry = (bits & table.mask) >> table.shift;
    const int first_bits = bits >> table.shift << table.shift;
    float first;
    std::memcpy(&first, &first_bits, sizeof(first));
    const double *const f = &forces[table.stride(double()) * entry], *const o = &others[4 * entry];
    const double beyond = static_cast<double>(single) - first;
    const double missing = (1.0 - factor) * qq * (o[0] + beyond * o[1]);
    return {qq * (f[0] + beyond * f[1]) - missing, qq * (o[2] + beyond * o[3]) - missing};
  }
};

void fill_lj_coul(double *c, int i, int j)
{
  const double epsilon = 1.0 + 0.1 * (i + j);
  const double cut_lj = CUTOFF * (1.0 - 0.05 * i * j), cut_coul = CUTOFF * (1.0 - 0.03 * (i + j));
  const double cut = std::max(cut_lj, cut_coul);
  const double all[8] = {cut * cut,           48.0 * epsilon, 24.0 * epsilon, cut_lj * cut_lj,
                         cut_coul * cut_coul, 4.0 * epsilon,  4.0 * epsilon,  0.01 * (i + j)};
  std::copy(all, all + 8, c);
}

TEST_P(PairKernels, LennardJonesAndCoulombAreWhatTheSumOverPairsGives)
{
  const System &system = made_system(ntypes(), 99);

  // lj(c, rsq) and coul(c, rsq, qq, factor) of a table of coefficients

  const auto both = [&](const std::vector<double> &table, auto lj, auto coul) {
    return [&, lj, coul](int i, int j, double rsq, double &fpair, double &energy) {
      const double *const c = &table[(system.type[i] * (ntypes() + 1) + system.type[j]) * 8];
      if (rsq >= c[0]) return;
      const int bond = special() ? system.bond(i, j) : 0;
      const Parts a = lj(c, rsq);
      const Parts b =
          coul(c, rsq, system.rows[4 * i + 3] * system.rows[4 * j + 3], SPECIAL_COUL[bond]);
      fpair = (SPECIAL_LJ[bond] * a.force + b.force) / rsq;
      energy = SPECIAL_LJ[bond] * a.energy + b.energy;
    };
  };
  const auto compare = [&](const PairFunction &function, const Compute &compute) {
    expect_sum_over_pairs(system, function, compute);
  };

  const std::vector<double> table = make_coefficients(ntypes(), 8, fill_lj_coul);
  std::vector<double> charmm_table = table;
  for (std::size_t k = 0; k < charmm_table.size(); k += 8) {
    charmm_table[k] = 1.25 * 1.25;
    charmm_table[k + 7] = 0.0;
  }
  std::vector<double> bare_table = table;    // atoms of the last type have charges alone
  for (int i = 1; i <= ntypes(); i++)
    for (int j = 1; j <= ntypes(); j++) {
      double *const c = &bare_table[(i * (ntypes() + 1) + j) * 8];
      c[0] = CUTOFF * CUTOFF;
      if (i == ntypes() || j == ntypes()) c[1] = c[2] = c[5] = c[6] = c[7] = 0.0;
    }
  const LJCoulCoefficients cut{ntypes(), {table.data()}, QQRD2E, CUTOFF * CUTOFF},
      bare{ntypes(), {bare_table.data()}, QQRD2E, CUTOFF * CUTOFF},
      charmm{ntypes(), {charmm_table.data()}, QQRD2E, CUTOFF * CUTOFF};
  const Switching lj_switching = make_switching(1.0, 1.2),
                  coul_switching = make_switching(0.9, 1.25);

  const auto cut_lj = [](const double *c, double rsq) {
    return rsq < c[3] ? lj_part(c, rsq) : Parts();
  };
  const auto charmm_lj = [&](const double *c, double rsq) {
    return charmm_part(c, lj_switching, rsq);
  };
  const auto cut_coul = [](const double *c, double rsq, double qq, double factor) {
    const double e = rsq < c[4] ? factor * QQRD2E * qq / std::sqrt(rsq) : 0.0;
    return Parts{e, e};
  };
  const auto charmm_coul = [&](const double *, double rsq, double qq, double factor) {
    double e = rsq < coul_switching.outersq ? factor * QQRD2E * qq / std::sqrt(rsq) : 0.0;
    if (rsq > coul_switching.innersq) e *= switched(coul_switching, rsq);
    return Parts{e, e};
  };

  compare(both(table, cut_lj, cut_coul), [&](const PairJob &job, PairTally &tally) {
    lj_cut_coul_cut(cut, job, 0, NLOCAL, tally);
  });
  compare(both(charmm_table, charmm_lj, charmm_coul), [&](const PairJob &job, PairTally &tally) {
    lj_charmm_coul_charmm(charmm, lj_switching, coul_switching, job, 0, NLOCAL, tally);
  });
  for (bool with_table : {true, false}) {
    const MadeTable made(with_table);
    const auto long_range = [&](const double *, double rsq, double qq, double factor) {
      return made.pair(rsq, qq, factor);
    };
    compare(both(table, cut_lj, long_range), [&](const PairJob &job, PairTally &tally) {
      lj_cut_coul_long(cut, made.table, job, 0, NLOCAL, tally);
    });
    compare(both(bare_table, cut_lj, long_range), [&](const PairJob &job, PairTally &tally) {
      lj_cut_coul_long(bare, made.table, job, 0, NLOCAL, tally);
    });
    if (tallied() && !per_atom()) {    // steps that want the virial have no energies
      const Result all = expected(system, kind(), both(bare_table, cut_lj, long_range));
      Result alone =
          found(system, kind(), special(), true, false, [&](PairJob job, PairTally &tally) {
            job.tallies = Tallies::VIRIAL;
            lj_cut_coul_long(bare, made.table, job, 0, NLOCAL, tally);
          });
      EXPECT_EQ(alone.energy, 0.0);
      alone.energy = all.energy;
      expect_equal(all, alone, true, false);
    }
    compare(both(charmm_table, charmm_lj, long_range), [&](const PairJob &job, PairTally &tally) {
      lj_charmm_coul_long(charmm, lj_switching, made.table, job, 0, NLOCAL, tally);
    });
  }
}

TEST_P(PairKernels, BuckinghamAndMorseAreWhatTheSumOverPairsGives)
{
  const System &system = made_system(ntypes(), 12);
  const auto with_factor = [&](const std::vector<double> &table, auto pair) {
    return [&, pair](int i, int j, double rsq, double &fpair, double &energy) {
      const double *const c = &table[(system.type[i] * (ntypes() + 1) + system.type[j]) * 8];
      if (rsq >= c[0]) return;
      const double factor = special() ? SPECIAL_LJ[system.bond(i, j)] : 1.0;
      const Parts one = pair(c, std::sqrt(rsq));
      fpair = factor * one.force / rsq;
      energy = factor * one.energy;
    };
  };
  const auto compare = [&](const PairFunction &function, const Compute &compute) {
    expect_sum_over_pairs(system, function, compute);
  };

  const std::vector<double> buck = make_coefficients(ntypes(), 8, [](double *c, int i, int j) {
    const double cut = CUTOFF * (1.0 - 0.04 * i * j), a = 20.0 + i + j, rho = 0.3, c6 = 0.4;
    const double all[8] = {cut * cut, a / rho, 6.0 * c6, 1.0 / rho, a, c6, 0.02 * (i + j), 0.0};
    std::copy(all, all + 8, c);
  });
  compare(
      with_factor(buck,
                  [](const double *c, double r) {
                    const double rexp = std::exp(-r * c[3]), r6inv = std::pow(r, -6.0);
                    return Parts{c[1] * r * rexp - c[2] * r6inv, c[4] * rexp - c[5] * r6inv - c[6]};
                  }),
      [&](const PairJob &job, PairTally &tally) {
        buckingham({ntypes(), buck.data()}, job, 0, NLOCAL, tally);
      });

  const std::vector<double> morses = make_coefficients(ntypes(), 8, [](double *c, int i, int j) {
    const double cut = CUTOFF * (1.0 - 0.04 * i * j), d0 = 1.0 + 0.1 * i * j, alpha = 3.0;
    const double all[8] = {cut * cut, 2.0 * d0 * alpha, alpha, 0.9, d0, -0.02, 0.0, 0.0};
    std::copy(all, all + 8, c);
  });
  compare(
      with_factor(
          morses,
          [](const double *c, double r) {
            const double dexp = std::exp(-c[2] * (r - c[3]));
            return Parts{c[1] * (dexp * dexp - dexp) * r, c[4] * (dexp * dexp - 2.0 * dexp) - c[5]};
          }),
      [&](const PairJob &job, PairTally &tally) {
        morse({ntypes(), morses.data()}, job, 0, NLOCAL, tally);
      });
}

INSTANTIATE_TEST_SUITE_P(AllLists, PairKernels, testing::ValuesIn(settings()), setting_name);

}    // namespace
