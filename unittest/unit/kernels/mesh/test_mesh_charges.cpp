// SPDX-License-Identifier: GPL-2.0-only
//
// Charges to the mesh and fields back, against sums over all points with weights by the recursion
// of B-splines; all orders, both precisions, every instruction set.

#include "unit/base/part_threads.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/mesh/mesh_charges.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace TOFU_NS;
using TOFU_TEST::part_threads;

namespace {

constexpr int LO[3] = {-3, 2, -4}, HI[3] = {9, 14, 6};
constexpr double BOXLO[3] = {-1.5, 0.25, 7.0}, DELINV[3] = {0.5, 4.0, 2.0};    // exact in x
constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();

int npoints()
{
  return (HI[0] - LO[0]) * (HI[1] - LO[1]) * (HI[2] - LO[2]);
}

/** B-spline around 0 (de Boor).  At a kink, where an atom on a point is, the slope is the one to
    the left. */
double spline(int order, double t)
{
  if (order == 1) return t > -0.5 && t <= 0.5 ? 1.0 : 0.0;
  const double half = 0.5 * order;
  return ((half + t) * spline(order - 1, t + 0.5) + (half - t) * spline(order - 1, t - 0.5)) /
      (order - 1);
}

double spline_slope(int order, double t)
{
  return spline(order - 1, t + 0.5) - spline(order - 1, t - 0.5);
}

/** Polynomials of the pieces of a B-spline, each in the distance from its middle. */
std::vector<std::vector<double>> spline_pieces(int order)
{
  std::vector<std::vector<double>> pieces = {{1.0}};
  for (int p = 2; p <= order; p++) {
    std::vector<std::vector<double>> next(p, std::vector<double>(p, 0.0));
    for (int k = 0; k < p; k++) {
      const double middle = k - 0.5 * (p - 1);
      for (int l = 0; l < p - 1; l++) {
        const double left = k < p - 1 ? pieces[k][l] / (p - 1) : 0.0,
                     right = k > 0 ? pieces[k - 1][l] / (p - 1) : 0.0;
        next[k][l] += (0.5 * p + middle) * left + (0.5 * p - middle) * right;
        next[k][l + 1] += left - right;
      }
    }
    pieces = next;
  }
  return pieces;
}

template <class Real> MeshStencil<Real> mesh_stencil(int order)
{
  MeshStencil<Real> stencil;
  stencil.order = order;
  std::copy_n(LO, 3, stencil.lo);
  std::copy_n(HI, 3, stencil.hi);
  std::copy_n(BOXLO, 3, stencil.boxlo);
  std::copy_n(DELINV, 3, stencil.delinv);
  const auto pieces = spline_pieces(order);
  for (int k = 0; k < order; k++)
    for (int l = 0; l < order; l++) {
      stencil.rho_coeff[l][k] = static_cast<Real>(pieces[k][l]);
      if (l > 0) stencil.drho_coeff[l - 1][k] = static_cast<Real>(l * pieces[k][l]);
    }
  return stencil;
}

/** Atoms all over the box, in its corners, on points and between them. */
struct Atoms {
  std::vector<double> x, q;
  std::vector<int> point;

  explicit Atoms(int order)
  {
    const double below = 0.5 * order - 1.0 + 1e-9, above = 0.5 * order + 1e-9;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const auto add = [&](const std::function<double(int dim)> &place) {
      for (int dim = 0; dim < 3; dim++) x.push_back(BOXLO[dim] + place(dim) / DELINV[dim]);
      q.push_back(uniform(random) - 0.4);
    };
    for (int corner = 0; corner < 8; corner++)
      add([&](int dim) { return corner & (1 << dim) ? HI[dim] - above : LO[dim] + below; });
    for (int n = 0; n < 4; n++) add([&](int dim) { return LO[dim] + 3 + 0.5 * n + 0.25 * dim; });
    for (int n = 0; n < 50; n++)
      add([&](int dim) {
        return LO[dim] + below + uniform(random) * (HI[dim] - above - LO[dim] - below);
      });
    point.assign(x.size(), 0);
  }

