// SPDX-License-Identifier: GPL-2.0-only
//
// The kernel of the concentration-dependent embedded-atom method against its energy, and
// differences of it.

#include "embedded_system.h"

#include "kernels/manybody/eam_cd.h"

using namespace TOFU_NS;
using namespace TOFU_TEST;

namespace {

constexpr int NTYPES = 3, A = 3, B = 1, STRIDE = EAMCDAtom::STRIDE;
constexpr int ALONE = 7;    // no other atom has a density at its place

EAMCDTables make_tables(bool two_site)
{
  EAMCDTables tables = tables_of<EAMCDTables>(NTYPES);
  tables.two_site = two_site;
  tables.h = {1.1, -0.9, 2.3, -1.7, 0.4};
  for (int i = 1; i <= NTYPES; i++) {
    const int density = append_spline(tables.rhor, tables.nr, 1.0 + 0.3 * i, 3.0);
    for (int j = 1; j <= NTYPES; j++) {
      tables.of(i, j).rhor_ij = density;
      tables.of(j, i).rhor_ji = density;
      tables.of(j, i).from_b = i == B ? 1.0 : 0.0;
      tables.of(i, j).cross = (i == A && j == B) || (i == B && j == A) ? 1.0 : 0.0;
    }
    for (int j = i; j <= NTYPES; j++)
      tables.of(i, j).z2r = tables.of(j, i).z2r =
          append_spline(tables.z2r, tables.nr, 2.0 + i * j, 4.0);
  }
  return tables;
}

// an atom whose neighbors have no density is one far from all others

System make_system()
{
  System system(NTYPES);
  system.rows[4 * ALONE] = 1e6;
  return system;
}

double polynomial(const EAMCDTables &tables, double x)
{
  double value = 0.0;
  for (std::size_t k = 0; k < tables.h.size(); k++) value += tables.h[k] * std::pow(x, k);
  return value;
}

/** Energy of all; that of pairs alone is put in pairs.  Embedding an atom costs half the square of
    its density. */
double energy_of(const System &system, const EAMCDTables &tables, double &pairs)
{
  std::array<double, N> x{};
  double energy = 0.0;
  for (int i = 0; i < N; i++) {
    double rho = 0.0, rho_b = 0.0;
    for (int j = 0; j < N; j++) {
      const double r = system.distance(i, j);
      if (j == i || r >= CUTOFF) continue;
      const double one =
          spline(tables, tables.rhor, tables.of(system.type[i], system.type[j]).rhor_ji, r);
      rho += one;
      if (system.type[j] == B) rho_b += one;
    }
    energy += 0.5 * rho * rho;
    x[i] = rho > 0.0 ? rho_b / rho : 0.0;
  }
  pairs = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) {
      const double r = system.distance(i, j);
      if (r >= CUTOFF) continue;
      const EAMCDTables::Pair &pair = tables.of(system.type[i], system.type[j]);
      const double bare = spline(tables, tables.z2r, pair.z2r, r) / r;
      const double mean = 0.5 * (x[i] + x[j]);
      const double h = tables.two_site
          ? polynomial(tables, mean)
          : 0.5 * (polynomial(tables, x[i]) + polynomial(tables, x[j]));
      pairs += pair.cross != 0.0 ? h * bare : bare;
    }
  return energy + pairs;
}

/** What a pair style does with the kernels. */
Result found(const System &system, const EAMCDTables &tables, Tallies tallies)
{
  Result result;
  Job job(system, tallies, result);
  std::vector<double> rho(N), rho_b(N), cross(N), atoms(STRIDE * (N + 1), 0.0);
  eam_cd_densities(tables, job, 0, N, job.arena, job.inside,
                   {rho.data(), rho_b.data(), cross.data()});
  for (int i = 0; i < N; i++) {
    const bool depends = rho[i] != 0.0 && (system.type[i] == A || system.type[i] == B);
    const double x = depends ? rho_b[i] / rho[i] : 0.0;
    atoms[STRIDE * i + EAMCDAtom::DEPENDS] = depends ? 1.0 : 0.0;
    atoms[STRIDE * i + EAMCDAtom::SITE] = tables.two_site ? x : eam_cd_h(tables, x);
    if (!tables.two_site) cross[i] *= eam_cd_h_slope(tables, x);
    result.embedded += 0.5 * rho[i] * rho[i];
  }
  if (tables.two_site) {
    eam_cd_slopes(tables, job, 0, N / 2, job.inside, atoms.data(), cross.data());
    eam_cd_slopes(tables, job, N / 2, N, job.inside, atoms.data(), cross.data());
  }
  for (int i = 0; i < N; i++) {    // the derivative of this embedding energy is the density
    const double slope =
        atoms[STRIDE * i + EAMCDAtom::DEPENDS] != 0.0 ? 0.5 * cross[i] / (rho[i] * rho[i]) : 0.0;
    atoms[STRIDE * i + EAMCDAtom::BY_OTHERS] = rho[i] - slope * rho_b[i];
    atoms[STRIDE * i + EAMCDAtom::BY_B] = rho[i] + slope * (rho[i] - rho_b[i]);
  }
  eam_cd_forces(tables, job, 0, N / 3, job.inside, atoms.data(), result.tally);
  eam_cd_forces(tables, job, N / 3, N, job.inside, atoms.data(), result.tally);
  return result;
}

class ConcentrationDependentEAM : public testing::TestWithParam<std::tuple<bool, Tallies>> {};

}    // namespace

TEST_P(ConcentrationDependentEAM, IsWhatTheEnergyGives)
{
  const auto [two_site, tallies] = GetParam();
  System system = make_system();
  const EAMCDTables tables = make_tables(two_site);
  const Result best = expect_what_the_energy_gives(
      system, tallies, 4,
      [&](const System &now, double &pairs) { return energy_of(now, tables, pairs); },
      [&, t = tallies](const System &now) { return found(now, tables, t); });
  for (int dim = 0; dim < 3; dim++) EXPECT_EQ(best.f[3 * ALONE + dim], 0.0);
}

TEST(EAMCDPolynomial, MayBeAConstant)
{
  EAMCDTables tables;
  tables.h = {0.7};
  EXPECT_EQ(eam_cd_h(tables, 0.3), 0.7);
  EXPECT_EQ(eam_cd_h_slope(tables, 0.3), 0.0);
  tables.h = {0.7, -0.2, 0.5};
  EXPECT_NEAR(eam_cd_h(tables, 0.3), 0.7 - 0.06 + 0.045, 1e-15);
  EXPECT_NEAR(eam_cd_h_slope(tables, 0.3), -0.2 + 0.3, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(All, ConcentrationDependentEAM,
                         testing::Combine(testing::Bool(),
                                          testing::Values(Tallies::NONE, Tallies::VIRIAL,
                                                          Tallies::ALL)));
