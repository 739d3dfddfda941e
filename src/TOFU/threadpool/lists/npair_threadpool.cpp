// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "npair_threadpool.h"

#include "lammps/ghost_exchange.h"
#include "lammps/neighbor_builds.h"
#include "nbin_threadpool.h"
#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neigh_list.h"
#include "neighbor.h"

#include "base/helped_shares.h"
#include "kernels/cluster/cluster_search.h"
#include "kernels/neighbor/cell_grid.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <map>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int PIECE = 2 * GRAIN;    // rows that a part builds at a time

/* ---------------------------------------------------------------------- */

NPairThreadpool::NPairThreadpool(LAMMPS *lmp, NPair *replaced_in, Pairs pairs_in, bool sizes_in) :
    NPair(lmp), replaced(replaced_in), rules(lmp, pairs_in, sizes_in), for_donors(lmp, rules),
    grid(new CellGrid)
{
  istyle = replaced->istyle;
  nb = replaced->nb;
  ns = replaced->ns;
  cutoff_custom = replaced->cutoff_custom;
  copy_neighbor_info();
}

/* ---------------------------------------------------------------------- */

NPairThreadpool::~NPairThreadpool() = default;

/* ---------------------------------------------------------------------- */

void NPairThreadpool::copy_neighbor_info()
{
  NPair::copy_neighbor_info();
  replaced->copy_neighbor_info();
}

/* ---------------------------------------------------------------------- */

bool NPairThreadpool::can_build(const NeighList *list) const
{
  return !includegroup && !list->ghost && cutoff_custom == 0.0 && molecular != Atom::TEMPLATE;
}

/* ---------------------------------------------------------------------- */

bool NPairThreadpool::can_make_received(const NeighList *list) const
{
  return can_build(list) && !rules.sizes && !list->history &&
      rules.pairs != Pairs::HALF_ALL_GHOSTS && molecular == Atom::ATOMIC;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::build(NeighList *list)
{
  built = can_build(list);
  deferred = rows_are_missing = false;
  left_out = next_left_out;
  next_left_out = nullptr;
  if (!built) {
    replaced->build_setup();
    replaced->build(list);
    return;
  }

  nlocal_built = atom->nlocal;
  nall_built = nlocal_built + atom->nghost;
  const GhostExchange *const ghosts = GhostExchange::find(comm);
  const bool half_shell = ghosts && ghosts->half_shell();
  nsearched = half_shell ? nlocal_built + ghosts->nghost_of_pattern() : nall_built;
  built_of = nall_built ? atom->x[0] : nullptr;
  std::function<bool(int, int)> is_excluded;
  if (exclude)
    is_excluded = [this](int i, int j) {
      return exclusion(i, j, atom->type[i], atom->type[j], atom->mask, atom->molecule) != 0;
    };
  rules.begin(cutneighsq, skin, is_excluded);
  begin_special();
  if (static_cast<int>(special_counts.size()) < atom->nmax) special_counts.resize(atom->nmax);
  list->inum = nlocal_built;
  list->gnum = 0;

  deferred = rows_are_missing = can_defer(list);
  if (deferred)
    defer_rows(list);
  else
    make_all_rows(list);
}

/* ----------------------------------------------------------------------
   a map that is an array has no place for the IDs of some atoms that were deleted
------------------------------------------------------------------------- */

void NPairThreadpool::begin_special()
{
  special = SpecialRows<tagint>();
  if (molecular == Atom::ATOMIC) return;
  special.bonds.ids = atom->special;
  special.bonds.ends = atom->nspecial;
  special.bonds.set_effects(special_flag);
  special.tags = atom->tag;
  special.sametag = atom->sametag;
  special.index_of = [this](tagint id) {
    return atom->map(id);
  };
  special.x = built_of;
  special.highest = atom->map_style == Atom::MAP_ARRAY ? atom->map_tag_max : MAXTAGINT;
  const double cutoff = rules.largest_cutoff();
  if (domain->minimum_image_check(cutoff, cutoff, cutoff))
    special.is_other_image = [this](int i, int j) {
      const double *const xi = atom->x[i], *const xj = atom->x[j];
      return domain->minimum_image_check(xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]) != 0;
    };
}

/* ----------------------------------------------------------------------
   rows have to be those of positions alone, and no other list may be made of them
------------------------------------------------------------------------- */

