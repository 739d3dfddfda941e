// SPDX-License-Identifier: GPL-2.0-only
//
// The kernel of the angular dependent potential against its energy, and differences of it.

#include "embedded_system.h"

#include "kernels/manybody/adp.h"

using namespace TOFU_NS;
using namespace TOFU_TEST;

namespace {

constexpr int STRIDE = ADPMoments::STRIDE;

ADPTables make_tables(int ntypes)
{
  ADPTables tables = tables_of<ADPTables>(ntypes);
  const auto append = [&](std::vector<double> &to, double strength, double power) {
    return append_spline(to, tables.nr, strength, power);
  };
  for (int i = 1; i <= ntypes; i++) {
    const int density = append(tables.rhor, 1.0 + 0.3 * i, 3.0);
    for (int j = 1; j <= ntypes; j++) {
      tables.pairs[i * (ntypes + 1) + j].rhor_ij = density;
      tables.pairs[j * (ntypes + 1) + i].rhor_ji = density;
    }
    for (int j = i; j <= ntypes; j++) {
      const int z = append(tables.z2r, 2.0 + i * j, 4.0),
                u = append(tables.u2r, 0.5 - 0.1 * j, 3.0),
                w = append(tables.w2r, 0.2 + 0.1 * i, 3.5);
      for (ADPTables::Pair *pair :
           {&tables.pairs[i * (ntypes + 1) + j], &tables.pairs[j * (ntypes + 1) + i]}) {
        pair->z2r = z;
        pair->u2r = u;
        pair->w2r = w;
      }
    }
  }
  return tables;
}

// embedding an atom costs half the square of its density

double embedding(const double *sums)
{
  const double *const mu = sums + ADPMoments::MU, *const l = sums + ADPMoments::LAMBDA;
  const double trace = l[0] + l[1] + l[2];
  double energy = 0.5 * sums[0] * sums[0] - trace * trace / 6.0;
  for (int k = 0; k < 3; k++)
    energy += 0.5 * mu[k] * mu[k] + 0.5 * l[k] * l[k] + l[3 + k] * l[3 + k];
  return energy;
}

/** Energy of all; that of pairs alone is put in pairs. */
double energy_of(const System &system, const ADPTables &tables, double &pairs)
{
  double energy = pairs = 0.0;
  for (int i = 0; i < N; i++) {
    double sums[ADPMoments::N] = {};
    for (int j = 0; j < N; j++) {
      const double r = system.distance(i, j);
      if (j == i || r >= CUTOFF) continue;
      const ADPTables::Pair &pair = tables.of(system.type[i], system.type[j]);
      double del[3];
      for (int dim = 0; dim < 3; dim++)
        del[dim] = system.rows[4 * i + dim] - system.rows[4 * j + dim];
      const double u = spline(tables, tables.u2r, pair.u2r, r),
                   w = spline(tables, tables.w2r, pair.w2r, r);
      sums[0] += spline(tables, tables.rhor, pair.rhor_ji, r);
      const int a[6] = {0, 1, 2, 1, 0, 0}, b[6] = {0, 1, 2, 2, 2, 1};
      for (int k = 0; k < 3; k++) sums[ADPMoments::MU + k] += u * del[k];
      for (int k = 0; k < 6; k++) sums[ADPMoments::LAMBDA + k] += w * del[a[k]] * del[b[k]];
      pairs += 0.5 * spline(tables, tables.z2r, pair.z2r, r) / r;
    }
    energy += embedding(sums);
  }
  return energy + pairs;
}

Result found(const System &system, const ADPTables &tables, Tallies tallies)
{
  Result result;
  Job job(system, tallies, result);
  std::vector<double> moments(STRIDE * (N + 1), 0.0);
  adp_moments(tables, job, 0, N, job.arena, job.inside, moments.data());
  for (int i = 0; i < N; i++)    // the derivative of this embedding energy is the density
    result.embedded += embedding(&moments[STRIDE * i]);
  adp_forces(tables, job, 0, N / 3, job.inside, moments.data(), result.tally);
  adp_forces(tables, job, N / 3, N, job.inside, moments.data(), result.tally);
  return result;
}

class AngularDependentPotential : public testing::TestWithParam<std::tuple<int, Tallies>> {};

}    // namespace

TEST_P(AngularDependentPotential, IsWhatTheEnergyGives)
{
  const auto [ntypes, tallies] = GetParam();
  System system(ntypes);
  const ADPTables tables = make_tables(ntypes);
  expect_what_the_energy_gives(
      system, tallies, 5,
      [&](const System &now, double &pairs) { return energy_of(now, tables, pairs); },
      [&, t = tallies](const System &now) { return found(now, tables, t); });
}

INSTANTIATE_TEST_SUITE_P(All, AngularDependentPotential,
                         testing::Combine(testing::Values(1, 2),
                                          testing::Values(Tallies::NONE, Tallies::VIRIAL,
                                                          Tallies::ALL)));
