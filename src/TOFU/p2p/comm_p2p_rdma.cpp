// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// What LAMMPS calls, passed on to the parts of comm_p2p_rdma-impl.h.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"
#include "lammps/io/command_line.h"
#include "lammps/io/version_line.h"
#include "lammps/lammps_version.h"
#include "lammps/scoped_state.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "atom_vec.h"
#include "domain.h"
#include "error.h"
#include "memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// arrays have room for so many times the atoms that the densest sub-box suggests

static constexpr double ARRAY_SAFETY = 1.5;

/* ---------------------------------------------------------------------- */

CommP2PRDMA::Impl::Impl(LAMMPS *lmp, const P2PSettings &settings_in) :
    Pointers(lmp), settings(settings_in), grid(settings.place), boxes(lmp),
    pattern(lmp, settings, boxes), links(lmp, settings),
    calls(links,
          [this](const std::string &text) { error->one(FLERR, "comm_style p2p/rdma: {}", text); }),
    packed(exchange, buffer),
    borders(lmp, boxes, sizes, packed, exchange, [this] { return parts_of_rank(); }),
    updates(
        lmp, links, sizes, packed, exchange, [this] { return parts_of_rank(); }, settings.landing),
    atoms(lmp, boxes, links, buffer, [this] { return parts_of_rank(); }), appended(lmp, *this),
    statistics(lmp, {settings, links, calls, atoms, borders, updates, halo_plan})
{
}

/* ----------------------------------------------------------------------
   one if threads of this style have the processors of the pool
------------------------------------------------------------------------- */

Parts CommP2PRDMA::Impl::parts_of_rank() const
{
  RankPool *const pool = settings.nthreads == 1 ? RankPool::find(lmp) : nullptr;
  return pool ? pool->parts() : Parts();
}

/* ----------------------------------------------------------------------
   collective where a tiled layout is new, where links are made, and in the first
   call of a run
------------------------------------------------------------------------- */

void CommP2PRDMA::Impl::make_plan()
{
  boxes.update();
  if (boxes.tiled() && links.serve_tiles(boxes.neighbor_signature())) return;
  pattern.choose_again();
  halo_plan = boxes.make_plan(pattern.pattern(), pattern.half());

  const auto neighbors_of = [this](int rank) {
    return boxes.neighbors_of(rank);
  };
  if (boxes.tiled())
    links.choose_of_tiles(halo_plan, boxes.neighbor_signature(), neighbors_of, [this] {
      return tiled_neighbors(boxes.tiling(), comm->me, TiledLinks::REACH);
    });
  else
    links.choose_in_grid(halo_plan, neighbors_of);

  message_sizes.values_per_atom = std::max({sizes.border, sizes.forward, sizes.most_forward});
  message_sizes.values_per_ghost = std::max(sizes.reverse, sizes.most_reverse);
  message_sizes.own_fraction = boxes.own_fraction();
  message_sizes.nslots = settings.transport.link.nslots;
  links.connect(halo_plan, message_sizes);
  if (updates.use_arrays()) grow_arrays();
  plan_has_changed();
}

/* ----------------------------------------------------------------------
   to the size that this run is likely to need, so that x and f stay where they are
   and are registered once
------------------------------------------------------------------------- */

