// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_list.h"

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
  marks_.start(static_cast<std::size_t>(nclusters()) + nowner_clusters_);
  found_.clear();
  turned_.clear();
  special_.clear();
  const int nclusters = this->nclusters();
  for (int owners = 0; owners < nowner_clusters_; owners++) {
    for (int k = 0; k < NOWNERS; k++) add_row(rows, owners * NOWNERS + k);
    const int own_cluster = owners * NOWNERS / width_;
    marks_.take([&](int word, std::uint32_t pairs) {
      if (word < nclusters)
        found_.append({word, pairs});
      else
        turned_.push_back({word - nclusters, {own_cluster, pairs}});
    });
    found_.end_row();
  }
}

/* ---------------------------------------------------------------------- */

void ClusterList::add_row(const PairRows &rows, int place)
{
  const int i = atoms_[place];
  if (i == NO_ATOM) return;
  const int *const row = rows.first[i];
  const int nspecial = rows.nspecial[i];
  for (int k = 0; k < nspecial; k++) {
    const std::uint32_t entry = row[k];
    special_.push_back({place, place_.data()[entry & NEIGHBOR_MASK],
                        static_cast<int>(entry >> SPECIAL_SHIFT & 3)});
  }
  marks_.add({row + nspecial, rows.nneighbors[i] - nspecial, place}, place_.data(), width_,
             nclusters());
}

/* ---------------------------------------------------------------------- */

void ClusterList::merge()
{
  turned_sorted_.sort(turned_, nowner_clusters_, [](const Part &part) { return part.owners; });
  entries_.clear();
  at_.assign(nclusters(), 0);
  for (int owners = 0; owners < nowner_clusters_; owners++) {
    const Entries found = found_.row(owners);
    row_.assign(found.begin, found.end);
    for (std::size_t k = 0; k < row_.size(); k++) at_[row_[k].cluster] = static_cast<int>(k) + 1;
    const auto turned = turned_sorted_.row(owners);
    for (const Part *part = turned.begin; part < turned.end; part++) {
      int &at = at_[part->entry.cluster];
      if (at) {
        row_[at - 1].pairs |= part->entry.pairs;
      } else {
        row_.push_back(part->entry);
        at = static_cast<int>(row_.size());
      }
    }
    for (const Entry &entry : row_) at_[entry.cluster] = 0;
    entries_.append(row_.data(), row_.data() + row_.size());
    entries_.end_row();
  }
}

/* ---------------------------------------------------------------------- */

void ClusterList::find_used()
{
  const int n = nclusters(), nown = nowner_clusters_ * NOWNERS / width_;
  at_.assign(n, 0);
  std::fill_n(at_.begin(), nown, 1);
  for (const Entry &entry : entries_.values()) at_[entry.cluster] = 1;
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
  at_.assign(nclusters(), 0);
  for (int owners = 0; owners < nowner_clusters_; owners++) {
    const ClusterSearch::Found found = search_.find(owners);
    take_exceptions(owners, found);
    entries_.append(found.entries, found.entries + found.n);
    entries_.end_row();
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
  placed_.clear();
  for (const Exception &one : exceptions) {
    int i = place[one.owner], j = place[one.other];
    if (i == NO_ATOM || j == NO_ATOM) continue;
    if (j < i) std::swap(i, j);
    if (i < nown) placed_.push_back({i, j, one.kind});
  }
  exceptions_.sort(placed_, nowner_clusters_,
                   [](const Special &one) { return one.owner / NOWNERS; });
}

/* ----------------------------------------------------------------------
   out of entries; those with a special bond are listed
------------------------------------------------------------------------- */

void ClusterList::take_exceptions(int owners, ClusterSearch::Found found)
{
  const auto exceptions = exceptions_.row(owners);
  if (exceptions.begin == exceptions.end) return;
  for (int k = 0; k < found.n; k++) at_[found.entries[k].cluster] = k + 1;
  for (const Special *pair = exceptions.begin; pair < exceptions.end; pair++) {
    const int at = at_[pair->other / width_];
    if (!at) continue;
    std::uint32_t &pairs = found.entries[at - 1].pairs;
    const std::uint32_t bit = 1U << (pair->owner % NOWNERS * width_ + pair->other % width_);
    if (pairs & bit && pair->kind) special_.push_back(*pair);
    pairs &= ~bit;
  }
  for (int k = 0; k < found.n; k++) at_[found.entries[k].cluster] = 0;
}

/* ---------------------------------------------------------------------- */

double ClusterList::nbytes() const
{
  const std::size_t of_int = atoms_.capacity() + used_.capacity() + owners_.capacity() +
      others_.capacity() + at_.capacity();
  const std::size_t of_rows = entries_.nbytes() + found_.nbytes() + turned_sorted_.nbytes() +
      exceptions_.nbytes() + marks_.nbytes() + place_.nbytes();
  return columns_.nbytes() + search_.nbytes() +
      static_cast<double>(of_int * sizeof(int) + of_rows + row_.capacity() * sizeof(Entry) +
                          turned_.capacity() * sizeof(Part) +
                          (special_.capacity() + placed_.capacity()) * sizeof(Special));
}
