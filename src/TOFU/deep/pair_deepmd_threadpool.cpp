// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_deepmd_threadpool.h"

#include "deep_settings.h"
#include "model_deviation.h"
#include "model_on_all_ranks.h"

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "error.h"
#include "force.h"
#include "memory.h"
#include "modify.h"
#include "neighbor.h"
#include "update.h"

#include "model/deep_potential.h"
#include "model/files/model_file.h"
#include "model/model_error.h"
#include "threadpool/manybody/centers_on_pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

struct PairDeepMDThreadpool::State {
  explicit State(LAMMPS *lmp) : on_pool(lmp) {}

  CentersOnPool on_pool;
  DeepSettings settings;
  std::vector<DeepModel> models;                               // as their files have them
  std::vector<std::unique_ptr<DeepPotential>> potentials;      // in units of the run
  std::tuple<double, double, DeepNets::Precision> made_for;    // units and precision
  std::vector<DeepPotential::Workspace> workspaces;            // [nparts]
  std::unique_ptr<ModelDeviation> deviation;
  double cutoff = 0.0;
  std::vector<int> numbers;    // [ntypes+1] type in the model of each type
  bool named = false;          // pair_coeff has names
  double **scale = nullptr;    // [ntypes+1][ntypes+1]; fix adapt changes it

  std::vector<double> frame_parameters, atom_parameters;
  std::vector<std::vector<double>> virials_of_parts;    // [nparts-1][natoms][9]
  bool warned_of_neighbors_beyond_sel = false;

  // several models

  std::vector<std::vector<double>> forces;    // [nmodels][nall][3]
  std::vector<double *> rows_of_forces;       // [nall] of the one that is computed

  void read_parameters(LAMMPS *);
};

/* ---------------------------------------------------------------------- */

PairDeepMDThreadpool::PairDeepMDThreadpool(LAMMPS *lmp) : Pair(lmp), state(new State(lmp))
{
  single_enable = 0;
  restartinfo = 0;
  respa_enable = 0;
  one_coeff = 1;
  manybody_flag = 1;
  pppmflag = 1;
  writedata = 0;
  comm_reverse = 3;
  unit_convert_flag = utils::get_supported_conversions(utils::ENERGY);
  centroidstressflag = CENTROID_AVAIL;
}

/* ---------------------------------------------------------------------- */

PairDeepMDThreadpool::~PairDeepMDThreadpool()
{
  if (!allocated) return;
  memory->destroy(setflag);
  memory->destroy(cutsq);
  memory->destroy(state->scale);
}

/* ---------------------------------------------------------------------- */

void PairDeepMDThreadpool::allocate()
{
  if (allocated) return;
  allocated = 1;
  const int n = atom->ntypes + 1;
  memory->create(setflag, n, n, "pair:setflag");
  memory->create(cutsq, n, n, "pair:cutsq");
  memory->create(state->scale, n, n, "pair:scale");
  std::fill_n(setflag[0], n * n, 0);
  std::fill_n(state->scale[0], n * n, 1.0);
}

/* ---------------------------------------------------------------------- */

void PairDeepMDThreadpool::settings(int narg, char **arg)
{
  state->settings = DeepSettings(lmp, narg, arg);
  const std::vector<std::string> former = state->models.empty() ? std::vector<std::string>()
                                                                : state->models.front().types;
  state->models.clear();
  state->potentials.clear();
  state->deviation.reset();
  state->atom_parameters.clear();
  state->warned_of_neighbors_beyond_sel = false;
  const DeepSettings &settings = state->settings;
  const bool from_compute = !settings.frame_compute.empty();
  for (const std::string &name : settings.models) {
    state->models.push_back(model_on_all_ranks(lmp, name));
    const DeepModel &first = state->models.front(), &last = state->models.back();
    const DeepFitting &fitting = last.fitting;
    if (last.types != first.types || std::abs(last.cutoff() - first.cutoff()) > 1e-5)
      error->all(FLERR,
                 "Deep potentials {} and {} have different types ({}; {}) or cut-offs ({}; {})",
                 settings.models.front(), name, utils::join_words(first.types, " "),
                 utils::join_words(last.types, " "), first.cutoff(), last.cutoff());
    if (fitting.kind != DeepFitting::Kind::ENERGY)
      error->all(FLERR, "Deep potential {} is a model of dipoles, not of energies", name);
    const std::size_t nframe = fitting.frame_average.size(), natom = fitting.atom_average.size();
    if (nframe != first.fitting.frame_average.size() || (nframe == 0 && from_compute))
      error->all(FLERR, "Deep potential {} has {} parameters of the frame", name, nframe);
    if (!from_compute && nframe != settings.frame_parameters.size())
      error->all(FLERR,
                 "Deep potential {} has {} parameters of the frame, pair_style deepmd got {}: give "
                 "them with the keyword fparam",
                 name, nframe, settings.frame_parameters.size());
    if (natom != settings.atom_parameters.size())
      error->all(FLERR,
                 "Deep potential {} has {} parameters of each atom, pair_style deepmd got {}: give "
                 "them with the keyword aparam",
                 name, natom, settings.atom_parameters.size());
    if (comm->me == 0) utils::logmesg(lmp, "Deep potential {}: {}\n", name, summary_of(last));
  }
  if (settings.models.size() > 1)
    state->deviation = std::make_unique<ModelDeviation>(lmp, settings);

  // the map of other types has no meaning any more

  if (allocated && state->models.front().types != former)
    std::fill_n(setflag[0], (atom->ntypes + 1) * (atom->ntypes + 1), 0);
}

