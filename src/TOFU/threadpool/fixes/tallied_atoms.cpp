// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "tallied_atoms.h"

#include "angle.h"
#include "atom.h"
#include "bond.h"
#include "comm.h"
#include "dihedral.h"
#include "fix.h"
#include "force.h"
#include "improper.h"
#include "kspace.h"
#include "modify.h"
#include "pair.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

TalliedAtoms::TalliedAtoms(LAMMPS *lmp, int n_in, std::vector<std::string> words_in) :
    Pointers(lmp), n(n_in), words(std::move(words_in))
{
}

/* ---------------------------------------------------------------------- */

bool TalliedAtoms::counts(const char *word) const
{
  const auto has = [this](const char *one) {
    return std::find(words.begin(), words.end(), one) != words.end();
  };
  return words.empty() || has(word) || has("virial");
}

/* ----------------------------------------------------------------------
   pairs have numbers of ghosts with either newton flag, since bonds tally pairs as well;
   fixes have none
------------------------------------------------------------------------- */

std::vector<TalliedAtoms::Source> TalliedAtoms::sources() const
{
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  const int nbond = force->newton_bond ? nall : nlocal;
  std::vector<Source> all;
  const auto add = [&](auto *style, const char *word, int natoms) {
    if (!style || !counts(word)) return;
    const double *const numbers = n == 1 ? style->eatom : style->vatom ? style->vatom[0] : nullptr;
    if (numbers) all.push_back({numbers, natoms});
  };
  if (force->pair && force->pair->compute_flag)
    add(force->pair, "pair", force->newton ? nall : nlocal);
  add(force->bond, "bond", nbond);
  add(force->angle, "angle", nbond);
  add(force->dihedral, "dihedral", nbond);
  add(force->improper, "improper", nbond);
  if (force->kspace && force->kspace->compute_flag)
    add(force->kspace, "kspace", force->kspace->tip4pflag ? nall : nlocal);
  for (Fix *fix : modify->get_fix_list())
    if (n == 1 ? fix->energy_peratom_flag && fix->thermo_energy
               : fix->virial_peratom_flag && fix->thermo_virial)
      add(fix, "fix", nlocal);
  return all;
}

/* ----------------------------------------------------------------------
   for the atoms of a block.  A sum begins with 0, as that of LAMMPS, which makes -0 to 0
------------------------------------------------------------------------- */

void TalliedAtoms::sum_block(const std::vector<Source> &all, int first, int last)
{
  double *const to = pointers[first];
  const int nnumbers = n * (last - first);
  if (all.empty()) std::fill(to, to + nnumbers, 0.0);
  for (const Source &source : all) {
    const double *const from = source.numbers + (to - sums.data());
    const int ncounted = n * std::max(0, std::min(last, source.natoms) - first);
    if (&source == &all.front()) {
      for (int k = 0; k < ncounted; k++) to[k] = 0.0 + from[k];
      std::fill(to + ncounted, to + nnumbers, 0.0);
    } else {
      for (int k = 0; k < ncounted; k++) to[k] += from[k];
    }
  }
}

/* ---------------------------------------------------------------------- */

double *TalliedAtoms::sum(Compute *compute)
{
  constexpr int BLOCK = 128;    // atoms, whose sums stay in the first cache
  if (static_cast<int>(pointers.size()) < atom->nmax) {
    sums.resize(static_cast<std::size_t>(n) * atom->nmax);
    pointers.resize(atom->nmax);
    for (int i = 0; i < atom->nmax; i++) pointers[i] = &sums[static_cast<std::size_t>(n) * i];
  }
  const bool has_ghosts = force->newton || (force->kspace && force->kspace->tip4pflag);
  const std::vector<Source> all = sources();
  for_atoms(RankPool::of(lmp), atom->nlocal + (has_ghosts ? atom->nghost : 0),
            [&](int begin, int end) {
              for (int first = begin; first < end; first += BLOCK)
                sum_block(all, first, std::min(first + BLOCK, end));
            });
  if (has_ghosts) comm->reverse_comm(compute);
  return sums.data();
}

/* ---------------------------------------------------------------------- */

int TalliedAtoms::pack(int natoms, int first, double *buf) const
{
  std::copy_n(&sums[static_cast<std::size_t>(n) * first], n * natoms, buf);
  return n * natoms;
}

/* ---------------------------------------------------------------------- */

template <int N> static void add_rows(int natoms, const int *list, const double *buf, double *sums)
{
  for (int i = 0; i < natoms; i++)
    for (int k = 0; k < N; k++) sums[N * static_cast<std::size_t>(list[i]) + k] += buf[N * i + k];
}

void TalliedAtoms::unpack(int natoms, const int *list, const double *buf)
{
  if (n == 1)
    add_rows<1>(natoms, list, buf, sums.data());
  else
    add_rows<6>(natoms, list, buf, sums.data());
}

/* ---------------------------------------------------------------------- */

double TalliedAtoms::memory_usage() const
{
  return static_cast<double>(sums.size() * sizeof(double) + pointers.size() * sizeof(double *));
}
