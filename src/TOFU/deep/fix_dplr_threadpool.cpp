// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_dplr_threadpool.h"

#include "dplr_settings.h"
#include "dplr_types.h"
#include "electric_field.h"
#include "model_on_all_ranks.h"
#include "wannier_dipoles.h"
#include "wannier_pairs.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "kspace.h"
#include "modify.h"
#include "neigh_request.h"
#include "neighbor.h"
#include "pair.h"
#include "update.h"

#include "threadpool/pair/forces_of_charges.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

struct FixDPLRThreadpool::State {
  State(LAMMPS *lmp, const DPLRSettings &settings) :
      pair_number(settings.pair_number), pairs(lmp, settings.associated, settings.bond_types),
      dipoles(lmp, settings.model), field(lmp)
  {
    if (!settings.field.empty())
      field.set({settings.field[0], settings.field[1], settings.field[2]});
  }

  const int pair_number;    // which of several sub-styles deepmd
  WannierPairs pairs;
  WannierDipoles dipoles;
  ElectricField field;
  DPLRTypes types;
  class NeighList *list = nullptr;

  std::vector<double> forces;     // [3*nlocal] on charges
  std::vector<double> on_ends;    // [nlocal][3] on the centers of an atom
};

/* ---------------------------------------------------------------------- */

FixDPLRThreadpool::FixDPLRThreadpool(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  scalar_flag = vector_flag = 1;
  size_vector = 3;
  extscalar = extvector = 1;
  global_freq = 1;
  energy_global_flag = virial_global_flag = 1;
  comm_forward = WannierPairs::FORWARD;
  comm_reverse = WannierPairs::REVERSE;
  if (strcmp(update->unit_style, "lj") == 0)
    error->all(FLERR, "Fix dplr cannot be used with units lj: use metal or real");
  if (igroup != 0)
    error->all(FLERR, "Fix dplr must be for group all: every charge gets its force from it");
  state = std::make_unique<State>(lmp, DPLRSettings(lmp, narg - 3, arg + 3));
}

/* ---------------------------------------------------------------------- */

FixDPLRThreadpool::~FixDPLRThreadpool() = default;

/* ---------------------------------------------------------------------- */

int FixDPLRThreadpool::setmask()
{
  return PRE_EXCHANGE | MIN_PRE_EXCHANGE | POST_NEIGHBOR | MIN_POST_NEIGHBOR | PRE_FORCE |
      MIN_PRE_FORCE | PRE_REVERSE | MIN_PRE_REVERSE;
}

/* ---------------------------------------------------------------------- */

void FixDPLRThreadpool::init()
{
  check_run();
  state->field.init();
  state->types.find(lmp, state->pair_number, state->dipoles);
  state->pairs.set_types(state->types.numbers);
  state->types.check(lmp, state->dipoles, state->pairs);
  state->dipoles.init(state->types.numbers);
  request_list();
}

/* ---------------------------------------------------------------------- */

void FixDPLRThreadpool::check_run()
{
  if (modify->get_fix_by_style("^dplr").size() > 1)
    error->all(FLERR, "There can be one fix dplr only: each gives all atoms their forces");
  if (atom->map_style == Atom::MAP_NONE)
    error->all(FLERR, "Fix dplr needs an atom map: use atom_modify map");
  if (!atom->q_flag) error->all(FLERR, "Fix dplr needs charges: use atom_style full");
  if (!force->newton_pair) error->all(FLERR, "Fix dplr needs newton on");
  if (!dynamic_cast<ForcesOfCharges *>(force->kspace))
    error->all(FLERR,
               "Fix dplr/threadpool needs kspace_style pppm/dplr with the suffix threadpool, or "
               "pppm/offload, to get the forces on charges from; the kspace style is {}",
               force->kspace ? force->kspace_style : "none");
  if (update->whichflag == 1 &&
      (utils::strmatch(update->integrate_style, "^respa") ||
       utils::strmatch(update->integrate_style, "^verlet/split")))
    error->all(FLERR, "Fix dplr does not work with run_style {}: use run_style verlet",
               update->integrate_style);
}

/* ----------------------------------------------------------------------
   the list of the pair style has all neighbors, unless the model of dipoles has a
   longer cut-off.  Then there have to be more ghosts
------------------------------------------------------------------------- */

