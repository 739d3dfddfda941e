/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "npair_threadpool-part.h"

#include "lammps/ghost_exchange.h"
#include "lammps/neighbor_builds.h"
#include "nbin_threadpool.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

#include "base/helped_shares.h"
#include "kernels/neighbor/cell_grid.h"
#include "kernels/simd/find_entries.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int PIECE = 2 * GRAIN;        // rows that a part builds at a time
static constexpr int LONG_ROW = 64;            // entries, see split_special()
static constexpr double WITH_MARGIN = 1.01;    // for what is rounded

/* ---------------------------------------------------------------------- */

NPairThreadpool::NPairThreadpool(LAMMPS *lmp, NPair *replaced_in, Pairs pairs_in, bool sizes_in) :
    NPair(lmp), replaced(replaced_in), pairs(pairs_in), sizes(sizes_in), grid(new CellGrid),
    region_grid(new CellGrid)
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

bool NPairThreadpool::half_shell() const
{
  const GhostExchange *ghosts = GhostExchange::find(comm);
  return ghosts && ghosts->half_shell();
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::build(NeighList *list)
{
  built = can_build(list);
  waiting = left_to_wait = false;
  left_out = next_left_out;
  next_left_out = nullptr;
  if (!built) {
    replaced->build_setup();
    replaced->build(list);
    return;
  }

  some_ghosts = pairs == Pairs::HALF_NEWTON && !half_shell();
  tri = domain->triclinic != 0;
  nlocal_built = atom->nlocal;
  nall_built = nlocal_built + atom->nghost;
  find_cutoffs();
  other_images = domain->minimum_image_check(reach(), reach(), reach()) != 0;
  nlevels = 3;
  while (nlevels > 0 && special_flag[nlevels] == Part::WITHOUT_EFFECT) nlevels--;
  if (static_cast<int>(special_counts.size()) < atom->nmax) special_counts.resize(atom->nmax);
  list->inum = nlocal_built;
  list->gnum = 0;

  waiting = left_to_wait = can_wait(list);
  if (waiting)
    leave_to_wait(list);
  else
    make_all_rows(list);
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::make_all_rows(NeighList *list)
{
  RankPool *const rank_pool = RankPool::of(lmp);
  const int nlocal = nlocal_built, nparts = rank_pool->nparts();
  built_of = left_to_wait ? saved_places.data() : nall_built ? atom->x[0] : nullptr;
  CellGrid::Atoms atoms;
  atoms.x = built_of;
  atoms.natoms = nall_built;
  atoms.high = left_out ? left_out->data() : nullptr;
  if (some_ghosts && !tri) atoms.first_ghost = nlocal;
  grid->sort(atoms, reach(), rank_pool->parts());
  while (static_cast<int>(parts.size()) < nparts) parts.push_back(std::make_unique<Part>());

  HelpedShares shares(nparts, nlocal, PIECE, rank_pool->parts_may_help());
  rank_pool->pool().run(nparts, [&](int part) {
    parts[part]->arena.reset(rank_pool->row_padding());
    for (int first, last; shares.next(part, first, last);)
      build_rows(list, *parts[part], first, last);
  });
  if (sizes && list->history && nlocal &&
      *std::max_element(list->numneigh, list->numneigh + nlocal) > neighbor->oneatom)
    error->one(FLERR,
               "Neighbor list overflow, boost neigh_modify one");    // FixNeighHistory has pages
}

/* ---------------------------------------------------------------------- */

double NPairThreadpool::reach() const
{
  return sizes ? *std::max_element(widest.begin(), widest.end()) : neighbor->cutneighmax;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::find_cutoffs()
{
  const int ntypes = atom->ntypes;
  one_cutoff = true;
  widest.assign(ntypes + 1, 0.0);
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++) {
      widest[i] = std::max(widest[i], std::sqrt(cutneighsq[i][j]));
      if (cutneighsq[i][j] != cutneighsq[1][1]) one_cutoff = false;
    }
  if (!sizes) return;
  one_cutoff = true;    // that of types says nothing
  find_radii();
}

/* ----------------------------------------------------------------------
   radii may have grown since the cut-offs of types were set, and those leave
   out pairs of atoms that do not move
------------------------------------------------------------------------- */

void NPairThreadpool::find_radii()
{
  std::fill(widest.begin(), widest.end(), 0.0);
  double largest = 0.0;
  const int nall = atom->nlocal + atom->nghost;
  for (int i = 0; i < nall; i++) {
    widest[atom->type[i]] = std::max(widest[atom->type[i]], atom->radius[i]);
    largest = std::max(largest, atom->radius[i]);
  }
  for (double &reach : widest) reach += largest + skin;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::build_rows(NeighList *list, Part &part, int first, int last)
{
  const int *type = atom->type;
  const double *const radius = atom->radius;
  const int nlocal = nlocal_built, far = nall_built;
  const auto is_ghost = [=](int j) {
    return j >= nlocal;
  };
  const auto tag_of = [this](int j) {
    return atom->tag[j];
  };
  const auto x_of = [this](int j) {
    return place(j);
  };

  for (int i = first; i < last; i++) {
    std::vector<int> &found = part.found;
    if (left_out && (*left_out)[i]) {
      list->ilist[i] = i;
      list->firstneigh[i] = part.arena.row(0, far);
      list->numneigh[i] = special_counts[i] = 0;
      continue;
    }
    CellGrid::Doubts doubts;
    int n = grid->neighbors(i, widest[type[i]], pairs != Pairs::FULL, found, doubts);
    if (left_out && pairs != Pairs::FULL && (*on_seam)[i])
      n = keep_if(found, n, [&](int j) { return !(*left_out)[j]; });
    if (some_ghosts && (tri || doubts.height))
      n = keep_own_ghosts(atom->tag[i], place(i), found, n, is_ghost, tag_of, x_of);
    if (sizes)
      n = keep_if(found, n, [&](int j) {
        const double cut = radius[i] + radius[j] + skin;
        return distance_sq(place(i), place(j)) <= cut * cut;
      });
    n = keep_allowed(
        i, place(i), doubts.distance && !sizes, found, n, [](int j) { return j; }, x_of);
    part.special.clear();
    if (molecular != Atom::ATOMIC && nlevels > 0) n = split_special(i, part, n);

    const int nspecial = static_cast<int>(part.special.size());
    int *const row = part.arena.row(nspecial + n, far);
    std::copy(part.special.begin(), part.special.end(), row);
    std::copy_n(found.begin(), n, row + nspecial);
    if (sizes && list->history) mark_contacts(i, row, nspecial + n);
    list->ilist[i] = i;
    list->firstneigh[i] = row;
    list->numneigh[i] = nspecial + n;
    special_counts[i] = nspecial;
  }
}

/* ----------------------------------------------------------------------
   the same in a triclinic box, where coordinates of ghosts are not exact, but
   IDs are; only an atom and its own image are told apart by coordinates, which differ by a box
   length
------------------------------------------------------------------------- */

bool NPairThreadpool::is_higher_triclinic(tagint itag, const double *xi, tagint jtag,
                                          const double *xj) const
{
  if (itag > jtag) return (itag + jtag) % 2 != 0;
  if (itag < jtag) return (itag + jtag) % 2 == 0;
  const double close = 0.01 * force->angstrom;
  if (std::fabs(xj[2] - xi[2]) > close) return xj[2] > xi[2];
  if (std::fabs(xj[1] - xi[1]) > close) return xj[1] > xi[1];
  return xj[0] >= xi[0];
}

/* ----------------------------------------------------------------------
   take the atoms with a special bond to i out of the first n that were found

   Returns: # of those that stay
------------------------------------------------------------------------- */

int NPairThreadpool::split_special(int i, Part &part, int n)
{
  return n < LONG_ROW ? split_short_row(i, part, n) : split_long_row(i, part, n);
}

/* ----------------------------------------------------------------------
   special atoms may be at any place: those that may be among them by their IDs
   are taken out without a branch, and the few that stay after all go back
------------------------------------------------------------------------- */

int NPairThreadpool::split_short_row(int i, Part &part, int n)
{
  const tagint *const tag = atom->tag;
  part.mark++;
  for_special(i, [&](tagint id) { part.mark_of(id) = part.mark; });
  if (static_cast<int>(part.suspects.size()) <= n) part.suspects.resize(2 * n + 1);
  int *const found = part.found.data();
  Part::Suspect *const suspects = part.suspects.data();
  const unsigned mark = part.mark, *const marks = part.marks.data();

  int nkept = 0, nsuspects = 0;
  for (int k = 0; k < n; k++) {
    const int j = found[k];
    const bool suspect = marks[Part::place_of_mark(tag[j])] == mark;
    suspects[nsuspects] = {j, nkept};
    nsuspects += suspect;
    found[nkept] = j;
    nkept += !suspect;
  }
  int nback = 0;
  for (int k = 0; k < nsuspects; k++) {
    if (!is_ordinary(i, suspects[k].j, part)) continue;
    const int place = suspects[k].place + nback++;
    std::copy_backward(found + place, found + nkept, found + nkept + 1);
    found[place] = suspects[k].j;
    nkept++;
  }
  return nkept;
}

/* ----------------------------------------------------------------------
   the map of atom IDs has the indices of special atoms, for which the row is
   searched: the ID of each entry would take longer to read
------------------------------------------------------------------------- */

int NPairThreadpool::split_long_row(int i, Part &part, int n)
{
  find_special_atoms(i, part);
  if (static_cast<int>(part.places.size()) < n) part.places.resize(2 * n);
  int *const found = part.found.data();
  const int nplaces = find_entries(found, n, part.near_special.data(),
                                   static_cast<int>(part.near_special.size()), part.places.data());
  if (nplaces == 0) return n;
  int nkept = part.places[0];
  for (int k = 0; k < nplaces; k++) {
    const int place = part.places[k], next = k + 1 < nplaces ? part.places[k + 1] : n;
    if (is_ordinary(i, found[place], part)) found[nkept++] = found[place];
    if (nkept <= place) std::copy(found + place + 1, found + next, found + nkept);
    nkept += next - place - 1;
  }
  return nkept;
}

/* ----------------------------------------------------------------------
   indices of the atoms, and of their images, whose special bond to i makes a
   difference, if they are not farther away than an entry of its row may be.
   A list of special atoms may have some that were deleted, for whose IDs a map
   that is an array may have no place
------------------------------------------------------------------------- */

void NPairThreadpool::find_special_atoms(int i, Part &part) const
{
  const int *const sametag = atom->sametag;
  const tagint last = atom->map_style == Atom::MAP_ARRAY ? atom->map_tag_max : MAXTAGINT;
  const double reach = WITH_MARGIN * widest[atom->type[i]];
  part.near_special.clear();
  for_special(i, [&](tagint id) {
    for (int j = id <= last ? atom->map(id) : -1; j >= 0; j = sametag[j])
      if (distance_sq(place(i), place(j)) <= reach * reach) part.near_special.push_back(j);
  });
}

/* ----------------------------------------------------------------------
   whether atoms i and j have no special bond, or j is another image of the one
   that has
------------------------------------------------------------------------- */

bool NPairThreadpool::is_ordinary(int i, int j, Part &part) const
{
  const int which = special_kind(i, atom->tag[j]);
  if (which == 0 || (other_images && is_other_image(i, j))) return true;
  if (which > 0) part.special.push_back(j ^ (which << SBBITS));
  return false;
}

/* ----------------------------------------------------------------------
   Returns: 1 to 3; 0: it makes no difference; -1: the pair does not count
------------------------------------------------------------------------- */

int NPairThreadpool::special_kind(int i, tagint id) const
{
  const int *const nspecial = atom->nspecial[i];
  int ends[3];    // of the levels; those behind the last one with an effect are empty
  for (int level = 0; level < 3; level++) ends[level] = nspecial[std::min(level, nlevels - 1)];
  return find_special(atom->special[i], ends, id);
}

/* ---------------------------------------------------------------------- */

bool NPairThreadpool::is_other_image(int i, int j) const
{
  const double *const xi = atom->x[i], *const xj = atom->x[j];
  return domain->minimum_image_check(xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]) != 0;
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

double NPairThreadpool::memory_usage() const
{
  double bytes = grid->nbytes() + region_grid->nbytes();
  for (const auto &part : parts) bytes += part->nbytes();
  bytes += static_cast<double>(special_counts.capacity() * sizeof(int) +
                               received.capacity() * sizeof(ReceivedRow));
  return bytes +
      static_cast<double>((saved_places.capacity() + local_x.capacity()) * sizeof(double));
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
