// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_list.h"

#include "cluster_marks.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace TOFU_NS;

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
  columns_.sort(owners_, x, side, width_, atoms_);
  nowner_clusters_ = static_cast<int>(atoms_.size()) / NOWNERS;
  columns_.sort(others_, x, side, width_, atoms_);
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

void ClusterList::search(const AtomsToSearch &from, const std::vector<Exception> &exceptions,
                         int width)
{
  width_ = width;
  search_.sort(from, width, atoms_);
  nowner_clusters_ = search_.nown() * width / NOWNERS;
  set_places(from.natoms);
  sort_exceptions(exceptions);
  entries_.clear();
  special_.clear();
  begin_.assign(1, 0);
  at_.assign(nclusters(), 0);
  for (int owners = 0; owners < nowner_clusters_; owners++) {
    const ClusterSearch::Found found = search_.find(owners);
    take_exceptions(owners, found);
    entries_.insert(entries_.end(), found.entries, found.entries + found.n);
    begin_.push_back(static_cast<int>(entries_.size()));
  }
  find_used();
}

/* ---------------------------------------------------------------------- */

void ClusterList::set_places(int natoms)
{
  int *const place = place_.room(natoms + 1);
  std::fill_n(place, natoms, NO_ATOM);
  for (std::size_t k = 0; k < atoms_.size(); k++)
    if (atoms_[k] != NO_ATOM) place[atoms_[k]] = static_cast<int>(k);
}

/* ----------------------------------------------------------------------
   by clusters of owners, of those pairs both of whose atoms have places
------------------------------------------------------------------------- */

void ClusterList::sort_exceptions(const std::vector<Exception> &exceptions)
{
  const int nown = nowner_clusters_ * NOWNERS;
  const int *const place = place_.data();
  const auto for_all = [&](auto use) {
    for (const Exception &one : exceptions) {
      int i = place[one.owner], j = place[one.other];
      if (i == NO_ATOM || j == NO_ATOM) continue;
      if (j < i) std::swap(i, j);
      if (i < nown) use(Special{i, j, one.kind});
    }
  };
  std::vector<int> &begin = exceptions_begin_;
  begin.assign(nowner_clusters_ + 1, 0);
  for_all([&](const Special &one) { begin[one.owner / NOWNERS + 1]++; });
  for (int owners = 0; owners < nowner_clusters_; owners++) begin[owners + 1] += begin[owners];
  exceptions_.resize(begin.back());
  for_all([&](const Special &one) { exceptions_[begin[one.owner / NOWNERS]++] = one; });
  std::copy_backward(begin.begin(), begin.end() - 1, begin.end());
  begin[0] = 0;
}

/* ----------------------------------------------------------------------
   out of entries; those with a special bond are listed
------------------------------------------------------------------------- */

void ClusterList::take_exceptions(int owners, ClusterSearch::Found found)
{
  const int first = exceptions_begin_[owners], last = exceptions_begin_[owners + 1];
  if (first == last) return;
  for (int k = 0; k < found.n; k++) at_[found.entries[k].cluster] = k + 1;
  for (int k = first; k < last; k++) {
    const Special &pair = exceptions_[k];
    const int at = at_[pair.other / width_];
    if (!at) continue;
    std::uint32_t &pairs = found.entries[at - 1].pairs;
    const std::uint32_t bit = 1U << (pair.owner % NOWNERS * width_ + pair.other % width_);
    if (pairs & bit && pair.kind) special_.push_back(pair);
    pairs &= ~bit;
  }
  for (int k = 0; k < found.n; k++) at_[found.entries[k].cluster] = 0;
}

/* ---------------------------------------------------------------------- */

double ClusterList::nbytes() const
{
  const std::size_t of_int = atoms_.capacity() + used_.capacity() + begin_.capacity() +
      owners_.capacity() + others_.capacity() + exceptions_begin_.capacity() + bits_.capacity() +
      touched_.capacity() + found_begin_.capacity() + turned_begin_.capacity() + at_.capacity();
  const std::size_t of_entry = entries_.capacity() + found_.capacity() + row_.capacity();
  const std::size_t of_part = turned_.capacity() + turned_sorted_.capacity();
  return static_cast<double>(of_int * sizeof(int) + of_entry * sizeof(Entry) +
                             of_part * sizeof(Part) + columns_.nbytes() + search_.nbytes() +
                             place_.nbytes() + words_.nbytes() + marks_.nbytes() +
                             (special_.capacity() + exceptions_.capacity()) * sizeof(Special));
}
