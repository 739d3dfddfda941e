// SPDX-License-Identifier: GPL-2.0-only
//
// The vectorised kernels of bonds, angles, dihedrals and impropers against energies in long double
// and their numerical derivatives.

#include "unit/kernels/data/compared_values.h"

#include "kernels/bonded/angles.h"
#include "kernels/bonded/bonds.h"
#include "kernels/bonded/dihedrals.h"
#include "kernels/bonded/one_three_pairs.h"

using namespace TOFU_NS;
using TOFU_TEST::largest;
using TOFU_TEST::VIRIAL_DIMS;

namespace {

constexpr int NATOMS = 60, NTYPES = 3;

using Real = long double;
using Point = std::array<Real, 3>;

Point operator-(const Point &a, const Point &b)
{
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Real dot(const Point &a, const Point &b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Point cross(const Point &a, const Point &b)
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Real norm(const Point &a)
{
  return std::sqrt(dot(a, a));
}

Real angle(const Point *x)
{
  const Point a = x[0] - x[1], b = x[2] - x[1];
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

// 0 if atoms 1 and 4 are on the same side; the sign is that of LAMMPS

Real dihedral(const Point *x)
{
  const Point b1 = x[1] - x[0], b2 = x[2] - x[1], b3 = x[3] - x[2];
  return std::atan2(norm(b2) * dot(b1, cross(b2, b3)), dot(cross(b1, b2), cross(b2, b3)));
}

Real harmonic(Real k, Real difference)
{
  return k * difference * difference;
}

// tables that the kernel of 1-4 pairs reads

struct OneFourSystem {
  std::vector<double> q;
  std::vector<int> type;
  std::vector<std::vector<double>> tables[4];
  std::vector<const double *> rows[4];

  OneFourSystem()
  {
    for (int i = 0; i < NATOMS; i++) {
      q.push_back(0.3 * std::cos(i));
      type.push_back(1 + i % 2);
    }
    for (int t = 0; t < 4; t++) {
      for (int i = 0; i < 3; i++)
        tables[t].push_back({0.0, 0.3 + 0.1 * i + 0.2 * t, 0.7 - 0.1 * i + 0.3 * t});
      for (const auto &row : tables[t]) rows[t].push_back(row.data());
    }
    for (int i = 0; i < 3; i++)    // force is the slope of the energy
      for (int j = 0; j < 3; j++) {
        tables[0][i][j] = 12.0 * tables[2][i][j];
        tables[1][i][j] = 6.0 * tables[3][i][j];
      }
  }

  OneFourTables view(bool implicit) const
  {
    return {q.data(),       type.data(), rows[0].data(), rows[1].data(), rows[2].data(),
            rows[3].data(), 2.5,         implicit};
  }
};

const OneFourSystem ONE_FOUR;

struct Potential {
  std::string name;
  int natoms;
  std::array<double, 4> coefficients;    // of type 1; other types have a larger first one
  std::function<void(const BondedCoefficients &, const BondedJob &, PairTally &)> kernel;
  std::function<Real(const Point *, const double *c, const int *atoms)> energy;
};

Real one_four_energy(const Point *x, const double *c, const int *atoms)
{
  const Real r2inv = 1.0 / dot(x[0] - x[1], x[0] - x[1]), r6inv = r2inv * r2inv * r2inv;
  const int itype = ONE_FOUR.type[atoms[0]], jtype = ONE_FOUR.type[atoms[1]];
  return c[0] *
      (r6inv * (ONE_FOUR.tables[2][itype][jtype] * r6inv - ONE_FOUR.tables[3][itype][jtype]) +
       2.5 * ONE_FOUR.q[atoms[0]] * ONE_FOUR.q[atoms[1]] * std::sqrt(r2inv));
}

OneFourTables shifted_tables()
{
  OneFourTables tables = ONE_FOUR.view(false);
  tables.shifted = true;
  tables.inverse_cut = 0.4;
  tables.shift3 = 0.3;
  tables.shift4 = 0.2;
  return tables;
}

Real shifted_one_four_energy(const Point *x, const double *c, const int *atoms)
{
  const int itype = ONE_FOUR.type[atoms[0]], jtype = ONE_FOUR.type[atoms[1]];
  return one_four_energy(x, c, atoms) +
      c[0] *
      (0.2 * ONE_FOUR.tables[3][itype][jtype] - 0.3 * ONE_FOUR.tables[2][itype][jtype] +
       2.5 * ONE_FOUR.q[atoms[0]] * ONE_FOUR.q[atoms[1]] * (0.16 * norm(x[0] - x[1]) - 0.8));
}

Real fene_energy(const Point *x, const double *c, const int *)
{
  const Real rsq = dot(x[0] - x[1], x[0] - x[1]);
  Real energy = -0.5 * c[0] * c[1] * std::log(1.0 - rsq / c[1]);
  if (rsq < std::cbrt(Real(2.0)) * c[3]) {
    const Real sr6 = c[3] * c[3] * c[3] / (rsq * rsq * rsq);
    energy += 4.0 * c[2] * sr6 * (sr6 - 1.0) + c[2];
  }
  return energy;
}

Real opls_energy(const Point *x, const double *c, const int *)
{
  const Real phi = dihedral(x);
  return c[0] * (1 + std::cos(phi)) + c[1] * (1 - std::cos(2 * phi)) +
      c[2] * (1 + std::cos(3 * phi)) + c[3] * (1 - std::cos(4 * phi));
}

// tables of k (x - x0)^2, of which a spline makes no error

struct CurveSystem {
  static constexpr int NPOINTS = 40;
  static constexpr double DELTA = 0.17, K = 9.0, X0 = 1.3;
  double e[NPOINTS], e2[NPOINTS], f[NPOINTS], f2[NPOINTS];
  BondedTables tables;

  CurveSystem(BondedTables::Ends ends, bool has_forces, double lo = 0.0)
  {
    for (int i = 0; i < NPOINTS; i++) {
      const double dx = lo + i * DELTA - X0;
      e[i] = K * dx * dx;
      e2[i] = 2.0 * K;
      f[i] = -2.0 * K * dx;
      f2[i] = 0.0;
    }
    BondedTables::Table one;
    one.e = e;
    one.e2 = e2;
    if (has_forces) {
      one.f = f;
      one.f2 = f2;
    }
    one.lo = lo;
    one.invdelta = 1.0 / DELTA;
    one.deltasq6 = DELTA * DELTA / 6.0;
    one.has_forces = has_forces;
    tables.tables.assign(NTYPES + 1, one);
    tables.npoints = NPOINTS;
    tables.splines = true;
    tables.ends = ends;
  }

  static Real energy(Real x) { return harmonic(K, x - X0); }
};

const CurveSystem LAST_CURVE(BondedTables::Ends::LAST, true);
const CurveSystem PERIODIC_CURVE(BondedTables::Ends::PERIODIC, false);
const CurveSystem CURVE_OF_BONDS(BondedTables::Ends::REFUSED, true, 0.35);

const double SHIFTS[NTYPES + 1] = {0.0, 0.05, -0.1, 0.2};
const double CROSS[NTYPES + 1][AngleFormTables::NCROSS] = {
    {},
    {3.0, 1.1, 0.9, 0.0, 2.0, -1.5, 0.8, 1.2, 1.5, -0.7},
    {-2.0, 0.7, 1.2, 0.0, 1.0, 2.5, 1.1, 0.9, -0.6, 2.1},
    {}};
constexpr int NTERMS = 3;
const double TERMS[NTYPES + 1][NTERMS][4] = {
    {},
    {{0.8, 3.0, 1.0, 0.0}, {1.2, 2.0, -1.0, 0.0}, {0.4, 1.0, 0.6, 0.8}},
    {{1.1, 4.0, 0.8, -0.6}},
    {{0.7, 0.0, 1.0, 0.0}, {0.5, 6.0, 0.0, 1.0}}};
const double POWERS[NTYPES + 1][8] = {
    {}, {1.0, -2.0, 0.5, 1.5, -0.7}, {0.5, 1.0, 0.2, -0.3, 0.2, 0.4, -0.6, 0.1}, {3.0}};
const double PRODUCTS[NTYPES + 1][Class2Dihedrals::N] = {
    {},
    {1.0, -0.5, 0.3, 0.4, 0.8, -0.2, 2.0,  0.0, 1.0, 2.0, -1.5, 0.9,
     1.0, -0.6, 0.3, 1.1, 0.5, 0.7,  -0.2, 1.2, 0.8, 0.5, -0.3, 1.7,
     0.4, 0.6,  0.2, 1.9, 4.0, 1.8,  1.6,  0.0, 6.0, 0.8, 1.1,  0.0},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.5, 0.0, 1.2, 0.0, 0.6, 0.0, 0.9, 0.5, 0.0,
     0.3, 1.2, 0.0, 0.0, 0.3, 1.5, 0.4, 0.0, 0.0,  1.4, 0.0, 0.0, 0.0, 0.0, 2.0, 0.7, 0.9, 0.0},
    {}};
const int TURNS[NTYPES + 1] = {0, 1, 0, 1};
const double ANGLES[NTYPES + 1][4] = {
    {}, {3.0, 1.8, 1.6, 1.7}, {-1.0, 1.5, 1.9, 2.0}, {0.5, 1.7, 1.7, 1.7}};

Real fene_expand_energy(const Point *x, const double *c, const int *atoms)
{
  const Point shifted[2] = {{norm(x[0] - x[1]) - SHIFTS[atoms[2]], 0.0, 0.0}, {0.0, 0.0, 0.0}};
  return fene_energy(shifted, c, atoms);
}

Real quartic(const double *c, Real d)
{
  return d * d * (c[0] + d * (c[1] + d * c[2]));
}

Real gromos_energy(const Point *x, const double *c, const int *)
{
  return harmonic(c[0], dot(x[0] - x[1], x[0] - x[1]) - c[1]);
}

Real nonlinear_energy(const Point *x, const double *c, const int *)
{
  const Real d = norm(x[0] - x[1]) - c[1];
  return c[0] * d * d / (c[2] - d * d);
}

Real quartic_bond_energy(const Point *x, const double *c, const int *atoms)
{
  const Real r = norm(x[0] - x[1]), d = r - c[3], sr6 = std::pow(r, Real(-6));
  return c[0] * d * d * (d - c[1]) * (d - c[2]) + SHIFTS[atoms[2]] + 4 * sr6 * (sr6 - 1) + 1;
}

// pairs of three types of atoms with all powers; those of type 3 are too far apart

struct OneThreeSystem {
  static constexpr int N = 4;
  std::vector<int> type;
  int kinds[N][N] = {{}, {0, 1, 2, 1}, {0, 2, 4, 3}, {0, 1, 3, 1}};
  double powers[2][5] = {{0.0, 9.0, 12.0, 12.0, 12.0}, {0.0, 6.0, 4.0, 6.0, 5.0}};
  double values[6][N][N];
  const int *kind_rows[N];
  const double *rows[6][N];

  OneThreeSystem()
  {
    for (int i = 0; i < NATOMS; i++) type.push_back(1 + i / 2 % 3);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        const int kind = kinds[i][j];
        values[2][i][j] = 0.7 + 0.1 * (i + j);
        values[3][i][j] = 0.3 + 0.2 * (i + j);
        values[0][i][j] = powers[0][kind] * values[2][i][j];
        values[1][i][j] = powers[1][kind] * values[3][i][j];
        values[4][i][j] = i == 3 && j == 3 ? 0.8 : 1.3;
        values[5][i][j] = -0.1 * (i + j);
      }
    for (int i = 0; i < N; i++) {
      kind_rows[i] = kinds[i];
      for (int t = 0; t < 6; t++) rows[t][i] = values[t][i];
    }
  }

  OneThreeTables view() const
  {
    return {type.data(), kind_rows, powers[0], powers[1], rows[0],
            rows[1],     rows[2],   rows[3],   rows[4],   rows[5]};
  }
};

const OneThreeSystem ONE_THREE;

Real one_three_energy(const Point *x, const double *, const int *atoms)
{
  const int i = ONE_THREE.type[atoms[0]], j = ONE_THREE.type[atoms[1]];
  if (i == 3 && j == 3) return 0.0;
  const int kind = ONE_THREE.kinds[i][j];
  const Real r = norm(x[0] - x[1]);
  return ONE_THREE.values[2][i][j] * std::pow(r, Real(-ONE_THREE.powers[0][kind])) -
      ONE_THREE.values[3][i][j] * std::pow(r, Real(-ONE_THREE.powers[1][kind])) -
      ONE_THREE.values[5][i][j];
}

Real class2_angle_energy(const Point *x, const double *c, const int *atoms)
{
  const double *const k = CROSS[atoms[3]];
  const Real r1 = norm(x[0] - x[1]), r2 = norm(x[2] - x[1]), d = angle(x) - c[3];
  return quartic(c, d) + k[0] * (r1 - k[1]) * (r2 - k[2]) +
      d * (k[4] * (r1 - k[6]) + k[5] * (r2 - k[7]));
}

Real class2_p6_angle_energy(const Point *x, const double *c, const int *atoms)
{
  const double *const k = CROSS[atoms[3]];
  const Real d = angle(x) - c[3];
  return class2_angle_energy(x, c, atoms) + std::pow(d, Real(5)) * (k[8] + k[9] * d);
}

Real series_energy(const Point *x, const double *, const int *atoms)
{
  const Real phi = dihedral(x);
  Real energy = 0.0;
  for (const auto &term : TERMS[atoms[4]])
    energy += term[0] * (1 + term[2] * std::cos(term[1] * phi) + term[3] * std::sin(term[1] * phi));
  return energy;
}

Real quadratic_energy(const Point *x, const double *c, const int *)
{
  const Real turn = 2 * std::acos(Real(-1.0));
  return harmonic(c[0], std::remainder(dihedral(x) - Real(c[1]), turn));
}

Real table_energy(const Point *x, const double *, const int *)
{
  const Real phi = dihedral(x);
  return CurveSystem::energy(phi < 0 ? phi + 2 * std::acos(Real(-1.0)) : phi);
}

Real powers_energy(const Point *x, const double *, const int *atoms)
{
  Real energy = 0.0;
  for (int power = 7; power >= 0; power--)
    energy = energy * std::cos(dihedral(x)) + POWERS[atoms[4]][power];
  return energy;
}

Real class2_dihedral_energy(const Point *x, const double *, const int *atoms)
{
  const double *const k = PRODUCTS[atoms[4]];
  const Real phi = dihedral(x);
  const Real r[3] = {norm(x[0] - x[1]), norm(x[2] - x[1]), norm(x[3] - x[2])};
  const Real theta[2] = {angle(x), angle(x + 1)};
  Real energy = k[6];
  for (int n = 1; n <= 3; n++)
    energy -= k[n - 1] * std::cos(n * phi) + k[n + 2] * std::sin(n * phi);
  const auto product = [&](const double *f, Real value) {
    return (value - f[3]) *
        (f[0] * std::cos(phi) + f[1] * std::cos(2 * phi) + f[2] * std::cos(3 * phi));
  };
  energy += product(k + Class2Dihedrals::MIDDLE_BOND, r[1]);
  energy += product(k + Class2Dihedrals::FIRST_BOND, r[0]);
  energy += product(k + Class2Dihedrals::LAST_BOND, r[2]);
  energy += product(k + Class2Dihedrals::FIRST_ANGLE, theta[0]);
  energy += product(k + Class2Dihedrals::LAST_ANGLE, theta[1]);
  energy += k[28] * (theta[0] - k[29]) * (theta[1] - k[30]) * std::cos(phi);
  return energy + k[32] * (r[0] - k[33]) * (r[2] - k[34]);
}

Real umbrella_term(const double *c, const Point &first, const Point &second, const Point &last)
{
  const Point normal = cross(first, second);
  const Real sine = dot(normal, last) / (norm(normal) * norm(last));
  const bool other_side = dot(last, first) / norm(first) + dot(last, second) / norm(second) > 0;
  const Real d = (other_side ? -1 : 1) * std::sqrt(1 - sine * sine) - c[3];
  return c[0] + d * (c[1] + d * c[2]);
}

Real umbrella_energy(const Point *x, const double *c, const int *atoms)
{
  const Point a = x[1] - x[0], b = x[2] - x[0], d = x[3] - x[0];
  Real energy = umbrella_term(c, a, b, d);
  if (TURNS[atoms[4]]) energy += umbrella_term(c, d, a, b) + umbrella_term(c, b, d, a);
  return energy;
}

Real class2_improper_energy(const Point *x, const double *c, const int *atoms)
{
  const Point a[3] = {x[0] - x[1], x[2] - x[1], x[3] - x[1]};
  const Real triple = dot(a[0], cross(a[1], a[2]));
  const double *const k = ANGLES[atoms[4]];
  Real chi = 0.0;
  for (int i = 0; i < 3; i++)
    chi += std::asin(triple / (norm(a[i]) * norm(cross(a[(i + 1) % 3], a[(i + 2) % 3])))) / 3;
  const auto difference = [&](int i, int j, double theta0) {
    return std::atan2(norm(cross(a[i], a[j])), dot(a[i], a[j])) - theta0;
  };
  const Real ab = difference(0, 1, k[1]), ac = difference(0, 2, k[2]), bc = difference(1, 2, k[3]);
  return harmonic(c[0], chi - c[1]) + c[2] * ab * bc + c[3] * ab * ac + k[0] * ac * bc;
}

Real inversion_energy(const Point *x, const double *c, const int *)
{
  const Point bonds[3] = {x[1] - x[0], x[2] - x[0], x[3] - x[0]};
  Real energy = 0.0;
  for (int i = 0; i < 3; i++) {
    const Point normal = cross(bonds[(i + 1) % 3], bonds[(i + 2) % 3]);
    const Real sine = dot(normal, bonds[i]) / (norm(normal) * norm(bonds[i]));
    energy += harmonic(c[0], std::asin(std::fabs(sine)) - c[1]);
  }
  return energy;
}

Real distance_energy(const Point *x, const double *c, const int *)
{
  const Point normal = cross(x[2] - x[1], x[3] - x[1]);
  const Real d = dot(normal, x[0] - x[1]) / norm(normal);
  return d * d * (c[0] + c[1] * d * d);
}

using Kernel = decltype(Potential::kernel);

/** A kernel with its first arguments, which come before the coefficients. */
template <class Function, class... First> Kernel with(Function *kernel, const First &...first)
{
  return [=](const BondedCoefficients &c, const BondedJob &job, PairTally &tally) {
    kernel(first..., c, job, tally);
  };
}

Kernel bond_as(BondForm form)
{
  return with(bond_of_length, form, BondFormTables{SHIFTS, &CURVE_OF_BONDS.tables});
}

Kernel angle_as(AngleForm form)
{
  return with(angle_of_form, form, AngleFormTables{CROSS[0], &LAST_CURVE.tables});
}

Kernel dihedral_as(DihedralForm form)
{
  return with(dihedral_of_form, form,
              DihedralFormTables{TERMS[0][0], NTERMS, &PERIODIC_CURVE.tables});
}

const auto harmonic_bond = [](const Point *x, const double *c, const int *) {
  return harmonic(c[0], norm(x[0] - x[1]) - c[1]);
};
const auto morse_bond = [](const Point *x, const double *c, const int *) {
  return harmonic(c[0], 1 - std::exp(-c[1] * (norm(x[0] - x[1]) - c[2])));
};
const auto class2_bond = [](const Point *x, const double *c, const int *) {
  return quartic(c, norm(x[0] - x[1]) - c[3]);
};
const auto bond_table = [](const Point *x, const double *, const int *) {
  return CurveSystem::energy(norm(x[0] - x[1]));
};
const auto shifted_cosine_angle = [](const Point *x, const double *c, const int *) {
  return c[0] - c[1] * std::cos(angle(x)) - c[2] * std::sin(angle(x));
};
const auto repulsion = [](const BondedCoefficients &, const BondedJob &job, PairTally &tally) {
  one_three_pairs(ONE_THREE.view(), job, tally);
};
const auto harmonic_angle = [](const Point *x, const double *c, const int *) {
  return harmonic(c[0], angle(x) - c[1]);
};
const auto charmm_angle = [](const Point *x, const double *c, const int *) {
  return harmonic(c[0], angle(x) - c[1]) + harmonic(c[2], norm(x[0] - x[2]) - c[3]);
};
const auto cosine_angle = [](const Point *x, const double *c, const int *) {
  const Real d = std::cos(angle(x)) - c[3];
  return c[0] + d * (c[1] + d * c[2]);
};
const auto periodic_angle = [](const Point *x, const double *c, const int *) {
  return c[2] - c[0] * std::cos(c[1] * angle(x));
};
const auto quartic_angle = [](const Point *x, const double *c, const int *) {
  return quartic(c, angle(x) - c[3]);
};
const auto angle_table = [](const Point *x, const double *, const int *) {
  return CurveSystem::energy(angle(x));
};
const auto cosine_dihedral = [](const Point *x, const double *c, const int *) {
  return c[0] * (1 + std::cos(3 * dihedral(x) - Real(0.6)));
};
const auto constant_dihedral = [](const Point *, const double *c, const int *) {
  return Real(2.0) * c[0];
};
const auto harmonic_improper = [](const Point *x, const double *c, const int *) {
  return harmonic(c[0], std::fabs(dihedral(x)) - c[1]);
};

const std::vector<Potential> POTENTIALS = {
    {"bond harmonic", 2, {30.0, 0.9}, bond_harmonic, harmonic_bond},
    {"bond fene", 2, {30.0, 2.25, 1.3, 1.1}, bond_fene, fene_energy},
    {"1-4 pairs", 2, {0.5}, with(one_four_pairs, ONE_FOUR.view(false)), one_four_energy},
    {"1-4 pairs, shifted",
     2,
     {0.5},
     with(one_four_pairs, shifted_tables()),
     shifted_one_four_energy},
    {"angle harmonic", 3, {20.0, 1.9}, angle_harmonic, harmonic_angle},
    {"angle charmm", 3, {20.0, 1.9, 7.0, 1.4}, angle_charmm, charmm_angle},
    {"dihedral cosine, n = 3",
     4,
     {1.7, 3.0, std::cos(0.6), std::sin(0.6)},
     dihedral_cosine,
     cosine_dihedral},
    {"dihedral cosine, n = 0", 4, {1.7, 0.0, 1.0, 0.0}, dihedral_cosine, constant_dihedral},
    {"dihedral opls", 4, {1.1, -0.7, 0.9, 0.4}, dihedral_opls, opls_energy},
    {"improper harmonic", 4, {12.0, 0.4}, improper_harmonic, harmonic_improper},
    {"bond morse", 2, {8.0, 1.9, 0.9}, bond_as(BondForm::MORSE), morse_bond},
    {"bond fene expand",
     2,
     {30.0, 2.25, 1.3, 1.1},
     bond_as(BondForm::FENE_EXPAND),
     fene_expand_energy},
    {"bond class2", 2, {30.0, -9.0, 7.0, 0.9}, bond_as(BondForm::CLASS2), class2_bond},
    {"bond gromos", 2, {30.0, 0.81}, bond_as(BondForm::GROMOS), gromos_energy},
    {"bond nonlinear", 2, {30.0, 0.9, 1.4}, bond_as(BondForm::NONLINEAR), nonlinear_energy},
    {"bond quartic", 2, {12.0, -0.6, 0.3, 1.5}, bond_as(BondForm::QUARTIC), quartic_bond_energy},
    {"bond table", 2, {}, bond_as(BondForm::TABLE), bond_table},
    {"1-3 pairs", 2, {}, repulsion, one_three_energy},
    {"angle cosine", 3, {2.0, 3.0, 4.0, -0.3}, angle_as(AngleForm::COSINE), cosine_angle},
    {"angle periodic", 3, {2.0, 4.0, 9.0}, angle_as(AngleForm::PERIODIC), periodic_angle},
    {"angle quartic", 3, {20.0, -8.0, 5.0, 1.9}, angle_as(AngleForm::POLYNOMIAL), quartic_angle},
    {"angle class2", 3, {20.0, -8.0, 5.0, 1.9}, angle_as(AngleForm::CLASS2), class2_angle_energy},
    {"angle class2 p6",
     3,
     {20.0, -8.0, 5.0, 1.9},
     angle_as(AngleForm::CLASS2_P6),
     class2_p6_angle_energy},
    {"angle cosine shift",
     3,
     {-2.0, 1.5, -0.8},
     angle_as(AngleForm::COSINE_SHIFT),
     shifted_cosine_angle},
    {"angle table", 3, {}, angle_as(AngleForm::TABLE), angle_table},
    {"dihedral series", 4, {}, dihedral_as(DihedralForm::SERIES), series_energy},
    {"dihedral quadratic", 4, {5.0, 0.7}, dihedral_as(DihedralForm::QUADRATIC), quadratic_energy},
    {"dihedral table", 4, {}, dihedral_as(DihedralForm::TABLE), table_energy},
    {"dihedral powers", 4, {}, with(dihedral_powers, CosinePowers{POWERS[0], 8}), powers_energy},
    {"dihedral class2",
     4,
     {},
     with(dihedral_class2, Class2Dihedrals{PRODUCTS[0]}),
     class2_dihedral_energy},
    {"improper umbrella",
     4,
     {2.0, 3.0, -4.0, 0.3},
     with(improper_umbrella, &TURNS[0]),
     umbrella_energy},
    {"improper inversion", 4, {12.0, 0.3}, improper_inversion, inversion_energy},
    {"improper distance", 4, {12.0, 7.0}, improper_distance, distance_energy},
    {"improper class2",
     4,
     {12.0, 0.1, 3.0, -2.0},
     with(improper_class2, &ANGLES[0][0]),
     class2_improper_energy},
};

struct System {
  const Potential &potential;
  std::vector<double> x = std::vector<double>(3 * NATOMS + 1, 0.0);
  std::vector<int> list;
  std::vector<double> table = std::vector<double>(4 * (NTYPES + 1), 0.0);
  int n;

  // a chain of atoms at a distance of 1, which is bent everywhere; each interaction has atoms in a
  // row

  System(const Potential &potential_in, int n_in) : potential(potential_in), n(n_in)
  {
    std::mt19937 random(4711);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int i = 1; i < NATOMS; i++) {
      const double step[3] = {0.7, i % 2 ? 0.6 : -0.3 - 0.4 * uniform(random),
                              (i % 3 - 1.0) * (0.3 + 0.5 * uniform(random))};
      const double length = std::sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
      for (int dim = 0; dim < 3; dim++) x[3 * i + dim] = x[3 * (i - 1) + dim] + step[dim] / length;
    }
    for (int k = 0; k < n; k++) {
      const int first = (k * 7) % (NATOMS - 3);
      for (int a = 0; a < potential.natoms; a++)
        list.push_back(k % 2 ? first + a : first + potential.natoms - 1 - a);
      list.push_back(1 + k % NTYPES);
    }
    for (int type = 1; type <= NTYPES; type++) {
      std::copy(potential.coefficients.begin(), potential.coefficients.end(), &table[4 * type]);
      table[4 * type] *= type;
    }
  }

  const int *row(int k) const
  {
    return &list[static_cast<std::size_t>(k) * (potential.natoms + 1)];
  }

  Real energy(int k, int moved, int dim, Real shift) const
  {
    Point points[4];
    for (int a = 0; a < potential.natoms; a++)
      for (int d = 0; d < 3; d++)
        points[a][d] = x[3 * row(k)[a] + d] + (a == moved && d == dim ? shift : Real(0));
    return potential.energy(points, &table[4 * row(k)[potential.natoms]], row(k));
  }

  Real force(int k, int a, int dim) const
  {
    const Real h = 1e-3;
    const auto slope = [&](Real step) {
      return (energy(k, a, dim, step) - energy(k, a, dim, -step)) / (2 * step);
    };
    return -(64 * slope(h) - 20 * slope(2 * h) + slope(4 * h)) / 45;
  }
};

struct Result {
  std::vector<double> f = std::vector<double>(3 * NATOMS, 0.0);
  std::vector<double> eatom = std::vector<double>(NATOMS, 0.0);
  std::vector<std::array<double, 6>> vatom =
      std::vector<std::array<double, 6>>(NATOMS, {0, 0, 0, 0, 0, 0});
  PairTally tally;
  std::vector<int> flagged;

