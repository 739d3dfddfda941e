// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "charges_on_pool.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "fmt/format.h"
#include "group.h"
#include "neigh_list.h"
#include "neighbor.h"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

constexpr int FEWEST_ATOMS = 100;    // of a part

/** Neighbors of rows of the factored inverse are within this part of the cut-off: with the usual
    10 Angstrom those with H above 2 eV, some 20 per row.  On no shell of a crystal. */
constexpr double REACH = 0.44271, SHORTEST_REACH = 0.3;

/** Ranks and indices of owned atoms in one number. */
constexpr double ATOMS_OF_A_RANK = 2147483648.0;

}    // namespace

/* ---------------------------------------------------------------------- */

ChargesOnPool::ChargesOnPool(LAMMPS *lmp, Fix *fix_in) : Pointers(lmp), fix(fix_in) {}

/* ---------------------------------------------------------------------- */

int ChargesOnPool::modify(int narg, char **arg)
{
  static const std::map<std::string, Preconditioner> KINDS = {
      {"auto", Preconditioner::AUTO},
      {"diagonal", Preconditioner::DIAGONAL},
      {"local", Preconditioner::LOCAL},
      {"ranks", Preconditioner::RANKS}};
  const std::string word = arg[0], value = narg > 1 ? arg[1] : "";
  if (word == "solver") {
    if (value != "stock" && value != "projected")
      error->all(FLERR, "Illegal fix_modify solver '{}': must be projected or stock", value);
    wants_stock = value == "stock";
  } else if (word == "preconditioner") {
    const auto found = KINDS.find(value);
    if (found == KINDS.end())
      error->all(FLERR,
                 "Illegal fix_modify preconditioner '{}': must be auto, diagonal, local or ranks",
                 value);
    preconditioner = found->second;
  } else {
    return 0;
  }
  return 2;
}

/* ---------------------------------------------------------------------- */

void ChargesOnPool::forget()
{
  history.clear();
  solver.forget();
  built.any = false;
  errors.n = 0;
}

/* ----------------------------------------------------------------------
   all ranks build at the same time, since they exchange columns
------------------------------------------------------------------------- */

ChargesOnPool::Result ChargesOnPool::solve(RankPool *threadpool, const Input &input)
{
  const Parts parts = threadpool->parts().for_work(atom->nlocal, FEWEST_ATOMS);
  const bool builds = !built.any || built.lists.is_outdated(neighbor) ||
      group->dynamic[input.igroup] || built.preconditioner != preconditioner ||
      input.positions_are_old;
  if (builds) find_columns(input);
  set_positions(input, parts);
  if (builds) build_rows(input, parts);
  rows.set_values(coulomb(input), positions.data(), parts);
  set_sides(input, parts);
  const ChargeSystem equations = system(parts);
  if (builds) build_preconditioner(input, equations, parts);
  set_start(input, parts);

  last = solver.solve(equations, {input.tolerance, input.most_passes}, start.data(),
                      errors.squares.data(), errors.n, parts);
  if (errors.n > 0) history.learn(errors.squares.data(), errors.n);
  counts.nsolutions++;
  counts.npasses += last.npasses;
  counts.nreductions += last.nreductions;
  if (last.end == ChargeSolver::End::NOT_DEFINITE) return Result::NOT_DEFINITE;
  store(input, parts);
  set_ghosts(parts);
  return last.end == ChargeSolver::End::CONVERGED ? Result::DONE : Result::EXHAUSTED;
}

/* ----------------------------------------------------------------------
   an atom has a charge if it is in the group and in the list of its owner
------------------------------------------------------------------------- */

void ChargesOnPool::find_columns(const Input &input)
{
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  const int groupbit = group->bitmask[input.igroup];
  start.assign(nall, -1.0);
  for (int row = 0; row < input.list->inum; row++) {
    const int i = input.list->ilist[row];
    if (i < nlocal && (atom->mask[i] & groupbit)) start[i] = ATOMS_OF_A_RANK * comm->me + i;
  }
  forward(start.data());
  std::vector<char> &has_charge = in_matrix.has_charge;
  has_charge.resize(nall);
  in_matrix.column.resize(nall);
  std::vector<int> others;
  for (int i = 0; i < nall; i++) {
    const double mine = start[i] - ATOMS_OF_A_RANK * comm->me;
    const bool is_mine = mine >= 0.0 && mine < ATOMS_OF_A_RANK;
    has_charge[i] = start[i] >= 0.0;
    in_matrix.column[i] = is_mine ? static_cast<int>(mine) : i;
    if (has_charge[i] && !is_mine) others.push_back(i);
  }
  others.shrink_to_fit();
  ghosts.begin(std::move(others));
  int all = std::count(has_charge.begin(), has_charge.begin() + nlocal, 0) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, world);
  in_matrix.all = all;
}

