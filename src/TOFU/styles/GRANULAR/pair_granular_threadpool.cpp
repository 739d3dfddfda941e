// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_granular_threadpool.h"

#include "atom.h"
#include "update.h"

#include "gran_sub_mod.h"
#include "gran_sub_mod_damping.h"
#include "gran_sub_mod_normal.h"
#include "gran_sub_mod_tangential.h"
#include "granular_model.h"

#include "lammps/lammps_version.h"

#include <algorithm>
#include <string>

using namespace LAMMPS_NS;
using namespace Granular_NS;
using namespace TOFU_NS;

namespace {

// These read one part of a model each.  They return false if the kernel does not have it.

/** \param mixed   whether coefficients are mixed ones, with a modulus of both spheres */
bool read_normal(GranularModel &from, bool mixed, NormalModel &to)
{
  const std::string &name = from.normal_model->name;
  const double *const c = from.normal_model->coeffs;
  to.limit_damping = from.limit_damping != 0;
  if (name == "hooke")
    to.law = NormalModel::HOOKE;
  else if (name == "hertz" || name == "hertz/material")
    to.law = NormalModel::HERTZ;
  else if (name == "dmt")
    to.law = NormalModel::DMT;
  else if (name == "jkr")
    to.law = NormalModel::JKR;
  else
    return false;

  if (to.law == NormalModel::DMT || to.law == NormalModel::JKR) to.cohesion = c[3];
  if (to.law == NormalModel::JKR) {
    const double compliance = (1.0 - c[2] * c[2]) / c[0];
    to.modulus = mixed ? c[0] : 1.0 / (compliance + compliance);
    to.k = 4.0 / 3.0 * to.modulus;
    return true;
  }

  // the force of a unit contact, where adhesion is nothing, is the stiffness

  from.delta = from.contact_radius = 1.0;
  from.Reff = 0.0;
  to.k = from.normal_model->calculate_forces();
  return true;
}

/* ---------------------------------------------------------------------- */

bool read_damping(GranularModel &from, DampingModel &to)
{
  const std::string &name = from.damping_model->name;
  if (name == "velocity")
    to.law = DampingModel::VELOCITY;
  else if (name == "mass_velocity")
    to.law = DampingModel::MASS_VELOCITY;
  else if (name == "viscoelastic")
    to.law = DampingModel::VISCOELASTIC;
  else if (name == "tsuji" || name == "coeff_restitution")
    to.law = DampingModel::TSUJI;
  else
    return false;

  // the one of a unit contact is the factor

  from.meff = from.delta = from.contact_radius = from.Fnormal = 1.0;
  from.vnnr = 0.0;
  from.damping_model->calculate_forces();
  to.factor = from.damping_model->get_damp_prefactor();
  return true;
}

/* ---------------------------------------------------------------------- */

bool read_tangential(const GranularModel &from, TangentialModel &to)
{
  const GranSubModTangential &model = *from.tangential_model;
  const std::string &name = model.name;
  if (name == "linear_nohistory")
    to.law = TangentialModel::DASHPOT;
  else if (name == "linear_history")
    to.law = TangentialModel::LINEAR;
  else if (name == "linear_history_classic")
    to.law = TangentialModel::CLASSIC;
  else if (name == "mindlin" || name == "mindlin/force" || name == "mindlin_rescale" ||
           name == "mindlin_rescale/force")
    to.law = TangentialModel::MINDLIN;
  else
    return false;

  const bool is_dashpot = to.law == TangentialModel::DASHPOT;
  to.k = model.get_k();
  to.damping = model.coeffs[is_dashpot ? 0 : 1];
  to.friction = model.get_mu();
  to.by_radius = to.law == TangentialModel::CLASSIC && model.contact_radius_flag;
  to.as_force = name == "mindlin/force" || name == "mindlin_rescale/force";
  to.rescale = name == "mindlin_rescale" || name == "mindlin_rescale/force";
  to.first = model.history_index;
  return true;
}

/* ---------------------------------------------------------------------- */

bool read_rolling(const GranularModel &from, RollingModel &to)
{
  const GranSubMod &model = *from.sub_models[ROLLING];
  if (model.name == "none") return true;
  if (model.name != "sds") return false;
  to.is_on = true;
  to.k = model.coeffs[0];
  to.damping = model.coeffs[1];
  to.friction = model.coeffs[2];
  to.first = model.history_index;
  return true;
}

/* ---------------------------------------------------------------------- */

bool read_twisting(const GranularModel &from, TwistingModel &to)
{
  const GranSubMod &model = *from.sub_models[TWISTING];
  if (model.name == "none") return true;
  to.first = model.history_index;
  if (model.name == "marshall") {
    to.law = TwistingModel::MARSHALL;
    return true;
  }
  if (model.name != "sds") return false;
  to.law = TwistingModel::SDS;
  to.k = model.coeffs[0];
  to.damping = model.coeffs[1];
  to.friction = model.coeffs[2];
  return true;
}

/* ---------------------------------------------------------------------- */

bool read_heat(const GranularModel &from, HeatModel &to)
{
  const GranSubMod &model = *from.sub_models[HEAT];
  if (model.name == "none") return true;
  if (model.name == "radius")
    to.law = HeatModel::RADIUS;
  else if (model.name == "area")
    to.law = HeatModel::AREA;
  else
    return false;
  to.factor = model.coeffs[0];
  return true;
}

/* ---------------------------------------------------------------------- */

bool read_model(GranularModel &from, bool mixed, GrainModel &to)
{
  return !is_synchronized(from) && read_heat(from, to.heat) &&
      read_normal(from, mixed, to.normal) && read_damping(from, to.damping) &&
      read_tangential(from, to.tangential) && read_rolling(from, to.rolling) &&
      read_twisting(from, to.twisting);
}

}    // namespace