  double energy() const { return tally.evdwl + tally.ecoul; }
};

void run(const System &system, BondedJob job, Result &result, bool tallied = true)
{
  job.x = system.x.data();
  job.f = result.f.data();
  job.list = system.list.data();
  job.tallied = tallied;
  if (tallied) {
    job.flagged = &result.flagged;
    result.tally.eatom = result.eatom.data();
    result.tally.vatom = reinterpret_cast<double(*)[6]>(result.vatom[0].data());
  }
  system.potential.kernel({system.table.data()}, job, result.tally);
}

Result run_all(const System &system, bool tallied = true)
{
  Result result;
  BondedJob job;
  job.n = job.ninner = system.n;
  run(system, job, result, tallied);
  return result;
}

class Bonded : public testing::TestWithParam<std::size_t> {
 protected:
  const Potential &potential = POTENTIALS[GetParam()];
};

TEST_P(Bonded, EnergyAndForcesAreThoseOfTheFormula)
{
  for (int n : {1, 2, 3, 5, 8, 9, 16, 41}) {
    const System system(potential, n);
    const Result found = run_all(system);
    Real energy = 0.0;
    std::vector<double> f(3 * NATOMS, 0.0);
    for (int k = 0; k < n; k++) {
      energy += system.energy(k, 0, 0, 0.0);
      for (int a = 0; a < potential.natoms; a++)
        for (int dim = 0; dim < 3; dim++)
          f[3 * system.row(k)[a] + dim] += static_cast<double>(system.force(k, a, dim));
    }
    EXPECT_NEAR(found.energy(), static_cast<double>(energy), 1e-13 * std::fabs(energy) * n) << n;
    for (int i = 0; i < 3 * NATOMS; i++)
      EXPECT_NEAR(found.f[i], f[i], 1e-10 * largest(f) + 1e-13) << n << " " << i;
    EXPECT_TRUE(found.flagged.empty());
  }
}

TEST_P(Bonded, VirialIsTheSumOfPositionsTimesForces)
{
  const System system(potential, 41);
  const Result found = run_all(system);
  for (int c = 0; c < 6; c++) {
    double expected = 0.0, scale = 0.0;
    for (int i = 0; i < NATOMS; i++) {
      const double term = system.x[3 * i + VIRIAL_DIMS[c][0]] * found.f[3 * i + VIRIAL_DIMS[c][1]];
      expected += term;
      scale += std::fabs(term);
    }
    EXPECT_NEAR(found.tally.virial[c], expected, 1e-13 * scale + 1e-13) << c;
  }
}

TEST_P(Bonded, AtomsShareWhatTheWholeHas)
{
  const System system(potential, 41);
  const Result found = run_all(system);
  double energy = 0.0, virial[6] = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < NATOMS; i++) {
    energy += found.eatom[i];
    for (int c = 0; c < 6; c++) virial[c] += found.vatom[i][c];
  }
  EXPECT_NEAR(energy, found.energy(), 1e-12 * std::fabs(energy));
  for (int c = 0; c < 6; c++)
    EXPECT_NEAR(virial[c], found.tally.virial[c], 1e-12 * (std::fabs(virial[c]) + 1.0));
}

