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
#include <cmath>

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

/** How often a component of a second or third moment is there with its indices exchanged. */
constexpr double SECOND_TIMES[6] = {1, 2, 2, 1, 2, 1};
constexpr double THIRD_TIMES[10] = {1, 3, 3, 3, 6, 3, 1, 3, 3, 1};

/** Squares of the angular densities, from a block of sums. */
void angular_densities(const double *block, double *rho)
{
  rho[0] = rho[1] = rho[2] = 0.0;
  for (int m = 0; m < 3; m++) {
    const double first = block[MEAMRow::FIRST + m], trace = block[MEAMRow::THIRD_TRACE + m];
    rho[0] += first * first;
    rho[2] -= 0.6 * trace * trace;
  }
  const double trace = block[MEAMRow::SECOND_TRACE];
  rho[1] = -trace * trace / 3.0;
  for (int m = 0; m < 6; m++) {
    const double second = block[MEAMRow::SECOND + m];
    rho[1] += SECOND_TIMES[m] * second * second;
  }
  for (int m = 0; m < 10; m++) {
    const double third = block[MEAMRow::THIRD + m];
    rho[2] += THIRD_TIMES[m] * third * third;
  }
}

/** A block of sums gives way to derivatives of the energy.

    \param factors   [3] derivatives of the energy with respect to the squares */
void derive_block(double *block, const double *factors)
{
  for (int m = 0; m < 3; m++) {
    block[MEAMRow::FIRST + m] *= 2.0 * factors[0];
    block[MEAMRow::THIRD_TRACE + m] *= -1.2 * factors[2];
  }
  block[MEAMRow::SECOND_TRACE] *= -2.0 / 3.0 * factors[1];
  for (int m = 0; m < 6; m++) block[MEAMRow::SECOND + m] *= 4.0 * factors[1];
  for (int m = 0; m < 10; m++) block[MEAMRow::THIRD + m] *= 6.0 * factors[2];
}

}    // namespace

/* ----------------------------------------------------------------------
   embedding of one atom after the other
------------------------------------------------------------------------- */

struct PairMEAMThreadpool::Embedding {
  const OpenMEAM &meam;
  const MEAMRow layout;
  int failure = 0;

  /** The row of an atom with sums gives way to derivatives.

      \return   embedding energy. */
  double operator()(int element, double *row)
  {
    const double *const densities = row + layout.spherical();
    double rho0 = 0.0;
    for (int e = 0; e < layout.nelements; e++) rho0 += densities[e];
    double rho[3], opposite[3] = {0.0, 0.0, 0.0};
    angular_densities(row, rho);
    if (layout.nblocks > 1) angular_densities(row + MEAMRow::BLOCK, opposite);
    for (int m = 0; m < 3; m++) rho[m] -= opposite[m];

    double t[3], by_element[3][MAXELT];
    average_weights(element, densities, rho0, t, by_element);
    double gamma = 0.0;
    for (int m = 0; m < 3; m++) gamma += (layout.nblocks > 1 ? 1.0 : t[m]) * rho[m];
    if (rho0 > 0.0) gamma /= rho0 * rho0;
    const int ibar = meam.ibar_meam[element];
    const double g = meam.G_gam(gamma, ibar, failure);
    if (failure) return 0.0;

    double shape[3], background_slope, background_g;
    const double z = MEAM::get_Zij(meam.lattce_meam[element][element]);
    meam.get_shpfcn(meam.lattce_meam[element][element], meam.stheta_meam[element][element],
                    meam.ctheta_meam[element][element], shape);
    const double background = find_background(element, z, shape, t, background_g, background_slope);
    double slope;
    meam.dG_gam(gamma, ibar, slope);
    const double by_zeroth = (g - 2.0 * slope * gamma) / background;
    const double by_angular = iszero(rho0) ? 0.0 : slope / rho0 / background;
    const double by_shape = meam.mix_ref_t == 1
        ? rho0 * g * background_slope / (background_g * z * z) / background
        : 0.0;
    double pull;
    const double energy = meam.embedding(meam.A_meam[element], meam.Ec_meam[element][element],
                                         rho0 * g / background, pull);

    double *const spherical = row + layout.spherical();
    for (int e = 0; e < layout.nelements; e++) {
      spherical[e] = pull * by_zeroth;
      for (int m = 0; m < 3; m++)
        spherical[e] += pull * (by_angular * rho[m] - by_shape * shape[m]) * by_element[m][e];
    }
    double factors[3];
    for (int m = 0; m < 3; m++) factors[m] = pull * by_angular * (layout.nblocks > 1 ? 1.0 : t[m]);
    derive_block(row, factors);
    if (layout.nblocks > 1) {
      for (double &factor : factors) factor = -factor;
      derive_block(row + MEAMRow::BLOCK, factors);
    }
    return energy;
  }