  int n() const { return static_cast<int>(q.size()); }
  double place(int i, int dim) const { return (x[3 * i + dim] - BOXLO[dim]) * DELINV[dim]; }

  MeshAtoms arrays() const
  {
    MeshAtoms arrays;
    arrays.x = x.data();
    arrays.q = q.data();
    arrays.point = point.data();
    return arrays;
  }
};

/** Call work(n, weight, slopes) for all points; n is the place of the point in memory, and points
    outside of the stencil of the atom have weight 0. */
void for_stencil(const Atoms &atoms, int i, int order,
                 const std::function<void(int, double, const std::array<double, 3> &)> &work)
{
  std::vector<double> w[3], s[3];
  for (int dim = 0; dim < 3; dim++)
    for (int at = LO[dim]; at < HI[dim]; at++) {
      const double t = at - atoms.place(i, dim);
      w[dim].push_back(spline(order, t));
      s[dim].push_back(spline_slope(order, t));
    }
  int n = 0;
  for (std::size_t z = 0; z < w[2].size(); z++)
    for (std::size_t y = 0; y < w[1].size(); y++)
      for (std::size_t x = 0; x < w[0].size(); x++, n++)
        work(n, w[0][x] * w[1][y] * w[2][z],
             {s[0][x] * w[1][y] * w[2][z], w[0][x] * s[1][y] * w[2][z],
              w[0][x] * w[1][y] * s[2][z]});
}

template <class Real> using Array = std::vector<Real>;

template <class Real> Array<Real> mesh_array(Real slack)
{
  Array<Real> array(npoints(), Real(0));
  array.resize(npoints() + MESH_ARRAY_SLACK, slack);
  return array;
}

/** Random numbers at the points, followed by values that must not be used. */
template <class Real> Array<Real> random_field(unsigned seed)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  auto field = mesh_array<Real>(static_cast<Real>(NOT_A_NUMBER));
  for (int n = 0; n < npoints(); n++) field[n] = static_cast<Real>(uniform(random));
  return field;
}

/** Allowed error of sums of up to 343 products of numbers up to 1.  Weights come from polynomials
    of up to seven terms; a slope is up to 2. */
template <class Real> double tolerance()
{
  return 60.0 * std::numeric_limits<Real>::epsilon();
}

