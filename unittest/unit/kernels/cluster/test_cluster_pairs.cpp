// SPDX-License-Identifier: GPL-2.0-only
//
// Pairs of clusters of atoms: the list has what rows have, and forces are those of plain formulas.

#include "unit/kernels/data/compared_values.h"
#include "unit/kernels/data/listed_atoms.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/cluster/cluster_pairs.h"

using namespace TOFU_NS;

namespace {

constexpr int EDGE = 9, NALL = EDGE * EDGE * EDGE, NLOCAL = 500;    // the rest are ghosts
const double SPECIAL_LJ[4] = {1.0, 0.0, 0.4, 0.7}, SPECIAL_COUL[4] = {1.0, 0.0, 0.6, 0.9};
constexpr double SPACING = 2.4, CUTOFF = 6.0, SKIN = 1.0;

/** Atoms near the places of a lattice, in an order of chance, and rows of a half list. */
struct System : TOFU_TEST::ListRows {
  std::vector<float> x = std::vector<float>(4 * (NALL + 1), 0.0F);
  std::vector<std::int32_t> types = std::vector<std::int32_t>(NALL + 1, 1);

  explicit System(int ntypes)
  {
    std::mt19937 random(4711);
    std::uniform_real_distribution<float> uniform(-0.4F, 0.4F);
    std::vector<int> cells(NALL);
    for (int i = 0; i < NALL; i++) cells[i] = i;
    std::shuffle(cells.begin(), cells.end(), random);
    for (int i = 0; i < NALL; i++) {
      const int place[3] = {cells[i] % EDGE, cells[i] / EDGE % EDGE, cells[i] / EDGE / EDGE};
      for (int dim = 0; dim < 3; dim++)
        x[4 * i + dim] = static_cast<float>(SPACING) * place[dim] - 10.0F + uniform(random);
      x[4 * i + 3] = 2.0F * uniform(random);
      types[i] = 1 + static_cast<int>(random() % ntypes);
    }
    std::fill_n(x.begin() + 4 * NALL, 3, 1e12F);
    make_rows();
  }

  double distancesq(int i, int j) const
  {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++) {
      const double del = static_cast<double>(x[4 * i + dim]) - x[4 * j + dim];
      sum += del * del;
    }
    return sum;
  }

  static int special(int i, int j) { return (i + j) % 29 < 4 ? (i + j) % 29 : 0; }

  bool listed(int i, int j) const
  {
    return (j < NLOCAL ? j > i : (i + j) % 2 == 0) &&
        distancesq(i, j) < (CUTOFF + SKIN) * (CUTOFF + SKIN);
  }

  void make_rows()
  {
    arena.reset(SINGLE_ROW_PADDING);
    for (std::vector<int> *of_rows : {&atoms, &nneighbors, &nspecial}) of_rows->clear();
    first.clear();
    for (int i = 0; i < NLOCAL; i++) {
      std::vector<int> bonded, others;
      for (int j = 0; j < NALL; j++)
        if (listed(i, j))
          (special(i, j) ? bonded : others).push_back(TOFU_TEST::entry_of(j, special(i, j)));
      append(bonded, others, NALL);
    }
  }
};

const System &system_of(int ntypes)
{
  static std::map<int, System> made;
  return made.try_emplace(ntypes, ntypes).first->second;
}

// the atoms that two parts' rows name: all, in two pieces, and with some that are in no row

const std::vector<ClusterList::Range> RANGES = {{0, 600}, {600, NALL}};

// Lennard-Jones coefficients, with cut-offs of pairs of types or the same for all

struct Coefficients {
  int ntypes;
  std::vector<double> doubles;
  std::vector<float> singles;

  Coefficients(int ntypes_in, bool one_cutoff) :
      ntypes(ntypes_in), doubles((ntypes + 1) * (ntypes + 1) * LJCoulCoefficients::NCOEFFICIENTS)
  {
    for (int i = 1; i <= ntypes; i++)
      for (int j = 1; j <= ntypes; j++) {
        double *const c = of(i, j);
        const double cut = one_cutoff ? CUTOFF : CUTOFF + 0.2 - 0.3 * (i + j);
        c[0] = std::max(CUTOFF, cut) * std::max(CUTOFF, cut);
        c[1] = i == 2 ? 0.0 : 4e4 * (i + j);    // atoms of one type have Coulomb forces alone
        c[2] = i == 2 ? 0.0 : 400.0 * (i + j);
        if (j == 2) c[1] = c[2] = 0.0;
        c[3] = cut * cut;
      }
    singles.assign(doubles.begin(), doubles.end());
  }

