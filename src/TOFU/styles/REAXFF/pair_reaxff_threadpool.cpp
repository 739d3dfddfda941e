// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_reaxff_threadpool.h"

#include "threadpool/pair/pair_on_pool.h"
#include "threadpool/reaxff/reaxff_on_pool.h"

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "error.h"
#include "fix_acks2_reaxff.h"
#include "memory.h"
#include "modify.h"
#include "neigh_list.h"
#include "neigh_request.h"
#include "neighbor.h"
#include "reaxff_api.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;
using ReaxFF::bond_data;
using ReaxFF::control_params;
using ReaxFF::reax_interaction;
using ReaxFF::reax_list;
using ReaxFF::storage;

/* ----------------------------------------------------------------------
   memory of what fix reaxff/species, fix reaxff/bonds and compute reaxff/atom read
------------------------------------------------------------------------- */

struct PairReaxFFThreadpool::Published {
  std::vector<bond_data> bonds;
  std::vector<int> first, last;
  std::vector<double> total_bond_order, nlp;
};

/* ---------------------------------------------------------------------- */

PairReaxFFThreadpool::PairReaxFFThreadpool(LAMMPS *lmp) :
    PairReaxFF(lmp), on_pool(std::make_unique<ReaxFFOnPool>(lmp)),
    published(std::make_unique<Published>())
{
  ghostneigh = 0;
}

/* ----------------------------------------------------------------------
   LAMMPS' style frees parameters only after forces that it has computed itself
------------------------------------------------------------------------- */

PairReaxFFThreadpool::~PairReaxFFThreadpool()
{
  if (copymode) return;
  reax_interaction &parameters = api->system->reax_param;
  memory->destroy(parameters.gp.l);
  memory->destroy(parameters.sbp);
  memory->destroy(parameters.tbp);
  memory->destroy(parameters.thbp);
  memory->destroy(parameters.hbp);
  memory->destroy(parameters.fbp);
}

/* ----------------------------------------------------------------------
   bonds and hydrogen bonds are looked for in the list if it may lack near pairs
------------------------------------------------------------------------- */

bool PairReaxFFThreadpool::list_lacks_pairs() const
{
  const bool has_special_bonds = atom->molecular == Atom::TEMPLATE ||
      (atom->molecular == Atom::MOLECULAR && atom->nbonds > 0);
  return neighbor->nex_type || neighbor->nex_group || neighbor->nex_mol || neighbor->includegroup ||
      has_special_bonds;
}

/* ----------------------------------------------------------------------
   fixes qtpie/reaxff and acks2/reaxff take the list to have rows of ghosts
------------------------------------------------------------------------- */

void PairReaxFFThreadpool::init_style()
{
  PairReaxFF::init_style();
  on_pool->some_are_excluded = list_lacks_pairs();
  ghostneigh = on_pool->some_are_excluded;
  for (const char *reader : {"^qtpie/reax", "^acks2/reax"})
    if (!modify->get_fix_by_style(reader).empty()) ghostneigh = 1;
  if (!ghostneigh) {
    neighbor->nrequest--;
    delete neighbor->requests[neighbor->nrequest];
    neighbor->add_request(this, NeighConst::REQ_NEWTON_OFF);
  }
  on_pool->reset();
  stale = true;
  has_readers = !modify->get_fix_by_style("^reaxff/bonds").empty();
  for (Compute *compute : modify->get_compute_list())
    has_readers = has_readers || utils::strmatch(compute->style, "^reaxff/atom");
}

/* ---------------------------------------------------------------------- */

double PairReaxFFThreadpool::init_one(int i, int j)
{
  stale = true;
  return PairReaxFF::init_one(i, j);
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (stale) fill_tables();
  stale = false;
  api->system->n = atom->nlocal;
  api->system->N = atom->nlocal + atom->nghost;

  ReaxFFOnPool::Wanted wanted;
  wanted.elements = map;
  wanted.energy = eflag_either;
  wanted.virial = vflag_either;
  if (eflag_atom) wanted.eatom = eatom;
  if (vflag_atom && api->system->N) wanted.vatom = reinterpret_cast<double(*)[6]>(vatom[0]);
  wanted.potential = potential_of_acks2();
  const ReaxTally sum = on_pool->compute(list, wanted);

  if (eflag_global) {
    for (int term = 0; term < ReaxTally::NTERMS; term++) {
      const bool coulombic = term == ReaxTally::COULOMB || term == ReaxTally::POLARIZATION;
      (coulombic ? eng_coul : eng_vdwl) += sum.energies[term];
      pvector[term] = sum.energies[term];
    }
  }
  if (vflag_global)
    for (int k = 0; k < 6; k++) virial[k] += sum.virial[k];
  if (vflag_fdotr) virial_fdotr_compute();

  api->data->step = update->ntimestep;
  if (has_readers) publish_bonds();
  if (fixspecies_flag) publish_species();
}

