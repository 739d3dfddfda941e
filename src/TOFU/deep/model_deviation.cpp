// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "model_deviation.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fmt/format.h"
#include "platform.h"
#include "update.h"
#include "utils.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ModelDeviation::ModelDeviation(LAMMPS *lmp, const DeepSettings &settings) :
    Pointers(lmp), settings(settings)
{
}

/* ---------------------------------------------------------------------- */

ModelDeviation::~ModelDeviation()
{
  if (file) fclose(file);
}

/* ---------------------------------------------------------------------- */

void ModelDeviation::begin()
{
  if (settings.by_atom && !atom->tag_consecutive())
    error->all(FLERR, "Pair style deepmd keyword atomic needs consecutive atom IDs");
  if (comm->me || file || settings.out_freq == 0) return;
  const bool goes_on = update->ntimestep > 0 && platform::file_is_readable(settings.out_file);
  file = fopen(settings.out_file.c_str(), goes_on ? "a" : "w");
  if (!file)
    error->one(FLERR, "Cannot open file {} for the deviation of models: {}", settings.out_file,
               utils::getsyserror());
  if (goes_on) return;
  std::string line = fmt::format("#{:>11}", "step");
  for (const char *name :
       {"max_devi_v", "min_devi_v", "avg_devi_v", "max_devi_f", "min_devi_f", "avg_devi_f"})
    line += fmt::format("{:>19}", name);
  if (settings.by_atom) line += fmt::format("{:>19}", "atm_devi_f(N)");
  fmt::print(file, "{}\n", line);
  fflush(file);
}

/* ---------------------------------------------------------------------- */

void ModelDeviation::write(const std::vector<std::vector<double>> &forces,
                           std::vector<Virial> virials)
{
  std::vector<double> by_atom;
  const Spread v = of_virials(std::move(virials)), f = of_forces(forces, by_atom);
  std::string line = fmt::format("{:12d}", update->ntimestep);
  for (double x : {v.most, v.least, v.mean, f.most, f.least, f.mean})
    line += fmt::format(" {:18.6e}", x);
  if (settings.by_atom) append_by_atom(by_atom, line);
  if (!file) return;
  fmt::print(file, "{}\n", line);
  fflush(file);
}

/* ----------------------------------------------------------------------
   length of the standard deviation of the force on each atom
------------------------------------------------------------------------- */

ModelDeviation::Spread ModelDeviation::of_forces(const std::vector<std::vector<double>> &forces,
                                                 std::vector<double> &by_atom) const
{
  const double nmodels = static_cast<double>(forces.size());
  double most = 0.0, least = 1e300, sum = 0.0;
  for (int i = 0; i < atom->nlocal; i++) {
    double mean[3] = {0.0, 0.0, 0.0}, deviationsq = 0.0, meansq = 0.0;
    for (const auto &f : forces)
      for (int k = 0; k < 3; k++) mean[k] += f[3 * i + k] / nmodels;
    for (const auto &f : forces)
      for (int k = 0; k < 3; k++) {
        const double difference = f[3 * i + k] - mean[k];
        deviationsq += difference * difference / nmodels;
      }
    for (double x : mean) meansq += x * x;
    double deviation = std::sqrt(deviationsq);
    if (settings.relative_force >= 0.0) deviation /= std::sqrt(meansq) + settings.relative_force;
    most = std::max(most, deviation);
    least = std::min(least, deviation);
    sum += deviation;
    by_atom.push_back(deviation);
  }
  Spread result;
  MPI_Allreduce(&most, &result.most, 1, MPI_DOUBLE, MPI_MAX, world);
  MPI_Allreduce(&least, &result.least, 1, MPI_DOUBLE, MPI_MIN, world);
  MPI_Allreduce(&sum, &result.mean, 1, MPI_DOUBLE, MPI_SUM, world);
  result.mean /= std::max<double>(1.0, static_cast<double>(atom->natoms));
  return result;
}

/* ----------------------------------------------------------------------
   standard deviation of each component of the virial per atom
------------------------------------------------------------------------- */

ModelDeviation::Spread ModelDeviation::of_virials(std::vector<Virial> virials) const
{
  const double nmodels = static_cast<double>(virials.size());
  MPI_Allreduce(MPI_IN_PLACE, virials.front().data(), static_cast<int>(9 * virials.size()),
                MPI_DOUBLE, MPI_SUM, world);
  Spread result;
  result.least = 1e300;
  for (int k = 0; k < 9; k++) {
    double mean = 0.0, square = 0.0;
    for (const Virial &v : virials) mean += v[k] / nmodels;
    for (const Virial &v : virials) square += (v[k] - mean) * (v[k] - mean) / nmodels;
    const double natoms = std::max<double>(1.0, static_cast<double>(atom->natoms));
    double deviation = std::sqrt(square) / natoms;
    if (settings.relative_virial >= 0.0)
      deviation /= std::abs(mean) / natoms + settings.relative_virial;
    result.most = std::max(result.most, deviation);
    result.least = std::min(result.least, deviation);
    result.mean += deviation * deviation / 9.0;
  }
  result.mean = std::sqrt(result.mean);
  return result;
}

/* ---------------------------------------------------------------------- */

void ModelDeviation::append_by_atom(const std::vector<double> &by_atom, std::string &line) const
{
  tagint largest = 0, last = 0;    // there may be fewer atoms than at the begin of the run
  for (int i = 0; i < atom->nlocal; i++) largest = std::max(largest, atom->tag[i]);
  MPI_Allreduce(&largest, &last, 1, MPI_LMP_TAGINT, MPI_MAX, world);
  const int natoms = static_cast<int>(last);
  std::vector<double> mine(natoms, 0.0), all(natoms, 0.0);
  for (int i = 0; i < atom->nlocal; i++) mine[atom->tag[i] - 1] = by_atom[i];
  MPI_Reduce(mine.data(), all.data(), natoms, MPI_DOUBLE, MPI_SUM, 0, world);
  for (double x : all) line += fmt::format(" {:18.6e}", x);
}