  double *of(int i, int j)
  {
    return &doubles[static_cast<std::size_t>(LJCoulCoefficients::NCOEFFICIENTS) *
                    (i * (ntypes + 1) + j)];
  }
};

ClusterPotential potential_of(const Coefficients &c, bool switched, double g_ewald)
{
  ClusterPotential potential;
  potential.lj = {c.ntypes, {c.doubles.data(), c.singles.data()}, 332.0, CUTOFF * CUTOFF};
  potential.switched = switched;
  if (switched) {
    const double innersq = 16.0, outersq = 30.0;
    potential.switching = {innersq, outersq, std::pow(outersq - innersq, -3.0)};
  }
  potential.coul = ewald_polynomial(g_ewald, CUTOFF * CUTOFF);
  potential.pieces = ewald_pieces(g_ewald, CUTOFF * CUTOFF);
  potential.cut_coulsq = CUTOFF * CUTOFF;
  potential.special_lj = SPECIAL_LJ;
  potential.special_coul = SPECIAL_COUL;
  return potential;
}

/** Force divided by distance. */
double pair_force(const System &system, Coefficients c, const ClusterPotential &p, double g_ewald,
                  int i, int j)
{
  const double rsq = system.distancesq(i, j), r = std::sqrt(rsq), z = g_ewald * r;
  const double *const lj = c.of(system.types[i], system.types[j]);
  const double r6inv = std::pow(rsq, -3.0);
  const int bond = System::special(i, j);
  double force = 0.0;
  if (!p.switched && rsq < lj[3]) force = r6inv * (lj[1] * r6inv - lj[2]);
  if (p.switched && rsq < p.switching.outersq) {
    force = r6inv * (lj[1] * r6inv - lj[2]);
    const double in = p.switching.innersq, out = p.switching.outersq;
    if (rsq > in) {
      const double scale = std::pow(out - in, -3.0),
                   energy = r6inv * (lj[1] / 12 * r6inv - lj[2] / 6);
      force = force * (out - rsq) * (out - rsq) * (out + 2 * rsq - 3 * in) * scale +
          energy * 12 * rsq * (out - rsq) * (rsq - in) * scale;
    }
  }
  force *= SPECIAL_LJ[bond];
  const double qq = 332.0 * static_cast<double>(system.x[4 * i + 3]) * system.x[4 * j + 3];
  if (rsq < p.cut_coulsq)
    force += qq / r *
        (std::erfc(z) + 2.0 / std::sqrt(M_PI) * z * std::exp(-z * z) + SPECIAL_COUL[bond] - 1.0);
  return force / rsq;
}

/** The atoms of a system, in double precision and from another place. */
struct Doubles {
  std::vector<double> x, charges;
  AtomsToGather atoms;

  explicit Doubles(const System &system)
  {
    for (int i = 0; i < NALL; i++) {
      for (int dim = 0; dim < 3; dim++) x.push_back(system.x[4 * i + dim] + 16.0 * dim);
      charges.push_back(system.x[4 * i + 3]);
    }
    atoms.natoms = NALL;
    atoms.x = x.data();
    atoms.type = system.types.data();
    atoms.fourth = charges.data();
    atoms.singly = true;
    for (int dim = 0; dim < 3; dim++) atoms.center[dim] = 16.0 * dim;
  }
};

/** [NALL+1][4] forces of the rows of two parts. */
std::vector<double> forces_of(const ClusterPotential &potential, const System &system)
{
  std::vector<double> forces(4 * (NALL + 1), 0.0);
  const Doubles doubles(system);
  ClusterList list;    // of one part after the other: nothing is left of the first
  ClusterAtoms atoms;
  for (const auto &[first, last] : {std::pair(0, 192), std::pair(192, NLOCAL)}) {
    list.build(system.rows(), first, last, system.x.data(), RANGES, cluster_width());
    atoms.gather(list, doubles.atoms, cluster_sums());
    cluster_pairs(potential, list, atoms);
    atoms.add_forces(list, NALL, forces.data(), 4);
  }
  return forces;
}