/* ---------------------------------------------------------------------- */

void ChargesOnPool::set_positions(const Input &input, const Parts &parts)
{
  constexpr double FAR_AWAY = 1e10;
  std::vector<double> shields(atom->ntypes + 1, 0.0);
  for (int type = 1; type <= atom->ntypes; type++)
    shields[type] = ShieldedCoulomb::shield(input.gamma[type]);
  const int nall = atom->nlocal + atom->nghost;
  const std::size_t nrows = static_cast<std::size_t>(nall) + 1;
  double *const to = positions.room(4 * nrows, nrows / 8);
  parts.share(nall, [&](int, int first, int end) {
    for (int i = first; i < end; i++) {
      double *const row = to + std::size_t{4} * i;
      std::copy_n(atom->x[i], 3, row);
      row[3] = shields[atom->type[i]];
    }
  });
  std::fill_n(to + std::size_t{4} * nall, 3, FAR_AWAY);
  to[std::size_t{4} * nall + 3] = 1.0;
}

/* ---------------------------------------------------------------------- */

ChargeColumns ChargesOnPool::columns() const
{
  return {atom->nlocal, atom->nlocal + atom->nghost, in_matrix.has_charge.data(),
          in_matrix.column.data()};
}

/* ---------------------------------------------------------------------- */

ShieldedCoulomb ChargesOnPool::coulomb(const Input &input) const
{
  ShieldedCoulomb found{};
  std::copy_n(input.taper, 8, found.taper);
  found.cutoff = input.cutoff;
  return found;
}

/* ---------------------------------------------------------------------- */

void ChargesOnPool::build_rows(const Input &input, const Parts &parts)
{
  const NeighList &list = *input.list;
  rows.build({list.inum, list.ilist, list.numneigh, list.firstneigh, NEIGHMASK, input.pairs},
             columns(), parts);
  built.lists = LastBuild::of(neighbor);
  built.any = true;
}

/* ----------------------------------------------------------------------
   right side, diagonal, and what depends on which atoms have a charge
------------------------------------------------------------------------- */

void ChargesOnPool::set_sides(const Input &input, const Parts &parts)
{
  const int nlocal = atom->nlocal;
  for (auto *vector : {&sides.right, &sides.diagonal, &sides.inverse_diagonal, &sides.ones})
    vector->resize(nlocal);
  parts.share(nlocal, [&](int, int first, int end) {
    for (int i = first; i < end; i++) {
      const int type = atom->type[i];
      const bool charged = in_matrix.has_charge[i];
      sides.right[i] = charged ? -input.chi[type] : 0.0;
      if (charged && input.field) sides.right[i] -= input.field[i];
      sides.diagonal[i] = charged ? input.eta[type] : 0.0;
      sides.inverse_diagonal[i] = charged ? 1.0 / input.eta[type] : 0.0;
      sides.ones[i] = charged ? 1.0 : 0.0;
    }
  });
}

/* ---------------------------------------------------------------------- */

ChargeSystem ChargesOnPool::system(const Parts &parts)
{
  ChargeSystem equations;
  equations.nlocal = atom->nlocal;
  equations.ncolumns = atom->nlocal + atom->nghost;
  equations.right = sides.right.data();
  equations.inverse_diagonal = sides.inverse_diagonal.data();
  equations.total = 0.0;
  equations.begin_product = [this, parts](const double *x) {
    rows.begin_product(x, parts);
  };
  equations.begin_two_products = [this, parts](const double *x1, const double *x2) {
    rows.begin_two_products(x1, x2, parts);
  };
  equations.multiply = [this](int first, int end, const double *x, double *y) {
    rows.multiply(first, end, sides.diagonal.data(), x, y);
  };
  equations.multiply_two = [this](int first, int end, const double *x1, const double *x2,
                                  double *y1, double *y2) {
    rows.multiply_two(first, end, sides.diagonal.data(), x1, x2, y1, y2);
  };
  equations.precondition = [this, parts](double *r, double *z) {
    if (used == Preconditioner::DIAGONAL) {
      parts.share(atom->nlocal, [&](int, int first, int end) {
        for (int i = first; i < end; i++) z[i] = sides.inverse_diagonal[i] * r[i];
      });
      return;
    }
    if (used == Preconditioner::RANKS && comm->nprocs > 1) forward(r);
    inverse.apply(r, z, parts);
  };
  equations.forward = [this, parts](double *x) {
    set_ghosts_of(x, parts);
  };
  equations.add_over_ranks = [this](double *sums, int n) {
    MPI_Allreduce(MPI_IN_PLACE, sums, n, MPI_DOUBLE, MPI_SUM, world);
  };
  return equations;
}