/* ----------------------------------------------------------------------
   pair_coeff * * [names of types in the model]
------------------------------------------------------------------------- */

void PairDeepMDThreadpool::coeff(int narg, char **arg)
{
  allocate();
  if (narg < 2 || strcmp(arg[0], "*") != 0 || strcmp(arg[1], "*") != 0)
    error->all(FLERR, "Pair style deepmd needs pair_coeff * * and names of types of the model");
  const std::vector<std::string> &types = state->models.front().types;
  const int ntypes = atom->ntypes, nmodel = static_cast<int>(types.size());
  if (narg - 2 > ntypes)
    error->all(FLERR, "pair_coeff for pair style deepmd has {} names for {} atom types", narg - 2,
               ntypes);
  state->named = narg > 2;
  state->numbers.assign(ntypes + 1, NOT_AN_ATOM);
  for (int type = 1; type <= ntypes; type++) {
    int &number = state->numbers[type];
    if (narg == 2) {
      number = type <= nmodel ? type - 1 : NOT_AN_ATOM;
      continue;
    }
    if (type > narg - 2 || strcmp(arg[type + 1], "NULL") == 0) continue;
    const auto found = std::find(types.begin(), types.end(), arg[type + 1]);
    if (found == types.end())
      error->all(FLERR, "pair_coeff: the deep potential has no type {}; its types are {}",
                 arg[type + 1], utils::join_words(types, " "));
    number = static_cast<int>(found - types.begin());
  }
  if (narg == 2 && nmodel > ntypes && comm->me == 0)
    error->warning(FLERR,
                   "The deep potential has {} types ({}), the system {}: atom types are its "
                   "first ones, in its order",
                   nmodel, utils::join_words(types, " "), ntypes);
  std::string left_out;
  for (int type = 1; type <= ntypes; type++)
    if (state->numbers[type] == NOT_AN_ATOM && (narg == 2 || type > narg - 2))
      left_out += fmt::format(" {}", type);
  if (!left_out.empty() && comm->me == 0)
    error->warning(FLERR,
                   "pair_coeff names no types of the deep potential for atom types{}: they are no "
                   "atoms for it, as with NULL",
                   left_out);
  for (int i = 1; i <= ntypes; i++)
    for (int j = i; j <= ntypes; j++) {
      setflag[i][j] = 1;
      state->scale[i][j] = 1.0;
    }
}

/* ---------------------------------------------------------------------- */

PairDeepMDThreadpool::TypeMap PairDeepMDThreadpool::type_map() const
{
  return {state->numbers, state->models.front().types, state->named};
}

/* ---------------------------------------------------------------------- */

double PairDeepMDThreadpool::cutoff() const
{
  return state->cutoff;
}

/* ----------------------------------------------------------------------
   models in the units of the run; nothing else has to be converted then
------------------------------------------------------------------------- */

void PairDeepMDThreadpool::init_style()
{
  if (strcmp(update->unit_style, "lj") == 0)
    error->all(FLERR, "Pair style deepmd cannot be used with units lj: use metal or real");
  if (force->newton_pair == 0) error->all(FLERR, "Pair style deepmd needs newton pair on");
  if (atom->sp_flag)
    error->all(FLERR, "Pair style deepmd/threadpool has no models with spins: use deepmd-kit");
  neighbor->add_request(this);
  state->on_pool.adjust_request(this);

  const double angstrom = force->angstrom, energy = ev_in_units_of_run(lmp);
  const DeepNets::Precision precision = precision_of_run(lmp);
  const auto wanted = std::make_tuple(angstrom, energy, precision);
  if (state->potentials.empty() || state->made_for != wanted) {
    state->potentials.clear();
    try {
      for (const DeepModel &model : state->models)
        state->potentials.push_back(
            std::make_unique<DeepPotential>(in_units_of_run(lmp, model), precision));
    } catch (const ModelError &wrong) {
      error->all(FLERR, "Cannot use a deep potential: {}", wrong.what());
    }
    state->made_for = wanted;
  }
  state->cutoff = 0.0;
  for (const auto &potential : state->potentials)
    state->cutoff = std::max(state->cutoff, potential->nets().cutoff());
  if (state->deviation) state->deviation->begin();
}