bool NPairThreadpool::can_defer(const NeighList *list) const
{
  if (!may_defer || !RankPool::of(lmp)->deferred_rows.allowed) return false;
  if (rules.pairs == Pairs::FULL || rules.sizes || exclude || left_out) return false;
  const double cutoff = rules.largest_cutoff();
  if (domain->minimum_image_check(cutoff, cutoff, cutoff)) return false;
  return std::none_of(neighbor->lists, neighbor->lists + neighbor->nlist, [=](NeighList *other) {
    return other->listcopy == list || other->listskip == list || other->listfull == list;
  });
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::defer_rows(NeighList *list)
{
  RankPool *const rank_pool = RankPool::of(lmp);
  rank_pool->deferred_rows.ndeferred++;
  saved_x.resize(3 * static_cast<std::size_t>(nall_built));
  for_atoms(rank_pool, nall_built, [&](int first, int last) {
    if (first < last)
      std::copy(atom->x[0] + 3 * static_cast<std::size_t>(first),
                atom->x[0] + 3 * static_cast<std::size_t>(last),
                saved_x.begin() + 3 * static_cast<std::ptrdiff_t>(first));
  });
  built_of = saved_x.data();
  for (int i = 0; i < nlocal_built; i++) list->ilist[i] = i;
  std::fill_n(list->numneigh, nlocal_built, 0);
  std::fill_n(special_counts.begin(), nlocal_built, 0);
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::make_rows(NeighList *list)
{
  if (!rows_are_missing) return;
  begin_special();
  make_all_rows(list);
  RankPool::of(lmp)->deferred_rows.nmade++;
  rows_are_missing = false;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::make_all_rows(NeighList *list)
{
  RankPool *const rank_pool = RankPool::of(lmp);
  const int nlocal = nlocal_built, nparts = rank_pool->nparts();
  CellGrid::Atoms atoms;
  atoms.x = built_of;
  atoms.natoms = nsearched;
  atoms.high = left_out ? left_out->data() : nullptr;
  if (rules.ghosts_by_coordinates()) atoms.first_ghost = nlocal;
  grid->sort(atoms, rules.largest_cutoff(), rank_pool->parts());
  while (static_cast<int>(parts.size()) < nparts) parts.push_back(std::make_unique<Part>());

  HelpedShares shares(nparts, nlocal, PIECE, rank_pool->parts_may_help());
  rank_pool->pool().run(nparts, [&](int part) {
    parts[part]->arena.reset(rank_pool->row_padding());
    for (int first, last; shares.next(part, first, last);)
      build_rows(list, *parts[part], first, last);
  });
  if (rules.sizes && list->history && nlocal &&
      *std::max_element(list->numneigh, list->numneigh + nlocal) > neighbor->oneatom)
    error->one(FLERR,
               "Neighbor list overflow, boost neigh_modify one");    // FixNeighHistory has pages
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::build_rows(NeighList *list, Part &part, int first, int last)
{
  const int *type = atom->type;
  const int nlocal = nlocal_built, far = nall_built;
  const bool all_pairs = rules.pairs == Pairs::FULL, with_special = special.any();
  const auto is_ghost = [=](int j) {
    return j >= nlocal;
  };
  const auto tag_of = [this](int j) {
    return atom->tag[j];
  };
  const auto x_of = [this](int j) {
    return position(j);
  };

  for (int i = first; i < last; i++) {
    std::vector<int> &found = part.found;
    if (left_out && (*left_out)[i]) {
      list->ilist[i] = i;
      list->firstneigh[i] = part.arena.row(0, far);
      list->numneigh[i] = special_counts[i] = 0;
      continue;
    }
    const double cutoff = rules.largest_cutoff(type[i]), *const x = position(i);
    CellGrid::Doubts doubts;
    int n = grid->neighbors(i, cutoff, !all_pairs, found, doubts);
    if (left_out && !all_pairs && (*on_seam)[i])
      n = keep_if(found, n, [&](int j) { return !(*left_out)[j]; });
    if (rules.some_ghosts() && (!rules.ghosts_by_coordinates() || doubts.height))
      n = rules.keep_own_ghosts(atom->tag[i], x, found, n, is_ghost, tag_of, x_of);
    if (rules.sizes) n = rules.keep_near_surfaces(i, x, found, n, x_of);
    n = rules.keep_allowed(
        i, x, doubts.distance && !rules.sizes, found, n, [](int j) { return j; }, x_of);
    part.special.special.clear();
    if (with_special) n = special.split(i, cutoff, found, n, part.special);

    const int nspecial = static_cast<int>(part.special.special.size());
    int *const row = part.arena.row(nspecial + n, far);
    std::copy_n(part.special.special.begin(), nspecial, row);
    std::copy_n(found.begin(), n, row + nspecial);
    if (rules.sizes && list->history) mark_contacts(i, row, nspecial + n);
    list->ilist[i] = i;
    list->firstneigh[i] = row;
    list->numneigh[i] = nspecial + n;
    special_counts[i] = nspecial;
  }
}

/* ----------------------------------------------------------------------
   mark the contacts that FixNeighHistory looks for
------------------------------------------------------------------------- */

void NPairThreadpool::mark_contacts(int i, int *row, int n) const
{
  for (int k = 0; k < n; k++) {
    const int j = row[k] & NEIGHMASK;
    const double sum = atom->radius[i] + atom->radius[j];
    if (distance_sq(atom->x[i], atom->x[j]) < sum * sum) row[k] ^= 1 << HISTBITS;
  }
}

/* ---------------------------------------------------------------------- */

AtomsToSearch NPairThreadpool::atoms_to_search() const
{
  AtomsToSearch atoms;
  atoms.x = built_of;
  atoms.natoms = nsearched;
  atoms.last = nlocal_built;
  atoms.cutoff = rules.largest_cutoff();
  if (!rules.some_ghosts()) return atoms;
  atoms.first_ghost = nlocal_built;
  atoms.by_height = rules.ghosts_by_coordinates();
  atoms.has_pair = [this](int i, int j) {
    return rules.stores(atom->tag[i], position(i), atom->tag[j], position(j));
  };
  return atoms;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::for_special_pairs(int first, int last,
                                        const std::function<void(int, int, int)> &use) const
{
  if (!special.any()) return;
  for (int i = first; i < last; i++)
    special.for_higher(i, [&](int pair_i, int j, int kind) {
      if (j < nsearched) use(pair_i, j, kind);
    });
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::extend_rows(NeighList *list)
{
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  if (static_cast<int>(special_counts.size()) < atom->nmax) special_counts.resize(atom->nmax);
  std::fill(special_counts.begin() + nlocal, special_counts.begin() + nall, 0);
  if (nall == nall_built) return;
  nall_built = nall;
  const int padding = RankPool::of(lmp)->row_padding();
  for (int i = 0; i < nlocal; i++)
    std::fill_n(list->firstneigh[i] + list->numneigh[i], padding, nall);
}

/* ---------------------------------------------------------------------- */

double NPairThreadpool::memory_usage() const
{
  double bytes = grid->nbytes() + for_donors.memory_usage();
  for (const auto &part : parts) bytes += part->nbytes();
  return bytes +
      static_cast<double>(special_counts.capacity() * sizeof(int) +
                          saved_x.capacity() * sizeof(double));
}

/* ----------------------------------------------------------------------
   by the names of the builds, which say all that matters; with "/size" the
   cut-off is that of two surfaces
------------------------------------------------------------------------- */

void TOFU_NS::install_threadpool_lists(LAMMPS *lmp)
{
  using Pairs = NPairThreadpool::Pairs;
  static const std::map<std::string, Pairs> replaceable = {
      {"full/bin", Pairs::FULL},
      {"full/bin/atomonly", Pairs::FULL},
      {"full/nsq", Pairs::FULL},
      {"half/bin/newton", Pairs::HALF_NEWTON},
      {"half/bin/newton/tri", Pairs::HALF_NEWTON},
      {"half/bin/atomonly/newton", Pairs::HALF_NEWTON},
      {"half/bin/atomonly/newton/tri", Pairs::HALF_NEWTON},
      {"half/nsq/newton", Pairs::HALF_NEWTON},
      {"half/bin/newtoff", Pairs::HALF_ALL_GHOSTS},
      {"half/bin/atomonly/newtoff", Pairs::HALF_ALL_GHOSTS},
      {"half/nsq/newtoff", Pairs::HALF_ALL_GHOSTS}};

  Neighbor *neighbor = lmp->neighbor;
  for (int i = 0; i < neighbor->nlist; i++) {
    NeighList *list = neighbor->lists[i];
    NPair *&build = build_of_list(neighbor, i);
    if (list->occasional || dynamic_cast<NPairThreadpool *>(build)) continue;
    std::string name = build_name_of_list(neighbor, i);
    const std::size_t size = name.find("/size");
    if (size != std::string::npos) name.erase(size, 5);
    const auto found = replaceable.find(name);
    if (found == replaceable.end()) continue;
    build = new NPairThreadpool(lmp, build, found->second, size != std::string::npos);
    list->np = build;
  }
  install_threadpool_bins(lmp);
}

/* ---------------------------------------------------------------------- */

double TOFU_NS::memory_of_lists(LAMMPS *lmp)
{
  double bytes = 0.0;
  for (int i = 0; i < lmp->neighbor->nlist; i++)
    if (const auto *const build = dynamic_cast<NPairThreadpool *>(lmp->neighbor->lists[i]->np))
      bytes += build->memory_usage();
  return bytes;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::make_deferred_rows(LAMMPS *lmp)
{
  Neighbor *const neighbor = lmp->neighbor;
  for (int n = 0; n < neighbor->nlist; n++) {
    NeighList *const list = neighbor->lists[n];
    if (auto *const build = dynamic_cast<NPairThreadpool *>(list->np)) build->make_rows(list);
  }
}