void FixDPLRThreadpool::request_list()
{
  NeighRequest *const request = neighbor->add_request(this, NeighConst::REQ_FULL);
  const double cutoff = state->dipoles.cutoff();
  if (cutoff > state->types.pair_cutoff) {
    if (neighbor->style != Neighbor::BIN && neighbor->style != Neighbor::NSQ)
      error->all(FLERR,
                 "Fix dplr: the model of Wannier centers has a longer cut-off ({}) than the pair "
                 "style ({}), which neighbor styles multi and multi/old do not know; use neighbor "
                 "style bin and comm_modify mode single",
                 cutoff, state->types.pair_cutoff);
    request->set_cutoff(cutoff);
  }
  if (cutoff > force->pair->cutforce)
    comm->cutghostuser = std::max(comm->cutghostuser, cutoff + neighbor->skin);
}

/* ---------------------------------------------------------------------- */

void FixDPLRThreadpool::init_list(int /*id*/, NeighList *list)
{
  state->list = list;
}

/* ----------------------------------------------------------------------
   with the places that centers have at the end of a run, or in a file, another
   rank may have them.  Done also where none has, since lists are built anew when
   a center has moved far from where it was
------------------------------------------------------------------------- */

void FixDPLRThreadpool::setup_post_neighbor()
{
  state->pairs.find();
  state->pairs.put_on_hosts(this);
  rebuild();
  repeat_earlier_fixes();
  post_neighbor();
}

/* ----------------------------------------------------------------------
   as at the start of a run
------------------------------------------------------------------------- */

void FixDPLRThreadpool::rebuild()
{
  if (domain->triclinic) domain->x2lamda(atom->nlocal);
  domain->pbc();
  domain->reset_box();
  comm->setup();
  if (neighbor->style) neighbor->setup_bins();
  comm->exchange();
  comm->borders();
  if (domain->triclinic) domain->lamda2x(atom->nlocal + atom->nghost);
  modify->setup_pre_neighbor();
  neighbor->build(1);
}

/* ----------------------------------------------------------------------
   fixes in front of this one were called with lists that are no longer there: fix
   ring_balance has handed over rows of them
------------------------------------------------------------------------- */

void FixDPLRThreadpool::repeat_earlier_fixes()
{
  const int hook = update->whichflag == 2 ? MIN_POST_NEIGHBOR : POST_NEIGHBOR;
  for (Fix *const fix : modify->get_fix_list()) {
    if (fix == this) return;
    if (modify->get_fix_mask(fix) & hook) fix->setup_post_neighbor();
  }
}

/* ---------------------------------------------------------------------- */

void FixDPLRThreadpool::post_neighbor()
{
  if (state->pairs.find())
    error->one(FLERR,
               "Fix dplr: rank {} has an atom whose Wannier center another rank has, since "
               "something moved one of them alone; move atoms together with their centers, and put "
               "fix dplr before fixes that exchange atoms",
               comm->me);
  state->pairs.check();
}

void FixDPLRThreadpool::min_post_neighbor()
{
  post_neighbor();
}

/* ---------------------------------------------------------------------- */

void FixDPLRThreadpool::pre_exchange()
{
  state->pairs.follow_hosts();
}

void FixDPLRThreadpool::min_pre_exchange()
{
  pre_exchange();
}

/* ---------------------------------------------------------------------- */

void FixDPLRThreadpool::setup_pre_force(int vflag)
{
  pre_force(vflag);
}

void FixDPLRThreadpool::pre_force(int /*vflag*/)
{
  state->pairs.require_same_atoms();
  state->dipoles.evaluate(state->list, state->pairs.hosts());
  state->pairs.place(state->dipoles.dipoles());
}

void FixDPLRThreadpool::min_pre_force(int vflag)
{
  pre_force(vflag);
}

/* ---------------------------------------------------------------------- */

void FixDPLRThreadpool::setup_pre_reverse(int eflag, int vflag)
{
  pre_reverse(eflag, vflag);
}

/* ----------------------------------------------------------------------
   forces on ghosts go to their owners together with those of the pair style
------------------------------------------------------------------------- */