/* ---------------------------------------------------------------------- */

PairGranularThreadpool::PairGranularThreadpool(LAMMPS *lmp) : PairGranular(lmp), contacts(lmp) {}

/* ---------------------------------------------------------------------- */

void PairGranularThreadpool::init_style()
{
  PairGranular::init_style();
  contacts.init(this);
  models_are_read = false;
  is_used.assign((atom->ntypes + 1) * (atom->ntypes + 1), false);
}

/* ----------------------------------------------------------------------
   as a sub-style of pair hybrid, this one has models for some pairs only
------------------------------------------------------------------------- */

double PairGranularThreadpool::init_one(int i, int j)
{
  is_used[i * (atom->ntypes + 1) + j] = is_used[j * (atom->ntypes + 1) + i] = true;
  models_are_read = false;
  return PairGranular::init_one(i, j);
}

/* ----------------------------------------------------------------------
   models that types share are read once
------------------------------------------------------------------------- */

void PairGranularThreadpool::read_models()
{
  const int ntypes = atom->ntypes;
  grain_models.clear();
  model_of_types.assign((ntypes + 1) * (ntypes + 1), 0);
  models_are_read = true;
  missing.clear();
  std::vector<int> place(nmodels, -1);    // of LAMMPS' models among grain_models
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++) {
      if (!is_used[i * (ntypes + 1) + j]) continue;
      const int model = types_indices[i][j];
      if (place[model] < 0) {
        place[model] = static_cast<int>(grain_models.size());
        grain_models.emplace_back();
        const bool mixed = !setflag[std::min(i, j)][std::max(i, j)];
        if (!read_model(*models_list[model], mixed, grain_models.back()))
          missing = "models that the pool does not have";
      }
      model_of_types[i * (ntypes + 1) + j] = place[model];
    }

  // LAMMPS' own code knows what heat flows where some models have none

  const auto conducts = [](const GrainModel &model) {
    return model.heat.law != HeatModel::NONE;
  };
  const auto nconducting = std::count_if(grain_models.begin(), grain_models.end(), conducts);
  contacts.set_conducts(nconducting > 0);
  if (nconducting && nconducting < static_cast<long>(grain_models.size()))
    missing = "heat between some types alone";
}

/* ---------------------------------------------------------------------- */

void PairGranularThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (!models_are_read) read_models();

  if (vflag_atom || !left_to_lammps().empty()) {
    PairGranular::compute(eflag, vflag);
    return;
  }

  GrainModels models;
  models.nmodels = static_cast<int>(grain_models.size());
  models.models = grain_models.data();
  models.ntypes = atom->ntypes;
  models.of_types = model_of_types.data();
  models.type = atom->type;
  models.temperature = atom->temperature;
  models.dt = update->dt;
  models.slide = !contacts.is_setup();
  models.history = use_history != 0;
  const int nlocal = atom->nlocal;
  contacts.compute(list, use_history ? fix_history : nullptr, get_size_history(), freeze_group_bit,
                   vflag_global ? virial : nullptr,
                   [&models, nlocal](const auto &spheres, const auto &pairs, const auto &forces,
                                     double *virial_of_part) {
                     grains(models, spheres, pairs, forces, nlocal, virial_of_part);
                   });
}

/* ----------------------------------------------------------------------
   stress by atom is left to LAMMPS, too, in those steps that want it
------------------------------------------------------------------------- */

std::string PairGranularThreadpool::left_to_lammps() const
{
  const std::string reason = contacts.left_to_lammps(fix_rigid);
  return reason.empty() ? missing : reason;
}

/* ---------------------------------------------------------------------- */

double PairGranularThreadpool::memory_usage()
{
  return PairGranular::memory_usage() + contacts.memory_usage();
}