struct Setting {
  std::int64_t instruction_set;
  int ntypes;
  bool one_cutoff, switched;
  double g_ewald;
};

std::vector<Setting> settings()
{
  std::vector<Setting> all;
  for (std::int64_t set : TOFU_TEST::instruction_sets()) {
    TOFU_TEST::use_instruction_set(set);
    if (!cluster_width()) continue;    // vectors are too short for clusters
    all.push_back({set, 1, true, false, 0.45});
    all.push_back({set, 3, true, false, 0.6});
    all.push_back({set, 3, false, false, 0.485});
    all.push_back({set, 1, false, true, 0.45});
    all.push_back({set, 3, false, true, 0.6});
  }
  TOFU_TEST::use_best_instruction_set();
  return all;
}

std::string setting_name(const testing::TestParamInfo<Setting> &info)
{
  const Setting &s = info.param;
  return TOFU_TEST::instruction_set_name(s.instruction_set) + "_" + std::to_string(s.ntypes) +
      (s.one_cutoff ? "OneCutoff" : "") + (s.switched ? "Switched" : "") +
      (s.g_ewald > 0.5 ? "Long" : "");
}

class ClusterPairs : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { TOFU_TEST::use_instruction_set(GetParam().instruction_set); }
  void TearDown() override { TOFU_TEST::use_best_instruction_set(); }

  const Setting &s = GetParam();
  Coefficients c{s.ntypes, s.one_cutoff};
  ClusterPotential potential = potential_of(c, s.switched, s.g_ewald);
};

class ClusterLists : public testing::TestWithParam<int> {};

// a range of owners, and what they have pairs with

struct Owners {
  int first, last;
};

/** Which pairs with ghosts count. */
enum class Ghosts { ALL, HIGHER, SOME };

bool has_pair(const System &system, Ghosts ghosts, int i, int j)
{
  const float z = system.x[4 * i + 2], other = system.x[4 * j + 2];
  if (ghosts == Ghosts::ALL || j < NLOCAL) return true;
  return ghosts == Ghosts::SOME || z == other ? (7 * i + j) % 2 == 0 : other > z;
}

/** List made of places, with those exceptions that System::special() says; a kind of 1 stands for
    pairs that are not listed. */
void search(const System &system, const Owners &owners, ClusterList &list,
            Ghosts ghosts = Ghosts::ALL)
{
  std::vector<double> x;
  for (int i = 0; i < NALL; i++) x.insert(x.end(), &system.x[4 * i], &system.x[4 * i] + 3);
  AtomsToSearch atoms = {x.data(), NALL, owners.first, owners.last, CUTOFF + SKIN};
  if (ghosts != Ghosts::ALL) {
    atoms.first_ghost = NLOCAL;
    atoms.by_height = ghosts == Ghosts::HIGHER;
    atoms.has_pair = [&](int i, int j) {
      return has_pair(system, ghosts, i, j);
    };
  }
  std::vector<ClusterList::Exception> exceptions;
  for (int i = 0; i < NALL; i++)
    for (int j = i + 1; j < NALL; j++)
      if (const int kind = System::special(i, j)) {
        const bool turned = (i + j) % 3 == 0;
        exceptions.push_back({turned ? j : i, turned ? i : j, kind == 1 ? 0 : kind});
        if ((i + j) % 5 == 0) exceptions.push_back(exceptions.back());
      }
  list.search(atoms, exceptions, cluster_width());
}