 private:
  /** Weights of the angular densities, averaged over neighbors.

      \param by_element   derivatives with respect to spherical densities of elements */
  void average_weights(int element, const double *densities, double rho0, double *t,
                       double (*by_element)[MAXELT]) const
  {
    for (int m = 0; m < 3; m++) {
      double sum = 0.0, squares = 0.0;
      for (int e = 0; e < layout.nelements; e++) {
        const double of_element = meam.t(m, e);
        sum += of_element * densities[e];
        squares += of_element * of_element * densities[e];
      }
      t[m] = meam.ialloy == 2 ? 0.0 : sum;
      for (int e = 0; e < layout.nelements; e++) by_element[m][e] = 0.0;
      if (layout.nblocks > 1) continue;
      if (rho0 > 0.0) {
        if (meam.ialloy == 1)
          t[m] = fdiv_zero(sum, squares);
        else if (meam.ialloy == 2)
          t[m] = meam.t(m, element);
        else
          t[m] = sum / rho0;
      }
      if (meam.ialloy == 2) continue;
      for (int e = 0; e < layout.nelements; e++) {
        const double own = meam.t(m, e);
        if (meam.ialloy == 1)
          by_element[m][e] = fdiv_zero(own - t[m] * own * own, squares);
        else if (!iszero(rho0))
          by_element[m][e] = (own - t[m]) / rho0;
      }
    }
  }

  double find_background(int element, double z, const double *shape, const double *t, double &g,
                         double &slope)
  {
    g = 1.0;
    slope = 0.0;
    const int ibar = meam.ibar_meam[element];
    if (ibar > 0) {
      double gamma = 0.0;
      for (int m = 0; m < 3; m++)
        gamma += (meam.mix_ref_t == 1 ? t[m] : meam.t(m, element)) * shape[m];
      gamma /= z * z;
      g = meam.G_gam(gamma, ibar, failure);
      if (meam.mix_ref_t == 1) g = meam.dG_gam(gamma, ibar, slope);
    }
    if (meam.mix_ref_t == 1) return meam.rho0_meam[element] * z * g;
    return meam.bkgd_dyn == 1 ? meam.rho0_meam[element] * z : meam.rho_ref_meam[element];
  }
};

/* ---------------------------------------------------------------------- */

PairMEAMThreadpool::PairMEAMThreadpool(LAMMPS *lmp) : PairMEAM(lmp), pair(lmp)
{
  const int ms = meam_inst->msmeamflag;
  delete meam_inst;
  meam_inst = new OpenMEAM(memory);
  meam_inst->msmeamflag = ms;
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
    Embedding embedding{open(meam_inst), row};
    double sum = 0.0;
    const int last = begin_of_share(part + 1, nparts, nlocal, GRAIN);
    for (int i = begin_of_share(part, nparts, nlocal, GRAIN); i < last; i++) {
      const int type = atom->type[i];
      if (map[type] < 0) continue;
      const double mine = scale[type][type] * embedding(map[type], row_of(i));
      sum += mine;
      if (energy && eflag_atom) eatom[i] += mine;
    }
    energies[part] = sum;
    failures[part] = embedding.failure;
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