/* ---------------------------------------------------------------------- */

double PairDeepMDThreadpool::init_one(int i, int j)
{
  if (setflag[i][j] == 0) error->all(FLERR, "All pair coeffs are not set");
  state->scale[j][i] = state->scale[i][j];
  return state->cutoff;
}

/* ---------------------------------------------------------------------- */

void PairDeepMDThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (vflag_atom)
    error->all(FLERR,
               "Pair style deepmd has no stress of single atoms that is symmetric: use compute "
               "centroid/stress/atom in place of stress/atom");
  if (num_tally_compute) PairOnPool::refuse_tally(lmp);
  state->read_parameters(lmp);

  const bool deviate = state->deviation && state->settings.out_freq > 0 &&
      update->ntimestep % state->settings.out_freq == 0;
  if (deviate)
    compute_with_deviation();
  else
    add_tally(compute_model(0, atom->f, false));
  if (vflag_fdotr) virial_fdotr_compute();
  warn_of_neighbors_beyond_sel();
}

/* ---------------------------------------------------------------------- */

void PairDeepMDThreadpool::State::read_parameters(LAMMPS *lmp)
{
  const std::size_t natom = settings.atom_parameters.size();
  const std::size_t nall = lmp->atom->nlocal + lmp->atom->nghost;
  if (natom && atom_parameters.size() < natom * nall)
    for (std::size_t k = atom_parameters.size(); k < natom * lmp->atom->nmax; k++)
      atom_parameters.push_back(settings.atom_parameters[k % natom]);

  if (settings.frame_compute.empty()) {
    frame_parameters = settings.frame_parameters;
    return;
  }
  Error *const error = lmp->error;
  Compute *const compute = lmp->modify->get_compute_by_id(settings.frame_compute);
  if (!compute)
    error->all(FLERR, "Compute ID {} for pair style deepmd fparam_from_compute does not exist",
               settings.frame_compute);
  const int n = potentials.front()->nets().nframe_parameters();
  frame_parameters.assign(n, 0.0);
  if (compute->vector_flag && compute->size_vector == n) {
    if (compute->invoked_vector != lmp->update->ntimestep) compute->compute_vector();
    std::copy_n(compute->vector, n, frame_parameters.begin());
  } else if (compute->scalar_flag && n == 1) {
    if (compute->invoked_scalar != lmp->update->ntimestep) compute->compute_scalar();
    frame_parameters[0] = compute->scalar;
  } else {
    error->all(FLERR, "Compute {} does not have the {} values that pair style deepmd needs",
               settings.frame_compute, n);
  }
}

/* ----------------------------------------------------------------------
   forces of one model are added to f, energies and virials of atoms to those of
   the style if it is the first one
------------------------------------------------------------------------- */

PairTally PairDeepMDThreadpool::compute_model(int imodel, double **f, bool wants_virial)
{
  const DeepPotential &potential = *state->potentials[imodel];
  const int nparts = state->on_pool.nparts(), nall = atom->nlocal + atom->nghost;
  const bool first = imodel == 0, centroids = first && cvflag_atom;
  if (static_cast<int>(state->workspaces.size()) != nparts)
    state->workspaces = std::vector<DeepPotential::Workspace>(nparts);
  if (centroids) state->virials_of_parts.assign(nparts - 1, std::vector<double>(9 * nall));

  CentersOnPool::Wanted wanted;
  wanted.numbers = state->numbers.data();
  wanted.cutoff = state->cutoff;
  wanted.tallies = wants_virial || eflag_either ? Tallies::ALL
      : vflag_global                            ? Tallies::VIRIAL
                                                : Tallies::NONE;
  wanted.eatom = first && eflag_atom ? eatom : nullptr;
  wanted.expensive_centers = true;
  DeepPotential::Extras extras;
  extras.parameters = {state->frame_parameters.data(), state->atom_parameters.data()};
  extras.factor = state->scale[1][1];
  const PairTally tally = state->on_pool.compute(list, wanted, f, [&](const CenterJob &job) {
    DeepPotential::Extras mine = extras;
    const int part = job.forces.part;
    if (centroids) {
      double *const to = part ? state->virials_of_parts[part - 1].data() : cvatom[0];
      mine.centroids.rows = reinterpret_cast<double(*)[9]>(to);
    }
    potential.compute(job.pairs, job.forces, mine, state->workspaces[part], job.first, job.last,
                      job.tally);
  });
  if (centroids)
    for (const std::vector<double> &part : state->virials_of_parts)
      for (int k = 0; k < 9 * nall; k++) cvatom[0][k] += part[k];
  return tally;
}