/** Times that each pair is listed, by kind of bond. */
std::map<std::pair<int, int>, std::map<int, int>> pairs_of(const ClusterList &list)
{
  std::map<std::pair<int, int>, std::map<int, int>> found;
  const int width = list.width();
  for (int owners = 0; owners < list.nowner_clusters(); owners++) {
    std::map<int, int> met;
    const ClusterList::Entries entries = list.entries(owners);
    for (const ClusterList::Entry *entry = entries.begin; entry < entries.end; entry++) {
      EXPECT_EQ(met[entry->cluster]++, 0) << "a cluster has one entry";
      EXPECT_TRUE(std::count(list.used().begin(), list.used().end(), entry->cluster));
      for (int bit = 0; bit < 4 * width; bit++)
        if (entry->pairs >> bit & 1)
          found[std::minmax(list.atoms()[4 * owners + bit / width],
                            list.atoms()[entry->cluster * width + bit % width])][0]++;
    }
  }
  for (const ClusterList::Special &pair : list.special()) {
    EXPECT_TRUE(std::count(list.used().begin(), list.used().end(), pair.other / width));
    found[std::minmax(list.atoms()[pair.owner], list.atoms()[pair.other])][pair.kind]++;
  }
  return found;
}

void expect_every_near_pair_once(const System &system, const Owners &owners,
                                 Ghosts ghosts = Ghosts::ALL)
{
  ClusterList list;
  search(system, {3, 200}, list);    // nothing is left of it
  search(system, owners, list, ghosts);
  const auto found = pairs_of(list);
  std::size_t nmet = 0;
  for (int i = owners.first; i < owners.last; i++)
    for (int j = i + 1; j < NALL; j++) {
      const int kind = System::special(i, j);
      const bool listed = kind != 1 && has_pair(system, ghosts, i, j);
      const auto at = found.find({i, j});
      const double beyond = std::sqrt(system.distancesq(i, j)) - CUTOFF - SKIN;
      if (beyond < 0.0 && listed)
        ASSERT_TRUE(at != found.end()) << i << " " << j << " " << beyond;
      else if (!(beyond < 1e-3) || !listed)
        ASSERT_TRUE(at == found.end()) << i << " " << j << " " << beyond;
      if (at == found.end()) continue;
      nmet++;
      EXPECT_EQ(at->second, (std::map<int, int>{{kind, 1}}));
    }
  EXPECT_EQ(found.size(), nmet) << "no pairs of atoms before the owners";
  EXPECT_GT(nmet, 1000U);
}

void expect_every_pair_once(int width)
{
  const System &system = system_of(1);
  const int first = 100, last = 460;
  std::map<std::pair<int, int>, std::map<int, int>> expected;    // as pairs_of() has them
  for (int i = first; i < last; i++)
    for (int j = 0; j < NALL; j++)
      if (system.listed(i, j)) expected[std::minmax(i, j)] = {{System::special(i, j), 1}};

  ClusterList list;
  list.build(system.rows(), 0, 100, system.x.data(), RANGES, width);
  list.build(system.rows(), first, last, system.x.data(), RANGES, width);
  EXPECT_EQ(pairs_of(list), expected);
}

}    // namespace

TEST_P(ClusterLists, EveryPairOfRowsIsThereOnceWithAllInstructionSets)
{
  TOFU_TEST::for_each_instruction_set([&] { expect_every_pair_once(GetParam()); });
}

TEST(SearchedClusters, EveryNearPairIsThereOnceWithAllInstructionSets)
{
  TOFU_TEST::for_each_instruction_set([&] {
    if (!cluster_width()) return;
    for (const Owners owners : {Owners{0, NLOCAL}, {0, 101}, {101, 377}, {377, NALL}})
      expect_every_near_pair_once(system_of(1), owners);
  });
}

TEST(SearchedClusters, OfPairsWithGhostsThoseAreThereThatTheCallerSays)
{
  System system(1);
  for (int i = 0; i < NALL; i += 3)    // some are as high as others, or nearly so
    system.x[4 * i + 2] = std::round(system.x[4 * i + 2]) + (i % 4 ? 0.0F : 1e-6F);
  TOFU_TEST::for_each_instruction_set([&] {
    if (!cluster_width()) return;
    for (Ghosts ghosts : {Ghosts::HIGHER, Ghosts::SOME}) {
      expect_every_near_pair_once(system, {0, NLOCAL}, ghosts);
      expect_every_near_pair_once(system, {133, 390}, ghosts);
    }
  });
}