/* ----------------------------------------------------------------------
   ghosts near owned atoms need all their near neighbors, also when a list is some
   steps old
------------------------------------------------------------------------- */

double ChargesOnPool::reach_of_ghosts(const Input &input) const
{
  if (comm->mode != Comm::SINGLE) return 0.0;
  const double known = 0.5 * (comm->get_comm_cutoff() - neighbor->skin);
  const double reach = std::min(REACH * input.cutoff, known);
  return reach < SHORTEST_REACH * input.cutoff ? 0.0 : reach;
}

/* ---------------------------------------------------------------------- */

void ChargesOnPool::build_preconditioner(const Input &input, const ChargeSystem &equations,
                                         const Parts &parts)
{
  built.preconditioner = used = preconditioner;
  double reach = REACH * input.cutoff;
  if (used == Preconditioner::AUTO)
    used = comm->nprocs > 1 ? Preconditioner::RANKS : Preconditioner::LOCAL;
  if (!atom->tag_enable) used = Preconditioner::DIAGONAL;    // the others order atoms by tags
  if (used == Preconditioner::RANKS) {
    const double with_ghosts = reach_of_ghosts(input);
    if (with_ghosts > 0.0)
      reach = with_ghosts;
    else
      used = Preconditioner::LOCAL;
  }
  if (used != Preconditioner::DIAGONAL) {
    const int nall = atom->nlocal + atom->nghost;
    std::vector<std::int64_t> tags(atom->tag, atom->tag + nall);
    std::vector<double> etas(nall);
    for (int i = 0; i < nall; i++) etas[i] = input.eta[atom->type[i]];
    const FactoredInverse::Atoms atoms = {columns(), nall ? atom->x[0] : nullptr, positions.data(),
                                          etas.data(), tags.data()};
    inverse.build(atoms, coulomb(input), reach, used == Preconditioner::RANKS, parts);
  }
  solver.set_preconditioner(equations, sides.ones);
}

/* ----------------------------------------------------------------------
   an atom without a history starts with the charge that it has.
   Ghosts have histories since the lists were built, and the same guesses as their
   owners as soon as those are long enough
------------------------------------------------------------------------- */

void ChargesOnPool::set_start(const Input &input, const Parts &parts)
{
  const int nlocal = atom->nlocal;
  const int norder = input.positions_are_old ? 1 : history.best();
  start.assign(nlocal + atom->nghost, 0.0);
  parts.share(nlocal, [&](int, int first, int end) {
    for (int i = first; i < end; i++) {
      if (!in_matrix.has_charge[i]) continue;
      const int n = std::min(norder, static_cast<int>(input.nhistory[i][0]));
      const double q = std::isfinite(atom->q[i]) ? atom->q[i] : 0.0;
      start[i] = n > 0 ? ChargeHistory::guess(input.history[i], n) : q;
    }
  });
  if (norder == 0 || ghosts.size() < norder) return set_ghosts_of(start.data(), parts);
  ghosts.set_guesses(norder, start.data(), parts);
  copy_to_images(start.data(), parts);
}

/* ----------------------------------------------------------------------
   charges become the latest of the history; how well it would have predicted them is
   summed with the first numbers of the next solution
------------------------------------------------------------------------- */

void ChargesOnPool::store(const Input &input, const Parts &parts)
{
  constexpr int MOST = ChargeHistory::MOST, BLOCK = 64;
  const int nlocal = atom->nlocal, nblocks = (nlocal + BLOCK - 1) / BLOCK;
  errors.n = input.positions_are_old ? 0 : history.size();
  errors.of_block.resize(nblocks);
  parts.share(nblocks, [&](int, int first, int end) {
    for (int block = first; block < end; block++) {
      std::array<double, MOST> &squares = errors.of_block[block];
      squares.fill(0.0);
      for (int i = block * BLOCK; i < std::min(nlocal, (block + 1) * BLOCK); i++)
        if (in_matrix.has_charge[i]) store(input, i, squares.data());
    }
  });
  errors.squares.fill(0.0);
  for (const auto &squares : errors.of_block)
    for (int k = 0; k < MOST; k++) errors.squares[k] += squares[k];
  if (history.size() == 0 || !input.positions_are_old) history.add();
}

