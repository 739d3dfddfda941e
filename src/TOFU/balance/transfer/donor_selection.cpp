// SPDX-License-Identifier: GPL-2.0-only

#include "donor_selection.h"

#include <algorithm>

namespace TOFU_NS {

void DonorSelection::begin(const DonorState &state)
{
  state_ = state;
  ranks_.clear();
  images_.clear();
  selection_.begin(state.nlocal);
}

/* ---------------------------------------------------------------------- */

void DonorSelection::give_atoms(int rank, const SubBox &box, std::int64_t amount)
{
  add_receiver(rank, box, state_.nlocal + state_.nghost);
  const int receiver = static_cast<int>(ranks_.size()) - 1;
  if (!squares_[receiver].empty())
    selection_.give_nearest(receiver, amount, squares_[receiver].data());
}

void DonorSelection::give_rows(int rank, const SubBox &box, std::int64_t amount,
                               const std::int64_t *work)
{
  add_receiver(rank, box, state_.nlocal);
  const int receiver = static_cast<int>(ranks_.size()) - 1;
  if (!squares_[receiver].empty())
    selection_.give_by_work(receiver, amount, squares_[receiver].data(), work);
}

/* ----------------------------------------------------------------------
   with the distances of atoms from its sub-box: of owned ones for the selection,
   of ghosts for regions
------------------------------------------------------------------------- */

void DonorSelection::add_receiver(int rank, const SubBox &box, int natoms)
{
  if (ranks_.empty()) find_center();
  const std::size_t n = ranks_.size();
  ranks_.push_back(rank);
  images_.push_back(nearest_image(center_, box, state_.periodicity));
  if (squares_.size() <= n) squares_.emplace_back();
  squares_[n].resize(natoms);
  find_squares(state_.metric, state_.x, natoms, images_[n].box, squares_[n].data());
}

/* ---------------------------------------------------------------------- */

void DonorSelection::find_center()
{
  double sum[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < state_.nlocal; i++)
    for (int dim = 0; dim < 3; dim++) sum[dim] += state_.x[3 * static_cast<std::size_t>(i) + dim];
  for (double &one : sum) one /= std::max(state_.nlocal, 1);
  state_.metric.find_fraction(sum, center_.data());
}

/* ---------------------------------------------------------------------- */

void DonorSelection::mark_given()
{
  given_.assign(state_.nlocal + state_.nghost, 0);
  for (int i : selection_.atoms()) given_[i] = 1;
}

/* ---------------------------------------------------------------------- */

void DonorSelection::mark_seam(double cutoff, bool all_kept)
{
  seam_.assign(state_.nlocal, all_kept);
  if (all_kept) return;
  for (const SelectedTransfer &transfer : transfers()) {
    const std::vector<double> &squares = squares_[transfer.receiver];
    const double most = RegionFinder::limit_square(squares, atoms_of(transfer), transfer.natoms,
                                                   SEAM * cutoff * state_.metric.stretch());
    for (int i = 0; i < state_.nlocal; i++) seam_[i] |= squares[i] <= most;
  }
}

/* ----------------------------------------------------------------------
   given and owned atoms of a region; ghosts are left to the caller
------------------------------------------------------------------------- */

void DonorSelection::find_region(const SelectedTransfer &transfer, double cutoff)
{
  region_.given = atoms_of(transfer);
  region_.ngiven = transfer.natoms;
  region_.owned.clear();
  region_.ghosts.clear();
  given_elsewhere_.clear();

  finder_.find(squares_[transfer.receiver], state_.x, region_.given, region_.ngiven, cutoff,
               state_.metric.stretch());
  in_transfer_.resize(state_.nlocal, 0);
  for (int k = 0; k < region_.ngiven; k++) in_transfer_[region_.given[k]] = 1;
  for (int i : finder_.atoms()) {
    if (i >= state_.nlocal) break;    // ascending
    if (!given_[i] && seam_[i])
      region_.owned.push_back(i);
    else if (given_[i] && !in_transfer_[i])
      given_elsewhere_.push_back(i);
  }
  for (int k = 0; k < region_.ngiven; k++) in_transfer_[region_.given[k]] = 0;

  region_.nseam = static_cast<int>(region_.owned.size());
  region_.owned.insert(region_.owned.end(), given_elsewhere_.begin(), given_elsewhere_.end());
}

}    // namespace TOFU_NS