TEST_P(Bonded, PartsChangeTheirAtomsOnlyAndAddUp)
{
  const System system(potential, 41);
  const Result whole = run_all(system);
  const int bounds[4] = {0, 13, 14, NATOMS};
  double energy = 0.0, virial[6] = {0, 0, 0, 0, 0, 0};
  for (int part = 0; part < 3; part++) {
    const int begin = bounds[part], end = bounds[part + 1];
    std::vector<int> order, shared;
    std::vector<unsigned char> own;
    for (int k = 0; k < system.n; k++) {
      unsigned bits = 0;
      for (int a = 0; a < potential.natoms; a++)
        if (system.row(k)[a] >= begin && system.row(k)[a] < end) bits |= 1u << a;
      if (bits == (1u << potential.natoms) - 1) order.push_back(k);
      if (bits == 0 || bits == (1u << potential.natoms) - 1) continue;
      shared.push_back(k);
      own.push_back(static_cast<unsigned char>(bits));
    }
    BondedJob job;
    job.ninner = static_cast<int>(order.size());
    order.insert(order.end(), shared.begin(), shared.end());
    job.n = static_cast<int>(order.size());
    job.order = order.data();
    job.own = own.data();
    Result found, forces;
    run(system, job, found);
    run(system, job, forces, false);

    energy += found.energy();
    for (int c = 0; c < 6; c++) virial[c] += found.tally.virial[c];
    for (int i = 0; i < NATOMS; i++) {
      const bool mine = i >= begin && i < end;
      for (const std::vector<double> &f : {found.f, forces.f})
        for (int dim = 0; dim < 3; dim++)
          EXPECT_NEAR(f[3 * i + dim], mine ? whole.f[3 * i + dim] : 0.0,
                      mine ? 1e-13 * largest(whole.f) : 0.0);
      EXPECT_NEAR(found.eatom[i], mine ? whole.eatom[i] : 0.0, mine ? 1e-12 : 0.0);
      EXPECT_NEAR(found.vatom[i][4], mine ? whole.vatom[i][4] : 0.0, mine ? 1e-12 : 0.0);
    }
  }
  EXPECT_NEAR(energy, whole.energy(), 1e-12 * std::fabs(energy));
  for (int c = 0; c < 6; c++)
    EXPECT_NEAR(virial[c], whole.tally.virial[c], 1e-12 * (std::fabs(virial[c]) + 1.0));
}