/* ----------------------------------------------------------------------
   of one atom; adds to squares
------------------------------------------------------------------------- */

void ChargesOnPool::store(const Input &input, int i, double *squares)
{
  constexpr int MOST = ChargeHistory::MOST;
  const double q = start[i];
  double *const old = input.history[i];
  double &n = input.nhistory[i][0];
  atom->q[i] = q;
  if (n >= errors.n)
    for (int k = 0; k < errors.n; k++) {
      const double error = ChargeHistory::guess(old, k + 1) - q;
      squares[k] += error * error;
    }
  if (n < 1.0 || !input.positions_are_old) {
    for (int k = MOST - 1; k > 0; k--) old[k] = old[k - 1];
    n = std::min(n + 1.0, 1.0 * MOST);
  }
  old[0] = q;
}

/* ----------------------------------------------------------------------
   iterations have charges of ghosts, too, but of atoms without a charge that is
   computed here
------------------------------------------------------------------------- */

void ChargesOnPool::set_ghosts(const Parts &parts)
{
  ghosts.add(start.data(), parts);
  if (!in_matrix.all) return forward(atom->q);
  const int nlocal = atom->nlocal;
  parts.share(atom->nghost, [&](int, int first, int end) {
    for (int i = nlocal + first; i < nlocal + end; i++) atom->q[i] = start[in_matrix.column[i]];
  });
}

/* ---------------------------------------------------------------------- */

void ChargesOnPool::forward(double *x)
{
  message = x;
  comm->forward_comm(fix);
  message = nullptr;
  counts.nexchanges++;
}

/* ----------------------------------------------------------------------
   one rank has the numbers of all atoms
------------------------------------------------------------------------- */

void ChargesOnPool::set_ghosts_of(double *x, const Parts &parts)
{
  if (comm->nprocs > 1)
    forward(x);
  else
    copy_to_images(x, parts);
}

/* ---------------------------------------------------------------------- */

void ChargesOnPool::copy_to_images(double *x, const Parts &parts) const
{
  const int nlocal = atom->nlocal;
  const int *const column = in_matrix.column.data();
  parts.share(atom->nghost, [&](int, int first, int end) {
    for (int i = nlocal + first; i < nlocal + end; i++)
      if (column[i] < nlocal) x[i] = x[column[i]];
  });
}

/* ---------------------------------------------------------------------- */

int ChargesOnPool::pack(int n, const int *atoms, double *buffer) const
{
  for (int k = 0; k < n; k++) buffer[k] = message[atoms[k]];
  return n;
}

/* ---------------------------------------------------------------------- */

void ChargesOnPool::unpack(int n, int first, const double *buffer)
{
  std::copy_n(buffer, n, message + first);
}

/* ---------------------------------------------------------------------- */

std::string ChargesOnPool::report() const
{
  if (counts.nsolutions == 0) return "";
  const double n = static_cast<double>(counts.nsolutions);
  const std::string name = used == Preconditioner::DIAGONAL ? "diagonal"
      : used == Preconditioner::LOCAL                       ? "factored inverse of each rank"
                                                            : "factored inverse over ranks";
  return fmt::format("one system with the sum of charges kept, preconditioner: {}; a solution took "
                     "{:.2f} passes over the matrix, {:.2f} reductions and {:.2f} exchanges "
                     "(mean of {})",
                     name, counts.npasses / n, counts.nreductions / n, counts.nexchanges / n,
                     counts.nsolutions);
}

/* ---------------------------------------------------------------------- */

double ChargesOnPool::memory_usage() const
{
  double bytes = rows.nbytes() + inverse.nbytes() + solver.nbytes() + ghosts.nbytes() +
      static_cast<double>(positions.nbytes() + in_matrix.has_charge.capacity() +
                          in_matrix.column.capacity() * sizeof(int));
  for (const auto *vector :
       {&start, &sides.right, &sides.diagonal, &sides.inverse_diagonal, &sides.ones})
    bytes += static_cast<double>(vector->capacity() * sizeof(double));
  return bytes;
}
