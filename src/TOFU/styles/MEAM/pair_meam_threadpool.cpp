// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_meam_threadpool.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "meam.h"
#include "memory.h"
#include "neigh_list.h"

#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double BEYOND = 1.0 + 1e-10;

/* ----------------------------------------------------------------------
   LAMMPS' potential, with its parameters and functions open to this file
------------------------------------------------------------------------- */

namespace {

class OpenMEAM : public MEAM {
 public:
  using MEAM::MEAM;

  using MEAM::A_meam, MEAM::Ec_meam, MEAM::re_meam, MEAM::rho0_meam, MEAM::rho_ref_meam;
  using MEAM::beta0_meam, MEAM::beta1_meam, MEAM::beta2_meam, MEAM::beta3_meam;
  using MEAM::beta1m_meam, MEAM::beta2m_meam, MEAM::beta3m_meam;
  using MEAM::bkgd_dyn, MEAM::ialloy, MEAM::ibar_meam, MEAM::mix_ref_t;
  using MEAM::Cmax_meam, MEAM::Cmin_meam, MEAM::ebound_meam;
  using MEAM::cutforce, MEAM::cutforcesq, MEAM::delr_meam;
  using MEAM::dG_gam, MEAM::embedding, MEAM::G_gam, MEAM::get_shpfcn;
  using MEAM::eltind, MEAM::nrar, MEAM::rdrar;
  using MEAM::lattce_meam, MEAM::neltypes;
  using MEAM::phirar, MEAM::phirar1, MEAM::phirar2, MEAM::phirar3;
  using MEAM::t1_meam, MEAM::t2_meam, MEAM::t3_meam;
  using MEAM::t1m_meam, MEAM::t2m_meam, MEAM::t3m_meam;

  double t(int moment, int element) const
  {
    const double *const of[3] = {t1_meam, t2_meam, t3_meam};
    return of[moment][element];
  }

  /** Whether the reference structure of an element has one. */
  bool has_angle(int element) const
  {
    const auto structure = lattce_meam[element][element];
    return structure == LIN || structure == ZIG || structure == TRI;
  }
};

OpenMEAM &open(MEAM *potential)
{
  return *static_cast<OpenMEAM *>(potential);
}

/** Of LAMMPS' potential. */
class FunctionsOfMEAM : public MEAMFunctions {
 public:
  explicit FunctionsOfMEAM(const OpenMEAM &meam) : meam(meam) {}

  double g(int element, double gamma, double &slope, int &failure) const override
  {
    const int which = meam.ibar_meam[element];
    meam.dG_gam(gamma, which, slope);
    return meam.G_gam(gamma, which, failure);
  }

  double energy(int element, double density, double &slope) const override
  {
    return meam.embedding(meam.A_meam[element], meam.Ec_meam[element][element], density, slope);
  }

 private:
  const OpenMEAM &meam;
};

}    // namespace

/* ---------------------------------------------------------------------- */