void CommP2PRDMA::Impl::grow_arrays()
{
  double fraction = message_sizes.own_fraction;
  for (const HaloSwap &swap : halo_plan.swaps) fraction += swap.received_fraction;
  const double wanted = ARRAY_SAFETY * message_sizes.densest * fraction;
  if (wanted > atom->nmax && wanted < MAXSMALLINT / 8) atom->avec->grow(static_cast<int>(wanted));
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::Impl::plan_has_changed()
{
  exchange.bind(&halo_plan, &links.transport(), links.team());
}

/* ---------------------------------------------------------------------- */

bool CommP2PRDMA::Impl::returns_rows_alone() const
{
  return pattern.pattern() == Pattern::DIRECT && sizes.f_only;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::Impl::reverse_comm_of_rows()
{
  if (!borders.are_made() || !halo_plan.has_appended()) return;
  calls.run(ExchangeCalls::REVERSE, [this]() { updates.reverse_rows(); });
}

/* ----------------------------------------------------------------------
   the plan of a box that changes may lose links before the next exchange
------------------------------------------------------------------------- */

double CommP2PRDMA::Impl::reach_of_links() const
{
  if (!links.exist()) return 0.0;
  return halo_plan.complete && !domain->box_change ? INFINITY
                                                   : boxes.distance_covered_by_adjacent();
}

/* ---------------------------------------------------------------------- */

bool CommP2PRDMA::Impl::links_receiver_to_owner(int receiver, int owner) const
{
  return links.partners().links_receiver_to_owner(receiver, owner);
}

/* ---------------------------------------------------------------------- */

double *CommP2PRDMA::Impl::packing_buffer(int natoms)
{
  return buffer.room(static_cast<std::size_t>(natoms) * sizes.border + PackingBuffer::EXTRA);
}

/* ---------------------------------------------------------------------- */

CommP2PRDMA::CommP2PRDMA(LAMMPS *lmp, Comm *oldcomm, const P2PSettings &settings) :
    CommP2PStyles(lmp, oldcomm), impl(std::make_unique<Impl>(lmp, settings))
{
  if (settings.layout == Layout::TILED) style = Comm::TILED;

  // CommBrick leaves these to its other constructor

  localsendlist = nullptr;
  for (int dim = 0; dim < 3; dim++) maxneed[dim] = 0;
  smax = rmax = 0;

  copy_ghost_cutoffs<Comm>(*this, *oldcomm, atom->ntypes);
}

/* ----------------------------------------------------------------------
   the log says when a command of the input has replaced a style that the command
   line has asked for.  The new style is there already; at the end of LAMMPS there
   is none
------------------------------------------------------------------------- */

static void log_replacement(LAMMPS *lmp, bool by_default)
{
  std::string wanted = comm_on_command_line(lmp);
  if (!wanted.empty())
    wanted = utils::strmatch(wanted, "^p2p[_/]rdma")
        ? fmt::format("'comm {}' of the command line", wanted)
        : "";
  else if (by_default)
    wanted = "p2p/rdma, which '-sf threadpool' begins with";
  if (wanted.empty()) return;
  const bool tiled = lmp->comm->style == Comm::TILED;
  log_version(lmp);
  utils::logmesg(lmp, "TOFU p2p/rdma: 'comm_style {}' in the input overrides {}: {}\n",
                 tiled ? "tiled" : "brick", wanted,
                 tiled ? fmt::format("write '{} layout tiled' in its place to have both",
                                     words_for_comm_style())
                       : "take that line out of the input to have p2p/rdma");
}

/* ---------------------------------------------------------------------- */

CommP2PRDMA::~CommP2PRDMA()
{
  if (me == 0 && comm != this && !find(comm)) log_replacement(lmp, impl->settings.by_default);
}

/* ---------------------------------------------------------------------- */

CommP2PRDMA *CommP2PRDMA::find(Comm *comm)
{
  int dim;
  return static_cast<CommP2PRDMA *>(comm->extract("tofu/p2p_rdma", dim));
}

/* ---------------------------------------------------------------------- */

const P2PSettings &CommP2PRDMA::settings() const
{
  return impl->settings;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::init()
{
  CommBrick::init();
  update_sizes();
  impl->grid.check_styles(lmp);
  impl->links.begin_run();
  impl->calls.begin_run();
  impl->atoms.begin_run();
  impl->statistics.add_fix();
  impl->pattern.choose(bordergroup != 0);
  impl->updates.begin_run();
}

/* ----------------------------------------------------------------------
   Comm::init() has computed them from the atom style and all other styles
------------------------------------------------------------------------- */

void CommP2PRDMA::update_sizes()
{
  CommSizes &sizes = impl->sizes;
  sizes.forward = size_forward;
  sizes.reverse = size_reverse;
  sizes.border = size_border;
  sizes.most_forward = maxforward;
  sizes.most_reverse = maxreverse;
  sizes.x_only = comm_x_only != 0;
  sizes.f_only = comm_f_only != 0;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::set_proc_grid(int outflag)
{
  impl->grid.set(lmp, outflag, {gridflag || mapflag, outfile, [this](int flag) {
                                  CommBrick::set_proc_grid(flag);
                                }});
  impl->boxes.forget_grid();
}

/* ----------------------------------------------------------------------
   CommBrick computes the cut-offs in all modes and, for pattern 3stage, the slabs;
   the swaps are this style's own
------------------------------------------------------------------------- */

void CommP2PRDMA::setup()
{
  impl->calls.receive_messages();    // the links may be made anew
  {
    const ScopedLayout of_a_grid(this);
    CommBrick::setup();
  }
  impl->borders.begin_plan(ghost_cutoffs());
  impl->make_plan();
}

/* ----------------------------------------------------------------------
   Returns: [nkinds][3] for each kind of atom
------------------------------------------------------------------------- */

std::vector<double> CommP2PRDMA::ghost_cutoffs() const
{
  std::vector<double> cut;
  const auto add_rows = [&](double **rows, int nrows) {
    for (int row = 0; row < nrows; row++) cut.insert(cut.end(), rows[row], rows[row] + 3);
  };
  if (mode == Comm::MULTI) {
    add_rows(cutghostmulti, ncollections);
  } else if (is_multi_old(static_cast<const Comm &>(*this))) {
    const auto rows_of = [](const auto *comm) -> double ** {
      if constexpr (has_multi_old<Comm>::value)
        return comm->cutghostmultiold;
      else
        return nullptr;
    };
    cut.assign(3, 0.0);    // there is no type 0
    add_rows(rows_of(this) + 1, atom->ntypes);
  } else {
    cut.assign(cutghost, cutghost + 3);
  }
  return cut;
}

/* ----------------------------------------------------------------------
   CommBrick::setup() has left one pair of bounds, or of rows of bounds, per swap, in
   the plan's order
------------------------------------------------------------------------- */

std::pair<const double *, const double *> CommP2PRDMA::slab_of(int swap) const
{
  if (mode == Comm::MULTI) return {multilo[swap], multihi[swap]};
  std::pair<const double *, const double *> slab(&slablo[swap], &slabhi[swap]);
  const auto set_rows = [&](const auto *comm) {
    if constexpr (has_multi_old<Comm>::value)
      if (is_multi_old(static_cast<const Comm &>(*comm)))
        slab = {comm->multioldlo[swap], comm->multioldhi[swap]};
  };
  set_rows(this);
  return slab;
}

/* ----------------------------------------------------------------------
   fixes that insert atoms call this alone, without exchange() and setup(), too
------------------------------------------------------------------------- */

void CommP2PRDMA::borders()
{
  impl->calls.run(ExchangeCalls::BORDERS, [this]() {
    if (impl->appended.drop()) impl->plan_has_changed();
    impl->borders.make(bordergroup != 0, [this](int swap) {
      const auto slab = slab_of(swap);
      return StagedBorders::Slab{slab.first, slab.second};
    });
    impl->updates.register_arrays();
  });
  if (impl->settings.transport.link.verify) impl->borders.check();
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::forward_comm(int /*dummy*/)
{
  if (!impl->borders.are_made()) return;
  impl->calls.run(ExchangeCalls::FORWARD, [this]() { impl->updates.forward(); });
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::reverse_comm()
{
  if (!impl->borders.are_made()) return;
  impl->calls.run(ExchangeCalls::REVERSE, [this]() { impl->updates.reverse(); });
}

/* ---------------------------------------------------------------------- */

CommP2PStyles::Exchange CommP2PRDMA::exchange_of_styles()
{
  return {impl->packed, impl->calls, impl->borders.are_made()};
}

/* ----------------------------------------------------------------------
   balance commands call this with new sub-boxes and without setup()
------------------------------------------------------------------------- */

void CommP2PRDMA::exchange()
{
  if (!impl->links.exist()) return CommBrick::exchange();    // before the first setup()
  impl->calls.run(ExchangeCalls::EXCHANGE, [this]() {
    impl->atoms.begin();
    if (maxexchange_fix_dynamic) init_exchange();
    impl->boxes.update();
    if (impl->settings.brick_order) {
      impl->atoms.move_far_atoms();
      CommBrick::exchange();
    } else {
      impl->atoms.move(impl->halo_plan.complete, bufextra);
    }
  });
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::coord2proc_setup()
{
  triclinic = domain->triclinic;    // Irregular may call this before init()
  if (impl->boxes.tiled()) impl->boxes.update();
}

/* ---------------------------------------------------------------------- */

int CommP2PRDMA::coord2proc(double *x, int &igx, int &igy, int &igz)
{
  return impl->boxes.tiled() ? impl->boxes.tiling().nearest(x)
                             : CommBrick::coord2proc(x, igx, igy, igz);
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::set_partners(const RanksOf &partners_of, bool with_senders_to_partners,
                               const std::vector<int> &signature)
{
  impl->links.partners().set(partners_of, with_senders_to_partners, signature);
  impl->calls.forget_messages();
}

/* ---------------------------------------------------------------------- */

const Tiles *CommP2PRDMA::tiles()
{
  return impl->boxes.tiles();
}

/* ---------------------------------------------------------------------- */

AppendedGhosts &CommP2PRDMA::appended_ghosts()
{
  return impl->appended;
}

/* ---------------------------------------------------------------------- */

int CommP2PRDMA::nghost_of_pattern() const
{
  return impl->nghost_of_pattern();
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::print_statistics()
{
  impl->statistics.print(impl->pattern.half());
}

/* ---------------------------------------------------------------------- */

void *CommP2PRDMA::extract(const char *name, int &dim)
{
  dim = 0;
  if (strcmp(name, "tofu/p2p_rdma") == 0) return this;
  if (strcmp(name, PlacedGrid::NAME) == 0) return &impl->grid;
  if (strcmp(name, GhostExchange::NAME) == 0) return static_cast<GhostExchange *>(impl.get());
  if (strcmp(name, "localsendlist") == 0) {
    dim = 1;
    memory->grow(localsendlist, std::max(atom->nlocal, 1), "comm:localsendlist");
    std::fill_n(localsendlist, atom->nlocal, 0);
    if (impl->borders.are_made())
      for (const int i : impl->exchange.lists().indices())
        if (i < atom->nlocal) localsendlist[i] = 1;
    return localsendlist;
  }
  return nullptr;
}

/* ---------------------------------------------------------------------- */

double CommP2PRDMA::memory_usage()
{
  const HaloExchange &exchange = impl->exchange;
  return CommBrick::memory_usage() + static_cast<double>(impl->links.report().nbytes_registered) +
      exchange.lists().nbytes() + exchange.self_images().nbytes() + impl->borders.nbytes() +
      impl->buffer.nbytes() + impl->atoms.nbytes();
}