void FixDPLRThreadpool::pre_reverse(int /*eflag*/, int vflag)
{
  v_init(vflag);
  if (vflag_atom)
    error->all(FLERR,
               "Fix dplr has no stress of single atoms: use 'fix_modify {} virial no' or a compute "
               "without it",
               id);
  const std::vector<double> &given =
      dynamic_cast<ForcesOfCharges *>(force->kspace)->forces_of_charges();
  if (given.size() != 3 * static_cast<std::size_t>(atom->nlocal))
    error->one(FLERR,
               "Fix dplr got forces on {} charges from the kspace style, rank {} has {}: something "
               "changed the number of atoms between both; leave out fixes that add or remove atoms",
               given.size() / 3, comm->me, atom->nlocal);
  state->forces = given;
  state->field.add_forces(state->forces);
  add_forces();
}

void FixDPLRThreadpool::min_pre_reverse(int eflag, int vflag)
{
  pre_reverse(eflag, vflag);
}

/* ----------------------------------------------------------------------
   the force on a center moves its atom, and those that the dipole depends on
------------------------------------------------------------------------- */

void FixDPLRThreadpool::add_forces()
{
  double **const f = atom->f;
  std::vector<double> &forces = state->forces, &on_ends = state->on_ends;
  const double(*const dipoles)[3] = state->dipoles.dipoles();
  on_ends.assign(forces.size(), 0.0);
  double v[6] = {};
  for (const WannierPairs::Pair &pair : state->pairs.pairs()) {
    double *const force = &forces[3 * pair.center], *const end = &on_ends[3 * pair.host];
    const double *const d = dipoles[pair.host];
    v[0] -= force[0] * d[0];
    v[1] -= force[1] * d[1];
    v[2] -= force[2] * d[2];
    v[3] -= force[1] * d[0];
    v[4] -= force[2] * d[0];
    v[5] -= force[2] * d[1];
    for (int dim = 0; dim < 3; dim++) {
      end[dim] += force[dim];
      forces[3 * pair.host + dim] += force[dim];
      force[dim] = 0.0;    // centers themselves do not move by forces
    }
  }
  for (int i = 0; i < atom->nlocal; i++)
    for (int dim = 0; dim < 3; dim++) f[i][dim] += forces[3 * i + dim];
  const PairTally tally = state->dipoles.add_forces(
      reinterpret_cast<const double(*)[3]>(on_ends.data()), f, vflag_global != 0);
  if (!vflag_global) return;
  const double *const of_field = state->field.virial().data();
  for (const double *part : {static_cast<const double *>(v), tally.virial, of_field})
    for (int k = 0; k < 6; k++) virial[k] += part[k];
}

/* ---------------------------------------------------------------------- */

int FixDPLRThreadpool::pack_forward_comm(int n, int *list, double *buf, int /*pbc_flag*/,
                                         int * /*pbc*/)
{
  return state->pairs.pack_forward_comm(n, list, buf);
}

void FixDPLRThreadpool::unpack_forward_comm(int n, int first, double *buf)
{
  state->pairs.unpack_forward_comm(n, first, buf);
}

int FixDPLRThreadpool::pack_reverse_comm(int n, int first, double *buf)
{
  return state->pairs.pack_reverse_comm(n, first, buf);
}

void FixDPLRThreadpool::unpack_reverse_comm(int n, int *list, double *buf)
{
  state->pairs.unpack_reverse_comm(n, list, buf);
}

/* ----------------------------------------------------------------------
   of the electric field
------------------------------------------------------------------------- */

double FixDPLRThreadpool::compute_scalar()
{
  return state->field.energy();
}

double FixDPLRThreadpool::compute_vector(int n)
{
  return state->field.force_along(n);
}

/* ---------------------------------------------------------------------- */

bool FixDPLRThreadpool::in_single_precision() const
{
  return precision_of_run(lmp) == DeepNets::Precision::SINGLE;
}

/* ---------------------------------------------------------------------- */

double FixDPLRThreadpool::memory_usage()
{
  return state->pairs.memory_usage() + state->dipoles.memory_usage() +
      static_cast<double>((state->forces.capacity() + state->on_ends.capacity()) * sizeof(double));
}