/* ---------------------------------------------------------------------- */

void PairDeepMDThreadpool::add_tally(const PairTally &tally)
{
  if (eflag_global) eng_vdwl += tally.evdwl;
  if (vflag_global)
    for (int k = 0; k < 6; k++) virial[k] += tally.virial[k];
}

/* ----------------------------------------------------------------------
   the first model moves atoms, the others show how far it can be trusted
------------------------------------------------------------------------- */

void PairDeepMDThreadpool::compute_with_deviation()
{
  const int nall = atom->nlocal + atom->nghost;
  const std::size_t nmodels = state->potentials.size();
  std::vector<ModelDeviation::Virial> virials;
  state->forces.resize(nmodels);
  for (std::size_t k = 0; k < nmodels; k++) {
    std::vector<double> &f = state->forces[k];
    f.assign(3 * std::max(1, nall), 0.0);
    state->rows_of_forces.resize(nall);
    for (int i = 0; i < nall; i++) state->rows_of_forces[i] = f.data() + 3 * i;
    const PairTally tally = compute_model(static_cast<int>(k), state->rows_of_forces.data(), true);
    const double *const v = tally.virial;
    virials.push_back({v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]});
    if (k == 0) {
      add_tally(tally);
      for (int i = 0; i < nall; i++)
        for (int dim = 0; dim < 3; dim++) atom->f[i][dim] += f[3 * i + dim];
    }
    comm->reverse_comm(this);
  }
  state->deviation->write(state->forces, virials);
}

/* ---------------------------------------------------------------------- */

int PairDeepMDThreadpool::pack_reverse_comm(int n, int first, double *buf)
{
  int m = 0;
  for (int i = first; i < first + n; i++)
    for (int dim = 0; dim < 3; dim++) buf[m++] = state->rows_of_forces[i][dim];
  return m;
}

/* ---------------------------------------------------------------------- */

void PairDeepMDThreadpool::unpack_reverse_comm(int n, int *list, double *buf)
{
  int m = 0;
  for (int i = 0; i < n; i++)
    for (int dim = 0; dim < 3; dim++) state->rows_of_forces[list[i]][dim] += buf[m++];
}

/* ---------------------------------------------------------------------- */

void PairDeepMDThreadpool::warn_of_neighbors_beyond_sel()
{
  int n = 0;
  for (auto &work : state->workspaces) {
    n += work.batch.noverflows;
    work.batch.noverflows = 0;
  }
  if (!n || state->warned_of_neighbors_beyond_sel) return;
  state->warned_of_neighbors_beyond_sel = true;
  error->warning(
      FLERR,
      "Pair style deepmd/threadpool: {} atoms of rank {} have more neighbors, of a type "
      "or all, than the model's 'sel'; the nearest are taken, as with deepmd-kit, so that "
      "energies jump. Use a model with larger 'sel'",
      n, comm->me);
}

/* ---------------------------------------------------------------------- */

void *PairDeepMDThreadpool::extract(const char *name, int &dim)
{
  if (strcmp(name, "cut_coul") == 0) {
    dim = 0;
    return &state->cutoff;
  }
  if (strcmp(name, "scale") == 0) {
    dim = 2;
    return state->scale;
  }
  if (strcmp(name, "tofu/any_rows") == 0) {
    dim = 0;
    return state.get();
  }
  return nullptr;
}

/* ---------------------------------------------------------------------- */

bool PairDeepMDThreadpool::in_single_precision() const
{
  return precision_of_run(lmp) == DeepNets::Precision::SINGLE;
}

/* ---------------------------------------------------------------------- */

double PairDeepMDThreadpool::memory_usage()
{
  double bytes = Pair::memory_usage() + state->on_pool.memory_usage();
  for (const auto &potential : state->potentials) bytes += potential->nets().nbytes();
  for (const auto &work : state->workspaces) bytes += work.nbytes();
  return bytes;
}