/** Memory with a page behind it that must not be touched. */
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t nbytes)
  {
    const std::size_t page = sysconf(_SC_PAGESIZE);
    size_ = (nbytes + page - 1) / page * page;
    begin_ = static_cast<char *>(
        mmap(nullptr, size_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    guard_ = page;
    EXPECT_NE(begin_, MAP_FAILED);
    EXPECT_EQ(mprotect(end(), guard_, PROT_NONE), 0);
  }
  ~GuardedMemory() { munmap(begin_, size_ + guard_); }
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  char *end() const { return begin_ + size_; }

 private:
  std::size_t size_, guard_;
  char *begin_;
};

struct Case {
  int order;
  bool single;
};

class MeshChargesOf : public testing::TestWithParam<Case> {
 protected:
  /** Call body(stencil, a number of the precision) with each instruction set; atoms are mapped. */
  template <class Body> void with_each_set(const Body &body)
  {
    const auto mapped = [&](auto real) {
      const auto stencil = mesh_stencil<decltype(real)>(order);
      ASSERT_EQ(map_atoms(stencil, atoms.x.data(), 0, atoms.n(), atoms.point.data()).count, 0);
      body(stencil, real);
    };
    TOFU_TEST::for_each_instruction_set([&] {
      if (GetParam().single)
        mapped(0.0F);
      else
        mapped(0.0);
    });
  }

  /** Each atom's values are sums of term(k, n, weight, slopes) over the points.

      \param values   [natoms][nvalues] */
  template <class Term>
  void expect_sums(const std::vector<double> &values, int nvalues, double allowed, const Term &term)
  {
    for (int i = 0; i < atoms.n(); i++) {
      std::vector<double> expected(nvalues, 0.0);
      for_stencil(atoms, i, order, [&](int n, double weight, const std::array<double, 3> &slopes) {
        for (int k = 0; k < nvalues; k++) expected[k] += term(k, n, weight, slopes);
      });
      for (int k = 0; k < nvalues; k++)
        ASSERT_NEAR(values[nvalues * i + k], expected[k], allowed) << "atom " << i;
    }
  }

  const int order = GetParam().order;
  Atoms atoms{order};
};

/** The charge is added to the values in the array; no other value changes, also behind the
    array. */
TEST_P(MeshChargesOf, DensityIsASumOverAtomsAndPoints)
{
  std::vector<double> expected(npoints(), 0.25);
  for (int i = 0; i < atoms.n(); i++)
    for_stencil(atoms, i, order,
                [&](int n, double weight, auto) { expected[n] += 3.0 * atoms.q[i] * weight; });
  with_each_set([&](const auto &stencil, auto real) {
    using Real = decltype(real);
    auto density = mesh_array<Real>(Real(7));
    std::fill_n(density.begin(), npoints(), Real(0.25));
    spread_charges(stencil, atoms.arrays(), 0, atoms.n(), 3.0, density.data());
    for (int n = 0; n < npoints(); n++)
      ASSERT_NEAR(density[n], expected[n], 10.0 * tolerance<Real>()) << "point " << n;
    for (int n = 0; n < MESH_ARRAY_SLACK; n++) ASSERT_EQ(density[npoints() + n], Real(7));
  });
}

TEST_P(MeshChargesOf, FieldFromGradientsIsASumOverPoints)
{
  with_each_set([&](const auto &stencil, auto real) {
    using Real = decltype(real);
    const Array<Real> fields[3] = {random_field<Real>(1), random_field<Real>(2),
                                   random_field<Real>(3)};
    const Real *const gradient[3] = {fields[0].data(), fields[1].data(), fields[2].data()};
    std::vector<double> e(atoms.x.size(), NOT_A_NUMBER);
    interpolate_ik(stencil, atoms.arrays(), 0, atoms.n(), gradient, e.data());
    expect_sums(e, 3, tolerance<Real>(),
                [&](int k, int n, double weight, auto) { return -weight * fields[k][n]; });
  });
}

TEST_P(MeshChargesOf, FieldFromThePotentialIsASumOverPoints)
{
  with_each_set([&](const auto &stencil, auto real) {
    using Real = decltype(real);
    const Array<Real> potential = random_field<Real>(4);
    std::vector<double> e(atoms.x.size(), NOT_A_NUMBER);
    interpolate_ad(stencil, atoms.arrays(), 0, atoms.n(), potential.data(), e.data());
    expect_sums(e, 3, tolerance<Real>(),
                [&](int k, int n, double, const auto &slopes) { return slopes[k] * potential[n]; });
  });
}

TEST_P(MeshChargesOf, ScalarsAreSumsOverPoints)
{
  with_each_set([&](const auto &stencil, auto real) {
    using Real = decltype(real);
    std::vector<Array<Real>> arrays;
    std::vector<const Real *> fields;
    for (int field = 0; field < 7; field++) arrays.push_back(random_field<Real>(field));
    for (const auto &array : arrays) fields.push_back(array.data());
    for (int nfields : {1, 6, 7}) {
      std::vector<double> values(atoms.n() * nfields, NOT_A_NUMBER);
      interpolate_scalars(stencil, atoms.arrays(), 0, atoms.n(), nfields, fields.data(),
                          values.data());
      expect_sums(values, nfields, tolerance<Real>(),
                  [&](int k, int n, double weight, auto) { return weight * arrays[k][n]; });
    }
  });
}

/** Threads compute parts of the atoms; a part may be empty or one atom. */
TEST_P(MeshChargesOf, PartsOfTheAtomsGiveTheSameAsAll)
{
  with_each_set([&](const auto &stencil, auto real) {
    using Real = decltype(real);
    const Array<Real> field = random_field<Real>(4);
    const Real *const fields[3] = {field.data(), field.data(), field.data()};
    auto all = mesh_array<Real>(Real(0)), parts = all;
    std::vector<double> e[2], slopes[2], scalars[2];
    for (auto *values : {e, slopes, scalars})
      for (int way = 0; way < 2; way++) values[way].assign(3 * atoms.n(), NOT_A_NUMBER);
    const auto compute = [&](int way, int first, int last, Real *density) {
      map_atoms(stencil, atoms.x.data(), first, last, atoms.point.data());
      spread_charges(stencil, atoms.arrays(), first, last, 1.0, density);
      interpolate_ik(stencil, atoms.arrays(), first, last, fields, e[way].data());
      interpolate_ad(stencil, atoms.arrays(), first, last, field.data(), slopes[way].data());
      interpolate_scalars(stencil, atoms.arrays(), first, last, 3, fields, scalars[way].data());
    };
    compute(0, 0, atoms.n(), all.data());
    compute(1, 0, 0, parts.data());
    compute(1, 0, 1, parts.data());
    compute(1, 1, atoms.n(), parts.data());
    EXPECT_EQ(all, parts);
    EXPECT_EQ(e[0], e[1]);
    EXPECT_EQ(slopes[0], slopes[1]);
    EXPECT_EQ(scalars[0], scalars[1]);
  });
}

/** Threads have planes of the mesh, one of them none. */
TEST_P(MeshChargesOf, PlanesOfThreadsGiveTheSameBitsAsAllTogether)
{
  const int lo = LO[2], hi = HI[2];
  with_each_set([&](const auto &stencil, auto real) {
    using Real = decltype(real);
    auto all = mesh_array<Real>(Real(7));
    spread_charges(stencil, atoms.arrays(), 0, atoms.n(), 3.0, all.data());
    for (int cut = lo; cut <= hi; cut++) {
      const int begin[] = {lo, cut, cut, std::min(cut + 2, hi), hi};
      auto density = mesh_array<Real>(Real(7));
      part_threads(4).run([&](int part) {
        spread_charges_in_planes(stencil, atoms.arrays(), 0, atoms.n(), 3.0, begin[part],
                                 begin[part + 1], density.data());
      });
      ASSERT_EQ(density, all) << "planes from " << cut;
    }
  });
}

/** What is there belongs to another thread; here it is a page without access. */
TEST_P(MeshChargesOf, ChargesInPlanesTouchNothingBehindTheirPlanes)
{
  const std::size_t plane = static_cast<std::size_t>(HI[0] - LO[0]) * (HI[1] - LO[1]);
  GuardedMemory memory(npoints() * sizeof(double));
  with_each_set([&](const auto &stencil, auto real) {
    using Real = decltype(real);
    auto all = mesh_array<Real>(Real(0));
    spread_charges(stencil, atoms.arrays(), 0, atoms.n(), 3.0, all.data());
    for (int end = LO[2] + 1; end <= HI[2]; end++) {
      const std::size_t n = (end - LO[2]) * plane;
      Real *const density = reinterpret_cast<Real *>(memory.end()) - n;
      std::fill_n(density, n, Real(0));
      spread_charges_in_planes(stencil, atoms.arrays(), 0, atoms.n(), 3.0, LO[2], end, density);
      ASSERT_TRUE(std::equal(density, density + n, all.data())) << "planes up to " << end;
    }
  });
}

TEST_P(MeshChargesOf, PointsAreThoseOfLammps)
{
  const auto stencil = mesh_stencil<double>(order);
  const LostAtoms lost = map_atoms(stencil, atoms.x.data(), 0, atoms.n(), atoms.point.data());
  EXPECT_EQ(lost.count, 0);
  EXPECT_EQ(lost.first, -1);
  const double shift = order % 2 ? 16384.5 : 16384.0;
  for (int n = 0; n < 3 * atoms.n(); n++)
    EXPECT_EQ(atoms.point[n],
              static_cast<int>((atoms.x[n] - BOXLO[n % 3]) * DELINV[n % 3] + shift) - 16384);
}

TEST_P(MeshChargesOf, AtomsOutsideOrNowhereAreCounted)
{
  const auto stencil = mesh_stencil<float>(order);
  const Atoms inside = atoms;
  const auto lost_with = [&](int i, int dim, double x) {
    atoms = inside;
    atoms.x[3 * i + dim] = x;
    const LostAtoms lost = map_atoms(stencil, atoms.x.data(), 0, atoms.n(), atoms.point.data());
    EXPECT_EQ(lost.first, lost.count ? i : -1) << x;
    if (!(std::abs(x) < 1e10)) { EXPECT_EQ(atoms.point[3 * i + dim], -16384) << x; }
    return lost.count;
  };
  const int last = inside.n() - 1;
  for (int dim = 0; dim < 3; dim++) {
    const double lowest = inside.x[dim], highest = inside.x[3 * 7 + dim];    // corners 0 and 7
    for (double x : {lowest - 1e-6, highest + 1e-6, NOT_A_NUMBER, INFINITE, -INFINITE, 1e300,
                     -1e300, 1e10, -1e10})
      EXPECT_EQ(lost_with(last, dim, x), 1) << x;
    for (double x : {lowest, highest}) EXPECT_EQ(lost_with(last, dim, x), 0) << x;
  }
  atoms = inside;
  atoms.x[3 * 5] = atoms.x[3 * 5 + 1] = atoms.x[3 * 9 + 2] = NOT_A_NUMBER;
  const LostAtoms lost = map_atoms(stencil, atoms.x.data(), 0, atoms.n(), atoms.point.data());
  EXPECT_EQ(lost.count, 2);
  EXPECT_EQ(lost.first, 5);
}

std::vector<Case> cases()
{
  std::vector<Case> found;
  for (int order = MeshStencil<double>::MIN_ORDER; order <= MeshStencil<double>::MAX_ORDER; order++)
    for (bool single : {false, true}) found.push_back({order, single});
  return found;
}

INSTANTIATE_TEST_SUITE_P(Orders, MeshChargesOf, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case> &info) {
                           return "Order" + std::to_string(info.param.order) +
                               (info.param.single ? "Single" : "Double");
                         });