TEST(SearchedClusters, PlacesThatAreNoNumbersHaveNoPairs)
{
  if (!cluster_width()) GTEST_SKIP();
  System system(1);
  const float bad[] = {NAN, INFINITY, -INFINITY, 1e30F, 3e12F};
  for (int i = 0; i < 10; i++) system.x[4 * (70 * i + 2) + i % 3] = bad[i % 5];
  ClusterList list;
  search(system, {0, NLOCAL}, list);
  const auto is_bad = [](int i) {
    return i < 700 && i % 70 == 2;
  };
  for (const auto &pair : pairs_of(list))
    EXPECT_FALSE(is_bad(pair.first.first) || is_bad(pair.first.second));
  expect_every_near_pair_once(system, {150, 420});
}

TEST(SearchedClusters, AtomsFarAwayDoNotMakeClustersOfTheOthersWider)
{
  if (!cluster_width()) GTEST_SKIP();
  const auto nentries = [](const System &system) {
    ClusterList list;
    search(system, {0, NLOCAL}, list);
    return list.entries(list.nowner_clusters() - 1).end - list.entries(0).begin;
  };
  System spread(1);
  for (int i : {3, 700}) spread.x[4 * i] = spread.x[4 * i + 1] = i == 3 ? -150.0F : 170.0F;
  EXPECT_LT(nentries(spread), 1.2 * nentries(system_of(1)));
  expect_every_near_pair_once(spread, {0, NLOCAL});
}

TEST(SearchedClusters, AreAsManyAsThoseOfRows)
{
  if (!cluster_width()) GTEST_SKIP();
  const System &system = system_of(1);
  ClusterList searched, of_rows;
  search(system, {0, NLOCAL}, searched);
  of_rows.build(system.rows(), 0, NLOCAL, system.x.data(), RANGES, cluster_width());
  EXPECT_NEAR(searched.nclusters(), of_rows.nclusters(), 0.15 * of_rows.nclusters());
}

TEST(SearchedClusters, NoOwnersAndASingleOneAreNoFault)
{
  if (!cluster_width()) GTEST_SKIP();
  ClusterList list;
  search(system_of(1), {40, 40}, list);
  EXPECT_EQ(list.nowner_clusters(), 0);
  EXPECT_TRUE(list.used().empty());
  search(system_of(1), {40, 41}, list);
  EXPECT_FALSE(pairs_of(list).empty());
  const double place[6] = {NAN, 0.0, 0.0, 0.0, 0.0, 0.0};
  list.search({place, 2, 0, 2, 1.0}, {{0, 1, 1}}, cluster_width());
  EXPECT_TRUE(pairs_of(list).empty());
}

TEST_P(ClusterLists, AnAtomIsInOneCluster)
{
  const System &system = system_of(1);
  ClusterList list;
  list.build(system.rows(), 0, NLOCAL, system.x.data(), RANGES, GetParam());
  std::vector<int> atoms(list.atoms(), list.atoms() + list.nclusters() * list.width());
  EXPECT_LT(atoms.size(), 2 * NALL);
  atoms.erase(std::remove(atoms.begin(), atoms.end(), -1), atoms.end());
  for (int k = 0; k < NLOCAL; k++) EXPECT_LT(atoms[k], NLOCAL) << "owners come first";
  std::sort(atoms.begin(), atoms.end());
  ASSERT_EQ(atoms.size(), NALL);
  for (int i = 0; i < NALL; i++) EXPECT_EQ(atoms[i], i);
}

TEST_P(ClusterLists, PlacesThatAreNoNumbersDoNoHarm)
{
  System system(1);
  const float bad[] = {NAN, INFINITY, -INFINITY, 1e30F};
  for (int i = 0; i < 4; i++) system.x[4 * (13 * i) + i % 3] = bad[i];
  ClusterList list;
  list.build(system.rows(), 0, NLOCAL, system.x.data(), RANGES, GetParam());
  int npairs = 0, nlisted = 0;
  for (int owners = 0; owners < list.nowner_clusters(); owners++)
    for (auto entry = list.entries(owners).begin; entry < list.entries(owners).end; entry++)
      for (int bit = 0; bit < 32; bit++) npairs += entry->pairs >> bit & 1;
  for (int i = 0; i < NLOCAL; i++) nlisted += system.nneighbors[i] - system.nspecial[i];
  EXPECT_EQ(npairs, nlisted);
}