PairMEAMThreadpool::PairMEAMThreadpool(LAMMPS *lmp) : PairMEAM(lmp), pair(lmp)
{
  const int ms = meam_inst->msmeamflag;
  delete meam_inst;
  meam_inst = new OpenMEAM(memory);
  meam_inst->msmeamflag = ms;
  functions = std::make_unique<FunctionsOfMEAM>(open(meam_inst));
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::settings(int narg, char **arg)
{
  PairMEAM::settings(narg, arg);
  MEAMRow longest = row;    // pair hybrid looks at sizes before elements are known
  longest.nblocks = msmeamflag ? 2 : 1;
  longest.nelements = MEAMTables::MOST_ELEMENTS;
  comm_reverse = std::max(comm_reverse, longest.n());
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::init_style()
{
  PairMEAM::init_style();
  pair.adjust_request(this, PairOnPool::Preferred::HALF);
  stock_forward = msmeamflag ? 61 : 38;
  stock_reverse = msmeamflag ? 53 : 30;
  fill_tables();
  comm_forward = std::max(stock_forward, row.n());    // buffers are allocated for these
  comm_reverse = std::max(stock_reverse, row.n());
}

/* ---------------------------------------------------------------------- */

double PairMEAMThreadpool::init_one(int i, int j)
{
  stale = true;
  return PairMEAM::init_one(i, j);
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::compute(int eflag, int vflag)
{
  if (stale) fill_tables();
  on_pool = can_compute();
  comm_forward = on_pool ? row.n() : stock_forward;
  comm_reverse = on_pool ? row.n() : stock_reverse;
  if (!on_pool) {
    PairMEAM::compute(eflag, vflag);
    return;
  }
  ev_init(eflag, vflag);
  gather();
  sum_up_densities();
  comm->reverse_comm(this);
  embed(eflag_either);
  comm->forward_comm(this);
  pair.compute_parts(this, [&](int part, const PairJob &job, int, int, PairTally &tally) {
    meam_forces(tables, job, pairs[part], rows.data(), tally);
  });
  if (vflag_fdotr && !pair.add_virial(this)) virial_fdotr_compute();
  vflag_fdotr = 0;
}

/* ----------------------------------------------------------------------
   LAMMPS takes the angle of the reference structure of one element for both of
   a pair
------------------------------------------------------------------------- */

bool PairMEAMThreadpool::can_compute() const
{
  const OpenMEAM &meam = open(meam_inst);
  if (meam.mix_ref_t != 1 || meam.neltypes == 1) return true;
  for (int e = 0; e < meam.neltypes; e++)
    if (meam.has_angle(e)) return false;
  return true;
}

/* ---------------------------------------------------------------------- */

std::string PairMEAMThreadpool::left_to_lammps() const
{
  return on_pool ? "" : "mixture_ref_t of 1 and a reference structure lin, zig or tri";
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::fill_tables()
{
  stale = false;
  const OpenMEAM &meam = open(meam_inst);
  tables.nelements = meam.neltypes;
  tables.two_sets = msmeamflag;
  tables.cutoff = meam.cutforce;
  tables.width = meam.delr_meam;
  tables.bound.clear();
  tables.cmin.clear();
  tables.cmax.clear();
  double largest = 1.0;
  for (int i = 0; i < meam.neltypes; i++)
    for (int j = 0; j < meam.neltypes; j++) {
      tables.bound.push_back(meam.ebound_meam[i][j]);
      largest = std::max(largest, meam.ebound_meam[i][j]);
      for (int k = 0; k < meam.neltypes; k++) {
        tables.cmin.push_back(meam.Cmin_meam[i][j][k]);
        tables.cmax.push_back(meam.Cmax_meam[i][j][k]);
      }
    }
  tables.reach = BEYOND * largest * meam.cutforcesq;
  fill_elements();
  fill_splines();
  row = tables.row();
  fill_embedding();
  if (!part_rows || part_rows->width() != row.stride())
    part_rows = std::make_unique<PartSums>(row.stride());
}

/* ----------------------------------------------------------------------
   forces of the variant with two sets have weights that its densities lack
------------------------------------------------------------------------- */

void PairMEAMThreadpool::fill_elements()
{
  const OpenMEAM &meam = open(meam_inst);
  tables.elements.assign(meam.neltypes, {});
  for (int e = 0; e < meam.neltypes; e++) {
    const double scale = meam.rho0_meam[e], re = meam.re_meam[e][e];
    const double betas[2][4] = {
        {meam.beta0_meam[e], meam.beta1_meam[e], meam.beta2_meam[e], meam.beta3_meam[e]},
        {0.0, meam.beta1m_meam[e], meam.beta2m_meam[e], meam.beta3m_meam[e]}};
    const double opposite[4] = {0.0, meam.t1m_meam[e], meam.t2m_meam[e], meam.t3m_meam[e]};
    for (int set = 0; set < 2; set++)
      for (int m = 0; m < 4; m++) {
        MEAMTables::Element &to = tables.elements[e][set];
        to.shift[m] = betas[set][m];
        to.slope[m] = betas[set][m] / re;
        if (set == 1) {
          to.strength[m] = to.force_strength[m] = scale * opposite[m];
          continue;
        }
        const double weight = m > 0 ? meam.t(m - 1, e) : 1.0;
        to.strength[m] = scale * (meam.ialloy == 1 ? weight : 1.0);
        to.force_strength[m] = scale * (meam.ialloy == 1 || msmeamflag ? weight : 1.0);
      }
  }
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::fill_embedding()
{
  const OpenMEAM &meam = open(meam_inst);
  using Weights = MEAMEmbedding::Weights;
  embedding.layout = row;
  embedding.functions = functions.get();
  embedding.weights = meam.ialloy == 1 ? Weights::BY_SQUARES
      : meam.ialloy == 2               ? Weights::OF_CENTER
                                       : Weights::BY_DENSITIES;
  embedding.averaged_reference = meam.mix_ref_t == 1;
  embedding.reference_is_spherical = meam.bkgd_dyn == 1;
  embedding.elements.assign(meam.neltypes, {});
  for (int e = 0; e < meam.neltypes; e++) {
    MEAMEmbedding::Element &to = embedding.elements[e];
    const auto structure = meam.lattce_meam[e][e];
    for (int m = 0; m < 3; m++) to.weight[m] = meam.t(m, e);
    to.scale = meam.rho0_meam[e];
    to.reference_density = meam.rho_ref_meam[e];
    to.reference_neighbors = MEAM::get_Zij(structure);
    meam.get_shpfcn(structure, meam.stheta_meam[e][e], meam.ctheta_meam[e][e], to.shape);
    to.has_shape = meam.ibar_meam[e] > 0;
  }
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::fill_splines()
{
  const OpenMEAM &meam = open(meam_inst);
  tables.nr = meam.nrar;
  tables.rdr = meam.rdrar;
  tables.splines.clear();
  const int npairs = meam.neltypes * (meam.neltypes + 1) / 2;
  for (int n = 0; n < npairs; n++)
    for (int k = 0; k < meam.nrar; k++)
      for (double **coefficients : {meam.phirar3, meam.phirar2, meam.phirar1, meam.phirar})
        tables.splines.push_back(coefficients[n][k]);
  tables.spline_of.clear();
  for (int i = 0; i < meam.neltypes; i++)
    for (int j = 0; j < meam.neltypes; j++)
      tables.spline_of.push_back(meam.eltind[i][j] * meam.nrar);
}

/* ----------------------------------------------------------------------
   fix adapt may change factors of energies between steps
------------------------------------------------------------------------- */

void PairMEAMThreadpool::find_scale()
{
  const int ntypes = atom->ntypes;
  bool all_one = true;
  for (int i = 1; i <= ntypes; i++)
    for (int j = i; j <= ntypes; j++) all_one = all_one && scale[i][j] == 1.0;
  tables.scale = all_one ? nullptr : scale;
  tables.type = atom->type;
}

/* ----------------------------------------------------------------------
   third atoms get forces, and need not be in rows of the half list
------------------------------------------------------------------------- */

void PairMEAMThreadpool::gather()
{
  find_scale();
  const int nall = atom->nlocal + atom->nghost;
  elements.resize(nall);
  std::transform(atom->type, atom->type + nall, elements.begin(),
                 [this](int type) { return static_cast<double>(map[type]); });
  PairOnPool::Sites sites;
  sites.x = nall ? atom->x[0] : nullptr;
  sites.reach_more = [this](int part, PartReach &reach) {
    const PairOnPool::Share share = pair.share_of(part);
    for (int n = share.first; n < share.last; n++) {
      const int i = listhalf->ilist[n];
      for (int k = 0; k < listfull->numneigh[i]; k++)
        reach.add(part, listfull->firstneigh[i][k] & NEIGHMASK);
    }
  };
  pair.gather_sites(listhalf, elements.data(), sites);
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::sum_up_densities()
{
  const int nparts = pair.nparts(), nall = atom->nlocal + atom->nghost;
  const std::size_t stride = row.stride();
  rows.room(stride * (nall + 1));
  if (static_cast<int>(pairs.size()) != nparts) pairs = std::vector<MEAMPairs>(nparts);
  pair.for_parts([&](int part) {
    std::fill(row_of(begin_of_share(part, nparts, nall + 1, GRAIN)),
              row_of(begin_of_share(part + 1, nparts, nall + 1, GRAIN)), 0.0);
  });
  const MEAMFullRows full{listfull->firstneigh, listfull->numneigh};
  pair.add_for_rows(*part_rows, rows.data(),
                    [&](int part, const PairJob &job, int first, int last, double *sums) {
                      meam_screen(tables, job, full, first, last, pairs[part]);
                      meam_densities(tables, pairs[part], sums);
                    });
}

/* ----------------------------------------------------------------------
   atoms of other styles, too, have rows, which stay 0
------------------------------------------------------------------------- */

void PairMEAMThreadpool::embed(bool energy)
{
  const int nparts = pair.nparts(), nlocal = atom->nlocal;
  energies.assign(nparts, 0.0);
  failures.assign(nparts, 0);
  pair.for_parts([&](int part) {
    double sum = 0.0;
    const int last = begin_of_share(part + 1, nparts, nlocal, GRAIN);
    for (int i = begin_of_share(part, nparts, nlocal, GRAIN); i < last; i++) {
      const int type = atom->type[i];
      if (map[type] < 0) continue;
      const double mine = scale[type][type] * embedding.embed(map[type], row_of(i), failures[part]);
      sum += mine;
      if (energy && eflag_atom) eatom[i] += mine;
    }
    energies[part] = sum;
  });
  for (const int failure : failures)
    if (failure) error->one(FLERR, "MEAM library error {}", failure);
  if (energy && eflag_global)
    for (const double sum : energies) eng_vdwl += sum;
}

/* ---------------------------------------------------------------------- */

int PairMEAMThreadpool::pack_forward_comm(int n, int *atoms, double *buf, int pbc_flag, int *pbc)
{
  if (!on_pool) return PairMEAM::pack_forward_comm(n, atoms, buf, pbc_flag, pbc);
  for (int k = 0; k < n; k++) buf = std::copy_n(row_of(atoms[k]), row.n(), buf);
  return row.n() * n;
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::unpack_forward_comm(int n, int first, double *buf)
{
  if (!on_pool) return PairMEAM::unpack_forward_comm(n, first, buf);
  for (int i = first; i < first + n; i++, buf += row.n()) std::copy_n(buf, row.n(), row_of(i));
}

/* ---------------------------------------------------------------------- */

int PairMEAMThreadpool::pack_reverse_comm(int n, int first, double *buf)
{
  if (!on_pool) return PairMEAM::pack_reverse_comm(n, first, buf);
  for (int i = first; i < first + n; i++) buf = std::copy_n(row_of(i), row.n(), buf);
  return row.n() * n;
}

/* ---------------------------------------------------------------------- */

void PairMEAMThreadpool::unpack_reverse_comm(int n, int *atoms, double *buf)
{
  if (!on_pool) return PairMEAM::unpack_reverse_comm(n, atoms, buf);
  for (int k = 0; k < n; k++) {
    double *const to = row_of(atoms[k]);
    for (int m = 0; m < row.n(); m++) to[m] += *buf++;
  }
}

/* ---------------------------------------------------------------------- */

double PairMEAMThreadpool::memory_usage()
{
  double bytes =
      PairMEAM::memory_usage() + pair.memory_usage() + static_cast<double>(rows.nbytes());
  if (part_rows) bytes += part_rows->memory_usage();
  for (const MEAMPairs &mine : pairs) bytes += mine.nbytes();
  return bytes + static_cast<double>(tables.splines.size() * sizeof(double));
}

/* ---------------------------------------------------------------------- */

PairMEAMMSThreadpool::PairMEAMMSThreadpool(LAMMPS *lmp) : PairMEAMThreadpool(lmp)
{
  meam_inst->msmeamflag = msmeamflag = 1;
  myname = "meam/ms";
}