/* ---------------------------------------------------------------------- */

const double *PairReaxFFThreadpool::potential_of_acks2()
{
  const auto fixes = modify->get_fix_by_style("^acks2/reax");
  api->system->acks2_flag = static_cast<int>(fixes.size());
  if (fixes.empty()) return nullptr;
  api->workspace->s = dynamic_cast<FixACKS2ReaxFF *>(fixes.front())->get_s();
  return api->workspace->s + api->system->N;
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::fill_tables()
{
  const reax_interaction &from = api->system->reax_param;
  const control_params &control = *api->control;
  ReaxTables &tables = on_pool->tables;
  tables.n = from.num_atom_types;
  std::fill_n(tables.general, ReaxTables::NGENERAL, 0.0);
  std::copy_n(from.gp.l, std::min(from.gp.n_global, ReaxTables::NGENERAL), tables.general);
  tables.bo_cut = control.bo_cut;
  tables.bond_cut = std::min(control.bond_cut, control.nonb_cut);    // of LAMMPS' own list
  tables.hbond_cut = std::min(control.hbond_cut, control.nonb_cut);
  tables.thb_cut = control.thb_cut;
  tables.thb_cutsq = control.thb_cutsq;
  tables.lone_atoms_count = control.enobondsflag;
  fill_elements();
  fill_torsions();
  fill_pairs();
  fill_triples();
  fill_far_pairs();
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::fill_elements()
{
  ReaxTables &tables = on_pool->tables;
  tables.elements.assign(tables.n, {});
  for (int i = 0; i < tables.n; i++) {
    const auto &from = api->system->reax_param.sbp[i];
    ReaxTables::Element &to = tables.elements[i];
    to.valency = from.valency;
    to.valency_e = from.valency_e;
    to.valency_boc = from.valency_boc;
    to.valency_val = from.valency_val;
    to.nlp_opt = from.nlp_opt;
    to.mass = from.mass;
    to.p_lp2 = from.p_lp2;
    to.p_ovun2 = from.p_ovun2;
    to.p_ovun5 = from.p_ovun5;
    to.p_val3 = from.p_val3;
    to.p_val5 = from.p_val5;
    to.chi = from.chi;
    to.eta = from.eta;
    to.softness_reach = from.bcut_acks2;
    to.p_hbond = from.p_hbond;
    to.is_heavy = from.mass > 21.0;
    to.is_carbon = std::strcmp(from.name, "C") == 0;
  }
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::fill_pairs()
{
  ReaxTables &tables = on_pool->tables;
  const auto *const elements = api->system->reax_param.sbp;
  const auto has_mass = [&](int i, double mass) {
    return elements[i].mass == mass;
  };
  const bool all_triple = static_cast<int>(tables.general[37]) == 2;
  tables.pairs.assign(static_cast<std::size_t>(tables.n) * tables.n, {});
  for (int i = 0; i < tables.n; i++)
    for (int j = 0; j < tables.n; j++) {
      const auto &from = api->system->reax_param.tbp[i][j];
      ReaxTables::Pair &to = tables.pairs[static_cast<std::size_t>(i) * tables.n + j];
      to.p_bo1 = from.p_bo1;
      to.p_bo2 = from.p_bo2;
      to.p_bo3 = from.p_bo3;
      to.p_bo4 = from.p_bo4;
      to.p_bo5 = from.p_bo5;
      to.p_bo6 = from.p_bo6;
      to.r_s = from.r_s;
      to.r_p = from.r_p;
      to.r_pp = from.r_pp;
      to.p_boc3 = from.p_boc3;
      to.p_boc4 = from.p_boc4;
      to.p_boc5 = from.p_boc5;
      to.De_s = from.De_s;
      to.De_p = from.De_p;
      to.De_pp = from.De_pp;
      to.p_be1 = from.p_be1;
      to.p_be2 = from.p_be2;
      to.p_ovun1 = from.p_ovun1;
      to.has_sigma = elements[i].r_s > 0.0 && elements[j].r_s > 0.0;
      to.has_pi = elements[i].r_pi > 0.0 && elements[j].r_pi > 0.0;
      to.has_pipi = elements[i].r_pi_pi > 0.0 && elements[j].r_pi_pi > 0.0;
      to.is_overcoordinated = from.ovc >= 0.001;
      to.has_13 = from.v13cor >= 0.001;
      to.has_triple = all_triple || (has_mass(i, 12.0) && has_mass(j, 15.999)) ||
          (has_mass(j, 12.0) && has_mass(i, 15.999));
      to.any_torsion = false;
      for (int k = 0; k < tables.n; k++)
        for (int l = 0; l < tables.n; l++)
          to.any_torsion = to.any_torsion || tables.torsion(k, i, j, l).any;
      set_reaches(tables, to);
    }
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::fill_triples()
{
  constexpr double LEAST_STRENGTH = 0.001;    // of angles that LAMMPS computes
  const reax_interaction &parameters = api->system->reax_param;
  ReaxTables &tables = on_pool->tables;
  tables.angles.clear();
  tables.hydrogen_bonds.clear();
  for (int i = 0; i < tables.n; i++)
    for (int j = 0; j < tables.n; j++)
      for (int k = 0; k < tables.n; k++) {
        const auto &angle = parameters.thbp[i][j][k];
        ReaxTables::Angle to;
        for (int n = 0; n < std::min(angle.cnt, ReaxTables::MOST_SETS); n++) {
          const auto &set = angle.prm[n];
          if (std::fabs(set.p_val1) > LEAST_STRENGTH)
            to.sets[to.n++] = {set.theta_00, set.p_val1, set.p_val2, set.p_val4,
                               set.p_val7,   set.p_pen1, set.p_coa1};
        }
        tables.angles.push_back(to);
        const auto &bond = parameters.hbp[i][j][k];
        tables.hydrogen_bonds.push_back({bond.r0_hb, bond.p_hb1, bond.p_hb2, bond.p_hb3});
      }
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::fill_torsions()
{
  const reax_interaction &parameters = api->system->reax_param;
  ReaxTables &tables = on_pool->tables;
  tables.torsions.clear();
  for (int i = 0; i < tables.n; i++)
    for (int j = 0; j < tables.n; j++)
      for (int k = 0; k < tables.n; k++)
        for (int l = 0; l < tables.n; l++) {
          const auto &from = parameters.fbp[i][j][k][l];
          const auto &set = from.prm[0];
          tables.torsions.push_back({set.V1, set.V2, set.V3, set.p_tor1, set.p_cot1, from.cnt > 0});
        }
}

/* ---------------------------------------------------------------------- */

/** Coefficients of the polynomial that falls from 1 to 0 between two distances, with three
    derivatives 0 at both; as LAMMPS has it. */
static void fill_taper(double from, double to, double *taper)
{
  const double a = from, b = to, d7 = std::pow(b - a, 7.0);
  const double aa = a * a, bb = b * b, aaa = aa * a, bbb = bb * b;
  taper[7] = 20.0 / d7;
  taper[6] = -70.0 * (a + b) / d7;
  taper[5] = 84.0 * (aa + 3.0 * a * b + bb) / d7;
  taper[4] = -35.0 * (aaa + 9.0 * aa * b + 9.0 * a * bb + bbb) / d7;
  taper[3] = 140.0 * (aaa * b + 3.0 * aa * bb + a * bbb) / d7;
  taper[2] = -210.0 * (aaa * bb + aa * bbb) / d7;
  taper[1] = 140.0 * aaa * bbb / d7;
  taper[0] =
      (-35.0 * aaa * bb * bb + 21.0 * aa * bbb * bb - 7.0 * a * bbb * bbb + bbb * bbb * b) / d7;
}

/* ----------------------------------------------------------------------
   error and warnings of LAMMPS' style, which has them once
------------------------------------------------------------------------- */

void PairReaxFFThreadpool::check_taper()
{
  constexpr double SMALL = 0.01, LOW = 5.0;
  const double from = api->control->nonb_low, to = api->control->nonb_cut;
  if (to < 0.0) error->all(FLERR, "Negative upper Taper-radius cutoff");
  if (comm->me == 0 && !has_warned) {
    if (std::fabs(from) > SMALL) error->warning(FLERR, "Non-zero lower Taper-radius cutoff");
    if (to < LOW) error->warning(FLERR, "Very low Taper-radius cutoff: {}", to);
  }
  has_warned = true;
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::fill_far_pairs()
{
  const control_params &control = *api->control;
  check_taper();
  const int vdw_type = api->system->reax_param.gp.vdw_type;
  FarPairTerms terms;
  terms.shielded = vdw_type == 1 || vdw_type == 3;
  terms.wall = vdw_type == 2 || vdw_type == 3;
  terms.dispersion = terms.wall && control.lgflag;
  terms.p = on_pool->tables.general[28];
  terms.cut = control.nonb_cut;
  fill_taper(control.nonb_low, control.nonb_cut, terms.taper);
  on_pool->far_pairs.parameters = std::make_unique<FarPairs>(atom->ntypes, terms);
  for (int i = 1; i <= atom->ntypes; i++)
    for (int j = i; j <= atom->ntypes; j++) {
      if (map[i] < 0 || map[j] < 0) continue;
      const auto &from = api->system->reax_param.tbp[map[i]][map[j]];
      FarPairParameters to;
      to.D = from.D;
      to.alpha = from.alpha;
      to.r_vdW = from.r_vdW;
      to.gamma_w = from.gamma_w;
      to.ecore = from.ecore;
      to.acore = from.acore;
      to.rcore = from.rcore;
      to.lgcij = from.lgcij;
      to.lgre = from.lgre;
      to.gamma = from.gamma;
      on_pool->far_pairs.parameters->set(i, j, to);
    }
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::publish_bonds()
{
  const BondRows &rows = on_pool->bond_rows();
  const int n = rows.nowned;
  Published &to = *published;
  to.first.resize(n + 1);
  to.last.resize(n + 1);
  to.total_bond_order.resize(n + 1);
  to.nlp.resize(n + 1);
  to.bonds.clear();
  for (int i = 0; i < n; i++) {
    const ReaxAtom &from = rows.atoms[i];
    to.first[i] = static_cast<int>(to.bonds.size());
    for (int b = from.first; b < from.last; b++) {
      const ReaxBond &bond = rows.bonds[b];
      bond_data one{};
      one.nbr = bond.neighbor;
      one.d = bond.r;
      std::copy_n(bond.d, 3, one.dvec);
      one.bo_data.BO = bond.bo;
      one.bo_data.BO_s = bond.bo_s();
      one.bo_data.BO_pi = bond.bo_pi();
      one.bo_data.BO_pi2 = bond.bo_pipi();
      to.bonds.push_back(one);
    }
    to.last[i] = static_cast<int>(to.bonds.size());
    to.total_bond_order[i] = from.total;
    to.nlp[i] = from.nlp;
  }
  reax_list &bonds = api->lists[ReaxFF::BONDS];
  bonds.n = n;
  bonds.num_intrs = static_cast<int>(to.bonds.size());
  bonds.index = to.first.data();
  bonds.end_index = to.last.data();
  bonds.select.bond_list = to.bonds.data();
  api->workspace->total_bond_order = to.total_bond_order.data();
  api->workspace->nlp = to.nlp.data();
}

/* ----------------------------------------------------------------------
   neighbors with a higher index and an order of 0.1 at least
------------------------------------------------------------------------- */

void PairReaxFFThreadpool::publish_species()
{
  constexpr double LEAST_ORDER = 0.1;
  const int natoms = api->system->N;
  if (natoms > nmax) {
    memory->destroy(tmpid);
    memory->destroy(tmpbo);
    nmax = natoms;
    memory->create(tmpid, nmax, MAXSPECBOND, "pair:tmpid");
    memory->create(tmpbo, nmax, MAXSPECBOND, "pair:tmpbo");
  }
  const BondRows &rows = on_pool->bond_rows();
  for (int i = 0; i < natoms; i++) {
    std::fill_n(tmpid[i], MAXSPECBOND, 0);
    std::fill_n(tmpbo[i], MAXSPECBOND, 0.0);
    if (i >= rows.nowned) continue;
    int n = 0;
    for (int b = rows.atoms[i].first; b < rows.atoms[i].last; b++) {
      const ReaxBond &bond = rows.bonds[b];
      if (bond.neighbor < i || bond.bo < LEAST_ORDER) continue;
      if (n == MAXSPECBOND) error->one(FLERR, "Increase MAXSPECBOND in reaxff_defs.h");
      tmpid[i][n] = bond.neighbor;
      tmpbo[i][n++] = bond.bo;
    }
  }
}

/* ---------------------------------------------------------------------- */

double PairReaxFFThreadpool::memory_usage()
{
  return on_pool->memory_usage() +
      static_cast<double>(published->bonds.capacity() * sizeof(bond_data)) +
      (fixspecies_flag ? static_cast<double>(nmax) * MAXSPECBOND * (sizeof(int) + sizeof(double))
                       : 0.0);
}

/* ---------------------------------------------------------------------- */

void PairReaxFFThreadpool::add_tally_callback(Compute *)
{
  PairOnPool::refuse_tally(lmp);
}