TEST_P(ClusterLists, AtomsFarAwayDoNotMakeClustersOfTheOthersWider)
{
  const auto nentries = [](const System &system) {
    ClusterList list;
    list.build(system.rows(), 0, NLOCAL, system.x.data(), RANGES, GetParam());
    int sum = 0;
    for (int owners = 0; owners < list.nowner_clusters(); owners++)
      sum += static_cast<int>(list.entries(owners).end - list.entries(owners).begin);
    return sum;
  };
  const System &near = system_of(1);
  System spread(1);
  for (int i : {3, 700}) spread.x[4 * i] = spread.x[4 * i + 1] = i == 3 ? -150.0F : 170.0F;
  spread.make_rows();
  EXPECT_LT(nentries(spread), 1.2 * nentries(near));
}

TEST_P(ClusterLists, NoRowsAreNoClusters)
{
  ClusterList list;
  list.build(system_of(1).rows(), 7, 7, system_of(1).x.data(), {}, GetParam());
  EXPECT_EQ(list.nowner_clusters(), 0);
  EXPECT_EQ(list.nclusters(), 0);
}

INSTANTIATE_TEST_SUITE_P(Widths, ClusterLists, testing::Values(4, 8));

TEST_P(ClusterPairs, ForcesAreWhatTheSumOverPairsGives)
{
  const System &system = system_of(s.ntypes);
  ASSERT_GT(potential.coul.n, 0);
  std::vector<double> expected(4 * (NALL + 1), 0.0);
  for (int i = 0; i < NLOCAL; i++)
    for (int j = 0; j < NALL; j++) {
      if (!system.listed(i, j)) continue;
      const double force = pair_force(system, c, potential, s.g_ewald, i, j);
      for (int dim = 0; dim < 3; dim++) {
        const double del = static_cast<double>(system.x[4 * i + dim]) - system.x[4 * j + dim];
        expected[4 * i + dim] += force * del;
        expected[4 * j + dim] -= force * del;
      }
    }
  const std::vector<double> found = forces_of(potential, system);
  TOFU_TEST::expect_near(expected, found, 3e-6, 4);
  EXPECT_EQ(found, forces_of(potential, system)) << "the same again has the same bits";
}

TEST_P(ClusterPairs, AnAtomWithoutAPlaceHasNoForces)
{
  System far(s.ntypes), bad(s.ntypes);
  for (int i : {17, 600}) {
    far.x[4 * i] = 1e7F;
    bad.x[4 * i] = i == 17 ? std::numeric_limits<float>::quiet_NaN()
                           : std::numeric_limits<float>::infinity();
  }
  const std::vector<double> expected = forces_of(potential, far), found = forces_of(potential, bad);
  for (int i = 0; i < NALL; i++) {
    EXPECT_TRUE(std::isfinite(found[4 * i]));
    EXPECT_NEAR(found[4 * i], expected[4 * i], 1e-4 * (1.0 + std::fabs(expected[4 * i])));
  }
}

TEST_P(ClusterPairs, ForcesOfAtomsThatOverlapAreFinite)
{
  System system(s.ntypes);
  const int i = 40, j = system.first[i][system.nneighbors[i] - 1];
  for (float apart : {0.0F, 1e-12F, 1e-6F, 1e-4F, 1e-2F}) {
    for (int dim = 0; dim < 3; dim++) system.x[4 * i + dim] = system.x[4 * j + dim] = 0.0F;
    system.x[4 * i + 1] += apart;
    for (double f : forces_of(potential, system)) EXPECT_TRUE(std::isfinite(f)) << apart;
  }
}

TEST_P(ClusterPairs, ChargesMayBeNearerThanWhatLargeParticlesOfOtherTypesAllow)
{
  if (s.ntypes < 2) return;    // there is no type without a Lennard-Jones part
  c.of(1, 1)[1] = 2e37;
  c.singles.assign(c.doubles.begin(), c.doubles.end());
  System system(s.ntypes);
  int i = 0;
  while (system.types[i] != 2 || system.nneighbors[i] - system.nspecial[i] < 9) i++;
  const int j = system.first[i][system.nneighbors[i] - 1];
  for (int dim = 0; dim < 3; dim++) system.x[4 * i + dim] = system.x[4 * j + dim];
  system.x[4 * i + 1] += 0.2F;

  double expected = 0.0;
  for (int owner = 0; owner < NLOCAL; owner++)
    for (int k = 0; k < system.nneighbors[owner]; k++) {
      const int other = system.first[owner][k] & ((1 << SPECIAL_SHIFT) - 1);
      if (owner != i && other != i) continue;
      const double force = pair_force(system, c, potential, s.g_ewald, owner, other);
      const double del = static_cast<double>(system.x[4 * owner + 1]) - system.x[4 * other + 1];
      expected += (owner == i ? 1.0 : -1.0) * force * del;
    }
  EXPECT_NEAR(forces_of(potential, system)[4 * i + 1], expected, 1e-5 * std::fabs(expected));
}