/** A position is the corner of the box and parts of its edges. */
TEST(Fractions, OfATriclinicBoxGiveThePositionsBack)
{
  constexpr double XX = 20.0, YY = 16.0, ZZ = 12.0, YZ = -5.0, XZ = 3.0, XY = 7.0;
  const TriclinicBox box{{-3.0, 1.5, 40.0},
                         {1.0 / XX, 1.0 / YY, 1.0 / ZZ, -YZ / (YY * ZZ),
                          (XY * YZ - YY * XZ) / (XX * YY * ZZ), -XY / (XX * YY)}};
  const std::vector<double> x{-3.0, 1.5, 40.0, 24.0, 9.0, 47.0, -11.0, 3.25, 30.0, 0.1, 0.2, 0.3};
  std::vector<double> fraction(x.size(), 7.0);
  find_fractions(box, x.data(), 1, 4, fraction.data());
  for (int dim = 0; dim < 3; dim++) EXPECT_EQ(fraction[dim], 7.0);
  for (int i = 1; i < 4; i++) {
    const double *const f = &fraction[3 * i];
    EXPECT_NEAR(box.lo[0] + XX * f[0] + XY * f[1] + XZ * f[2], x[3 * i], 1e-13);
    EXPECT_NEAR(box.lo[1] + YY * f[1] + YZ * f[2], x[3 * i + 1], 1e-13);
    EXPECT_NEAR(box.lo[2] + ZZ * f[2], x[3 * i + 2], 1e-13);
  }
}

}    // namespace