TEST_P(Bonded, ForcesAreTheSameWithoutTallies)
{
  const System system(potential, 41);
  const Result found = run_all(system, false);
  EXPECT_EQ(found.f, run_all(system).f);
  EXPECT_EQ(found.tally.evdwl, 0.0);
  EXPECT_EQ(found.tally.virial[0], 0.0);
}

INSTANTIATE_TEST_SUITE_P(Potentials, Bonded, testing::Range<std::size_t>(0, POTENTIALS.size()),
                         [](const testing::TestParamInfo<std::size_t> &info) {
                           std::string name = POTENTIALS[info.param].name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

const Potential &potential_of(const std::string &name)
{
  return *std::find_if(POTENTIALS.begin(), POTENTIALS.end(),
                       [&](const Potential &potential) { return potential.name == name; });
}

TEST(FENE, BondsThatAreTooLongAreReportedOnceAndTheirForceGrowsNoMore)
{
  System system(potential_of("bond fene"), 11);
  const int *const row = system.row(4);
  for (int dim = 0; dim < 3; dim++)    // r = 1.6 r0
    system.x[3 * row[0] + dim] = system.x[3 * row[1] + dim] + (dim == 2 ? 2.4 : 0.0);
  const Result found = run_all(system);
  ASSERT_FALSE(found.flagged.empty());
  EXPECT_EQ(std::count(found.flagged.begin(), found.flagged.end(), 4), 1);
  for (int k : found.flagged)
    EXPECT_TRUE(std::count(system.row(k), system.row(k) + 2, row[0])) << k;
  EXPECT_TRUE(std::isfinite(found.energy()));
  EXPECT_LT(largest(found.f), 2.0 * 3.0 * 30.0 / 0.1 * 2.4);
}

TEST(Quartic, BondsThatAreTooLongAreReportedAndBrokenOnesDoNothing)
{
  System system(potential_of("bond quartic"), 11);
  int *const row = &system.list[3 * 4];
  row[0] = 52;    // no other bond has these atoms
  row[1] = 53;
  const double place = system.x[3 * 52];
  system.x[3 * 52] = system.x[3 * 53] + 1.6;
  const Result broken = run_all(system);
  EXPECT_EQ(broken.flagged, std::vector<int>{4});
  for (int i = 3 * 52; i < 3 * 54; i++) EXPECT_EQ(broken.f[i], 0.0);

  row[2] = 0;
  system.x[3 * 52] = place;
  const Result later = run_all(system);
  EXPECT_TRUE(later.flagged.empty());
  EXPECT_EQ(later.energy(), broken.energy());
  EXPECT_EQ(later.f, broken.f);
}

TEST(Tables, BondsOutsideOfTheTableAreReported)
{
  System system(potential_of("bond table"), 3);
  for (double length : {0.35, 0.36, 6.9, 7.14})
    EXPECT_TRUE(CURVE_OF_BONDS.tables.look_up(1, length, system.table[0], system.table[1]));
  for (double length : {0.17, 7.16, std::nan("")})
    EXPECT_FALSE(CURVE_OF_BONDS.tables.look_up(1, length, system.table[0], system.table[1]));
  system.x[3 * system.row(1)[0]] += 9.0;
  EXPECT_EQ(run_all(system).flagged, std::vector<int>{1});
}

TEST(Tables, AnglesBeyondTheLastPointTakeThatAndPeriodicOnesGoOn)
{
  const double end = CurveSystem::NPOINTS * CurveSystem::DELTA;
  double energy, force, first, unused;
  EXPECT_TRUE(LAST_CURVE.tables.look_up(1, end - CurveSystem::DELTA, energy, force));
  EXPECT_NEAR(energy, LAST_CURVE.e[CurveSystem::NPOINTS - 1], 1e-11);
  EXPECT_TRUE(PERIODIC_CURVE.tables.look_up(1, end + 0.01, energy, force));
  EXPECT_TRUE(PERIODIC_CURVE.tables.look_up(1, 0.01, first, unused));
  EXPECT_NEAR(energy, first, 1e-11);
  EXPECT_FALSE(PERIODIC_CURVE.tables.look_up(1, std::nan(""), energy, force));
}

TEST(OneFour, ImplicitCoulombGoesWithTheInverseSquare)
{
  Potential implicit = potential_of("1-4 pairs");
  implicit.kernel = with(one_four_pairs, ONE_FOUR.view(true));
  const System system(implicit, 1);
  const Result found = run_all(system);
  const int i = system.row(0)[0], j = system.row(0)[1];
  double rsq = 0.0;
  for (int dim = 0; dim < 3; dim++)
    rsq += (system.x[3 * i + dim] - system.x[3 * j + dim]) *
        (system.x[3 * i + dim] - system.x[3 * j + dim]);
  EXPECT_NEAR(found.tally.ecoul, 0.5 * 2.5 * ONE_FOUR.q[i] * ONE_FOUR.q[j] / rsq, 1e-14);
}

TEST(Dihedrals, AllAtomsInOnePlaneIsNoReasonForInfiniteForces)
{
  for (const char *name : {"dihedral cosine, n = 3", "dihedral opls", "improper harmonic"})
    for (double side : {1.0, -1.0}) {    // cis, trans
      System system(potential_of(name), 3);
      for (int i = 0; i < NATOMS; i++) {
        const int corner = i % 4;
        const double xy[4][2] = {{-0.5, 1.0}, {0.0, 0.0}, {1.0, 0.0}, {1.5, side}};
        system.x[3 * i] = xy[corner][0];
        system.x[3 * i + 1] = xy[corner][1];
        system.x[3 * i + 2] = 0.0;
      }
      for (int k = 0; k < 3; k++)
        for (int a = 0; a < 4; a++) system.list[5 * k + a] = 4 * k + a;
      const Result found = run_all(system);
      EXPECT_TRUE(std::isfinite(largest(found.f))) << name;
      EXPECT_TRUE(std::all_of(found.f.begin(), found.f.end(), [](double f) {
        return std::isfinite(f);
      })) << name;
      EXPECT_TRUE(found.flagged.empty());
    }
}

}    // namespace

TEST(CosinesOfMultiples, ArePolynomialsOfTheCosine)
{
  constexpr int MOST = 8;
  for (int n = 0; n < MOST; n++) {
    double powers[MOST] = {0.5};    // is added to
    add_cosine_of_multiple<MOST>(n, -1.7, powers);
    for (double angle : {0.0, 0.3, 1.1, 2.2, 3.1}) {
      double sum = 0.0;
      for (int p = MOST - 1; p >= 0; p--) sum = sum * std::cos(angle) + powers[p];
      EXPECT_NEAR(sum, 0.5 - 1.7 * std::cos(n * angle), 1e-12) << n << " " << angle;
    }
  }
}
