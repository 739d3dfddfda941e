// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_list.h"

#include <algorithm>
#include <cmath>

using namespace TOFU_NS;

namespace {

/** Smallest box around atoms; those whose place is no finite number do not count. */
struct Box {
  float lo[3] = {0.0F, 0.0F, 0.0F}, hi[3] = {0.0F, 0.0F, 0.0F};

  Box(const std::vector<int> &atoms, const float *x)
  {
    bool any = false;
    for (int i : atoms) {
      const float *const xi = x + 4 * static_cast<std::size_t>(i);
      if (!(std::isfinite(xi[0]) && std::isfinite(xi[1]) && std::isfinite(xi[2]))) continue;
      for (int dim = 0; dim < 3; dim++) {
        lo[dim] = any ? std::min(lo[dim], xi[dim]) : xi[dim];
        hi[dim] = any ? std::max(hi[dim], xi[dim]) : xi[dim];
      }
      any = true;
    }
  }

  float size(int dim) const { return hi[dim] - lo[dim]; }
};

/** Columns of about a given width; if atoms are far from each other most are empty.  They are wider
    where they would be too many. */
struct Columns {
  float lo[2], inverse[2];
  int n[2];

  Columns(const Box &box, std::size_t natoms, float side)
  {
    const float most = 16.0F * static_cast<float>(natoms + 1);
    float count[2];
    for (;; side *= 1.5F) {
      for (int dim = 0; dim < 2; dim++)
        count[dim] = std::max(1.0F, std::floor(box.size(dim) / side + 0.5F));
      if (count[0] * count[1] <= most) break;
    }
    for (int dim = 0; dim < 2; dim++) {
      lo[dim] = box.lo[dim];
      n[dim] = static_cast<int>(count[dim]);
      inverse[dim] = n[dim] > 1 ? count[dim] / box.size(dim) : 0.0F;
    }
  }

  int along(int dim, float x) const
  {
    const float place = (x - lo[dim]) * inverse[dim];
    return place > 0.0F ? std::min(static_cast<int>(std::min(place, 1e6F)), n[dim] - 1) : 0;
  }

  int of(const float *x) const { return along(1, x[1]) * n[0] + along(0, x[0]); }
  std::size_t size() const { return static_cast<std::size_t>(n[0]) * n[1]; }
};

}    // namespace

/* ---------------------------------------------------------------------- */

void ClusterList::build(const PairRows &rows, int first, int last, const float *x,
                        const std::vector<Range> &ranges, int width)
{
  width_ = width;
  sort_atoms(rows, first, last, x, ranges);
  find_pairs(rows);
  sort_turned();
  merge();
  find_used();
}

/* ----------------------------------------------------------------------
   owners of rows come first, in clusters without other atoms
------------------------------------------------------------------------- */

void ClusterList::sort_atoms(const PairRows &rows, int first, int last, const float *x,
                             const std::vector<Range> &ranges)
{
  int natoms = 0;
  for (const Range &range : ranges) natoms = std::max(natoms, range.end);
  int *const place = place_.room(natoms + 1);
  for (const Range &range : ranges) std::fill(place + range.begin, place + range.end, NO_ATOM);
  owners_.assign(rows.atoms + first, rows.atoms + last);
  for (int i : owners_) place[i] = 0;
  others_.clear();
  for (const Range &range : ranges)
    for (int i = range.begin; i < range.end; i++)
      if (place[i] == NO_ATOM) others_.push_back(i);

  const float side = side_of(rows, first, last, x);
  atoms_.clear();
  add_columns(owners_, x, side);
  nowner_clusters_ = static_cast<int>(atoms_.size()) / NOWNERS;
  add_columns(others_, x, side);
  for (std::size_t k = 0; k < atoms_.size(); k++)
    if (atoms_[k] != NO_ATOM) place[atoms_[k]] = static_cast<int>(k);
}

/* ----------------------------------------------------------------------
   edge of a cube that has as many atoms as a cluster, by the length of some
   rows and of their pairs: the box may be empty in parts
------------------------------------------------------------------------- */