TEST_P(ClusterPairs, TypesWithoutLennardJonesForcesMayHaveALargerCutoff)
{
  const System &system = system_of(s.ntypes);
  const std::vector<double> expected = forces_of(potential, system);
  potential.lj.largest_cutsq = (CUTOFF + SKIN) * (CUTOFF + SKIN);
  TOFU_TEST::expect_near(expected, forces_of(potential, system), 3e-6, 4);
}

INSTANTIATE_TEST_SUITE_P(Settings, ClusterPairs, testing::ValuesIn(settings()), setting_name);

TEST(EwaldPolynomial, IsTheForceOfAnEwaldSum)
{
  int last = 0;
  for (double g : {0.05, 0.2, 0.3, 0.35, 0.4}) {
    const EwaldPolynomial p = ewald_polynomial(g, 100.0);
    ASSERT_GT(p.n, 0) << g;
    EXPECT_GE(p.n, last) << "a longer range needs no fewer coefficients";
    last = p.n;
    for (double r = 0.5; r < 10.0; r += 0.1) {
      const double u = p.scale * r * r - 1.0, z = g * r;
      double sum = 0.0;
      for (int k = 0; k < p.n; k++) sum = sum * u + p.c[k];
      const double exact = (std::erfc(z) + 2.0 / std::sqrt(M_PI) * z * std::exp(-z * z)) / (r * r);
      EXPECT_NEAR(r * (std::pow(r, -3.0) - sum), exact, 1.1e-7 * g * g) << g << " " << r;
    }
  }
  EXPECT_GT(last, 13);
}

TEST(EwaldPolynomial, IsNoneWhereItWouldBeTooLong)
{
  EXPECT_EQ(ewald_polynomial(0.6, 100.0).n, 0);
  EXPECT_EQ(ewald_polynomial(NAN, 100.0).n, 0);
}

TEST(EwaldPieces, AreTheForceOfAnEwaldSum)
{
  int last = 0;
  for (double g : {0.05, 0.2, 0.28, 0.3, 0.35, 0.4}) {
    const EwaldPieces p = ewald_pieces(g, 100.0);
    ASSERT_GT(p.n, 0) << g;
    EXPECT_GE(p.n, last) << "a longer range needs no fewer coefficients";
    last = p.n;
    for (double r = 0.01; r <= 10.0; r += 0.01) {
      const double t = p.scale * r * r, u = t - std::nearbyint(t), z = g * r;
      const int piece = static_cast<int>(std::nearbyint(t));
      ASSERT_LT(piece, EwaldPieces::NPIECES);
      double sum = 0.0;
      for (int k = 0; k < p.n; k++) sum = sum * u + p.c[k][piece];
      const double bare = 1.0 / (r * r);
      const double exact = bare * (std::erfc(z) + 2.0 / std::sqrt(M_PI) * z * std::exp(-z * z));
      EXPECT_NEAR(bare - r * sum, exact, 1.1e-7 * g * g + 1e-15 * bare) << g << " " << r;
    }
  }
  EXPECT_EQ(last, EwaldPieces::MOST);
}

TEST(EwaldPieces, AreThereWhereThePolynomialIs)
{
  for (double g = 0.01; g < 1.0; g *= 1.05)
    if (ewald_polynomial(g, 100.0).n) { EXPECT_GT(ewald_pieces(g, 100.0).n, 0) << g; }
  EXPECT_EQ(ewald_pieces(0.6, 100.0).n, 0);
  EXPECT_EQ(ewald_pieces(NAN, 100.0).n, 0);
}
