// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "wannier_dipoles.h"

#include "model_on_all_ranks.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"

#include "model/deep_dipole.h"
#include "model/files/model_file.h"
#include "model/model_error.h"
#include "threadpool/manybody/centers_on_pool.h"

#include <tuple>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

struct WannierDipoles::State {
  explicit State(LAMMPS *lmp) : on_pool(lmp) {}

  CentersOnPool on_pool;
  DeepModel model;                                     // as its file has it
  std::unique_ptr<DeepDipole> dipole;                  // in units of the run
  std::tuple<double, DeepNets::Precision> made_for;    // unit and precision
  std::vector<int> numbers;                            // [ntypes+1]
  std::vector<DeepDipole::Workspace> workspaces;       // [nparts]
  std::vector<double> dipoles;                         // [nlocal][3]
  bool warned_of_neighbors_beyond_sel = false;
};

/* ---------------------------------------------------------------------- */

WannierDipoles::WannierDipoles(LAMMPS *lmp, const std::string &file) :
    Pointers(lmp), state(new State(lmp))
{
  const DeepModel all = model_on_all_ranks(lmp, file);
  if (!all.wannier && all.fitting.kind != DeepFitting::Kind::DIPOLE)
    error->all(
        FLERR,
        "Deep potential {} has no model of Wannier centers, which fix dplr needs: use a file "
        "that was trained with the modifier dipole_charge, or a model of dipoles",
        file);
  state->model = all.wannier ? *all.wannier : all;
  const DeepFitting &fitting = state->model.fitting;
  if (fitting.kind != DeepFitting::Kind::DIPOLE || !fitting.frame_average.empty() ||
      !fitting.atom_average.empty())
    error->all(FLERR,
               "The model of Wannier centers in {} is {}, fix dplr needs one of dipoles without "
               "parameters: freeze it anew, with a fitting net of type dipole",
               file,
               fitting.kind == DeepFitting::Kind::DIPOLE ? "one with parameters of frames or atoms"
                                                         : "one of energies");
  if (comm->me == 0)
    utils::logmesg(lmp, "Wannier centers {}: {}\n", file, summary_of(state->model));
}

/* ---------------------------------------------------------------------- */

WannierDipoles::~WannierDipoles() = default;

/* ---------------------------------------------------------------------- */

const std::vector<std::string> &WannierDipoles::types() const
{
  return state->model.types;
}

bool WannierDipoles::has_dipoles(int number) const
{
  return number >= 0 && !state->model.fitting.net_of(number).empty();
}

double WannierDipoles::cutoff() const
{
  return state->dipole->nets().cutoff();
}

const double (*WannierDipoles::dipoles() const)[3]
{
  return reinterpret_cast<const double(*)[3]>(state->dipoles.data());
}

/* ---------------------------------------------------------------------- */

void WannierDipoles::init(const std::vector<int> &numbers)
{
  state->numbers = numbers;
  state->on_pool.reset();
  const DeepNets::Precision precision = precision_of_run(lmp);
  const auto wanted = std::make_tuple(force->angstrom, precision);
  if (state->dipole && state->made_for == wanted) return;
  try {
    state->dipole = std::make_unique<DeepDipole>(in_units_of_run(lmp, state->model), precision);
  } catch (const ModelError &wrong) {
    error->all(FLERR, "Cannot use the model of Wannier centers: {}", wrong.what());
  }
  state->made_for = wanted;
}

/* ---------------------------------------------------------------------- */

void WannierDipoles::evaluate(NeighList *list, const std::vector<int> &hosts)
{
  const int nparts = state->on_pool.nparts();
  if (static_cast<int>(state->workspaces.size()) != nparts)
    state->workspaces = std::vector<DeepDipole::Workspace>(nparts);
  state->dipoles.assign(3 * static_cast<std::size_t>(atom->nlocal), 0.0);
  state->on_pool.begin(list, state->numbers.data(), cutoff(), &hosts);
  state->on_pool.for_centers([&](int part, const PairJob &job, int first, int last) {
    state->dipole->evaluate(job, state->workspaces[part], first, last,
                            reinterpret_cast<double(*)[3]>(state->dipoles.data()));
  });
  warn_of_neighbors_beyond_sel();
}

/* ---------------------------------------------------------------------- */

PairTally WannierDipoles::add_forces(const double (*on_ends)[3], double **f, bool wants_virial)
{
  CentersOnPool::Wanted wanted;
  wanted.tallies = wants_virial ? Tallies::VIRIAL : Tallies::NONE;
  return state->on_pool.add_forces(wanted, f, [&](const CenterJob &job) {
    state->dipole->add_forces(job.pairs, on_ends, job.forces, state->workspaces[job.forces.part],
                              job.tally);
  });
}

/* ---------------------------------------------------------------------- */

void WannierDipoles::warn_of_neighbors_beyond_sel()
{
  int n = 0;
  for (auto &work : state->workspaces)
    for (std::size_t k = 0; k < work.nbatches; k++) {
      n += work.batches[k]->noverflows;
      work.batches[k]->noverflows = 0;
    }
  if (!n || state->warned_of_neighbors_beyond_sel) return;
  state->warned_of_neighbors_beyond_sel = true;
  error->warning(
      FLERR,
      "Fix dplr/threadpool: {} atoms of rank {} have more neighbors of a type than 'sel' "
      "of the model of Wannier centers; the nearest are taken, so that centers jump. Use "
      "a model with larger 'sel'",
      n, comm->me);
}

/* ---------------------------------------------------------------------- */

double WannierDipoles::memory_usage() const
{
  double bytes = state->on_pool.memory_usage();
  bytes += static_cast<double>(state->dipoles.capacity() * sizeof(double));
  if (state->dipole) bytes += state->dipole->nets().nbytes();
  for (const auto &work : state->workspaces) bytes += work.nbytes();
  return bytes;
}