float ClusterList::side_of(const PairRows &rows, int first, int last, const float *x) const
{
  constexpr int NSAMPLES = 64;
  constexpr double HALF_SPHERE = 2.1;    // volume, radius 1
  double nrows = 0.0, npairs = 0.0;
  float reachsq = 0.0F;
  for (int n = first; n < last; n += (last - first) / NSAMPLES + 1) {
    const int i = rows.atoms[n];
    const float *const xi = x + 4 * static_cast<std::size_t>(i);
    const int *const row = rows.first[i];
    for (int k = rows.nspecial[i]; k < rows.nneighbors[i]; k++) {
      const float *const xj = x + 4 * static_cast<std::size_t>(row[k]);
      const float del[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
      const float rsq = del[0] * del[0] + del[1] * del[1] + del[2] * del[2];
      if (std::isfinite(rsq)) reachsq = std::max(reachsq, rsq);
    }
    nrows += 1.0;
    npairs += rows.nneighbors[i];
  }
  const double side =
      std::cbrt(width_ * HALF_SPHERE * nrows / std::max(npairs, 1.0)) * std::sqrt(reachsq);
  return side > 0.0 ? static_cast<float>(side) : 1.0F;
}

/* ----------------------------------------------------------------------
   a cluster ends where the next atom of a column is far away
------------------------------------------------------------------------- */

void ClusterList::add_columns(const std::vector<int> &atoms, const float *x, float side)
{
  const auto of = [x](int i) {
    return x + 4 * static_cast<std::size_t>(i);
  };
  const Columns columns(Box(atoms, x), atoms.size(), side);
  start_.assign(columns.size() + 1, 0);
  column_.resize(atoms.size());
  heights_.resize(atoms.size());
  for (std::size_t k = 0; k < atoms.size(); k++) {
    column_[k] = columns.of(of(atoms[k]));
    start_[column_[k] + 1]++;
  }
  for (std::size_t c = 0; c < columns.size(); c++) start_[c + 1] += start_[c];
  for (std::size_t k = 0; k < atoms.size(); k++) {
    const float z = of(atoms[k])[2];
    heights_[start_[column_[k]]++] = {std::isfinite(z) ? z : 0.0F, atoms[k]};
  }

  const auto fill = [this] {
    while (atoms_.size() % width_) atoms_.push_back(NO_ATOM);
  };
  for (std::size_t c = 0; c < columns.size(); c++) {
    const auto begin = heights_.begin() + (c ? start_[c - 1] : 0),
               end = heights_.begin() + start_[c];
    std::sort(begin, end, [](const Height &a, const Height &b) {
      return a.z < b.z || (a.z == b.z && a.atom < b.atom);
    });
    for (auto one = begin; one < end; one++) {
      if (one > begin && one->z > (one - 1)->z + 2.0F * side) fill();
      atoms_.push_back(one->atom);
    }
    fill();
  }
}

/* ----------------------------------------------------------------------
   of two owners the one whose place comes first counts as owner of the pair, so
   that no two clusters have two entries.  Where that is not the owner of the
   row, the pair is marked for another entry, behind those of this cluster
------------------------------------------------------------------------- */

void ClusterList::find_pairs(const PairRows &rows)
{
  bits_.assign(nclusters() + nowner_clusters_, 0);
  touched_.resize(bits_.size() + 1);
  found_.clear();
  turned_.clear();
  special_.clear();
  found_begin_.assign(1, 0);
  for (int owners = 0; owners < nowner_clusters_; owners++) {
    int ntouched = 0;
    for (int k = 0; k < NOWNERS; k++) {
      const int place = owners * NOWNERS + k;
      add_special(rows, place);
      ntouched = mark_row(rows, place, ntouched);
    }
    take_marks(owners, ntouched);
    found_begin_.push_back(static_cast<int>(found_.size()));
  }
}

/* ---------------------------------------------------------------------- */

void ClusterList::add_special(const PairRows &rows, int place)
{
  const int i = atoms_[place];
  if (i == NO_ATOM) return;
  for (int k = 0; k < rows.nspecial[i]; k++) {
    const std::uint32_t entry = rows.first[i][k];
    special_.push_back({place, place_.data()[entry & NEIGHBOR_MASK],
                        static_cast<int>(entry >> SPECIAL_SHIFT & 3)});
  }
}

/* ----------------------------------------------------------------------
   without branches on what chance decides
------------------------------------------------------------------------- */

int ClusterList::mark_row(const PairRows &rows, int place, int ntouched)
{
  const int i = atoms_[place];
  if (i == NO_ATOM) return ntouched;
  const int n = rows.nneighbors[i] - rows.nspecial[i];
  std::uint32_t *const words = words_.room(n + MARKS_PADDING),
                       *const marks = marks_.room(n + MARKS_PADDING);
  find_marks({rows.first[i] + rows.nspecial[i], n, place}, place_.data(), width_, nclusters(),
             words, marks);
  std::uint32_t *const bits = bits_.data();
  int *const touched = touched_.data();
  for (int k = 0; k < n; k++) {
    const std::uint32_t old = bits[words[k]];
    touched[ntouched] = static_cast<int>(words[k]);
    ntouched += old == 0;
    bits[words[k]] = old | marks[k];
  }
  return ntouched;
}

/* ---------------------------------------------------------------------- */

void ClusterList::take_marks(int owners, int ntouched)
{
  const int nclusters = this->nclusters(), own_cluster = owners * NOWNERS / width_;
  for (int k = 0; k < ntouched; k++) {
    const int at = touched_[k];
    if (at < nclusters)
      found_.push_back({at, bits_[at]});
    else
      turned_.push_back({at - nclusters, {own_cluster, bits_[at]}});
    bits_[at] = 0;
  }
}

/* ---------------------------------------------------------------------- */

void ClusterList::sort_turned()
{
  turned_begin_.assign(nowner_clusters_ + 1, 0);
  for (const Part &part : turned_) turned_begin_[part.owners]++;
  int sum = 0;
  for (int &begin : turned_begin_) {
    sum += begin;
    begin = sum - begin;
  }
  turned_sorted_.resize(turned_.size());
  for (const Part &part : turned_) turned_sorted_[turned_begin_[part.owners]++] = part;
}

/* ---------------------------------------------------------------------- */

void ClusterList::merge()
{
  entries_.clear();
  begin_.assign(1, 0);
  at_.assign(nclusters(), 0);
  for (int owners = 0, turned = 0; owners < nowner_clusters_; owners++) {
    row_.assign(found_.begin() + found_begin_[owners], found_.begin() + found_begin_[owners + 1]);
    for (std::size_t k = 0; k < row_.size(); k++) at_[row_[k].cluster] = static_cast<int>(k) + 1;
    for (; turned < turned_begin_[owners]; turned++) {
      const Entry &part = turned_sorted_[turned].entry;
      int &at = at_[part.cluster];
      if (at) {
        row_[at - 1].pairs |= part.pairs;
      } else {
        row_.push_back(part);
        at = static_cast<int>(row_.size());
      }
    }
    for (const Entry &entry : row_) at_[entry.cluster] = 0;
    entries_.insert(entries_.end(), row_.begin(), row_.end());
    begin_.push_back(static_cast<int>(entries_.size()));
  }
}

/* ---------------------------------------------------------------------- */

void ClusterList::find_used()
{
  const int n = nclusters(), nown = nowner_clusters_ * NOWNERS / width_;
  at_.assign(n, 0);
  std::fill_n(at_.begin(), nown, 1);
  for (const Entry &entry : entries_) at_[entry.cluster] = 1;
  for (const Special &pair : special_) at_[pair.other / width_] = 1;
  used_.clear();
  for (int cluster = 0; cluster < n; cluster++)
    if (at_[cluster]) used_.push_back(cluster);
}

/* ---------------------------------------------------------------------- */

double ClusterList::nbytes() const
{
  const std::size_t of_int = atoms_.capacity() + used_.capacity() + begin_.capacity() +
      owners_.capacity() + others_.capacity() + column_.capacity() + start_.capacity() +
      bits_.capacity() + touched_.capacity() + found_begin_.capacity() + turned_begin_.capacity() +
      at_.capacity();
  const std::size_t of_entry = entries_.capacity() + found_.capacity() + row_.capacity();
  const std::size_t of_part = turned_.capacity() + turned_sorted_.capacity();
  return static_cast<double>(of_int * sizeof(int) + of_entry * sizeof(Entry) +
                             of_part * sizeof(Part) + heights_.capacity() * sizeof(Height) +
                             place_.nbytes() + words_.nbytes() + marks_.nbytes() +
                             special_.capacity() * sizeof(Special));
}
