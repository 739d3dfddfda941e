// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "body_atoms.h"

using namespace LAMMPS_NS;

static constexpr int BLOCK = 64;    // atoms of small bodies that one part moves

/* ---------------------------------------------------------------------- */

void BodyAtoms::sort(int nlocal, const int *body_of_atom, int nbodies)
{
  bodies.clear();
  place.assign(nbodies, -1);
  first_atom.assign(1, 0);
  for (int i = 0; i < nlocal; i++) {
    const int body = body_of_atom[i];
    if (body < 0) continue;
    if (place[body] < 0) {
      place[body] = static_cast<int>(bodies.size());
      bodies.push_back(body);
      first_atom.push_back(0);
    }
    first_atom[place[body] + 1]++;
  }
  const int n = static_cast<int>(bodies.size());
  for (int k = 0; k < n; k++) first_atom[k + 1] += first_atom[k];

  atoms.resize(first_atom[n]);
  std::vector<int> next(first_atom.begin(), first_atom.end() - 1);
  for (int i = 0; i < nlocal; i++)
    if (body_of_atom[i] >= 0) atoms[next[place[body_of_atom[i]]]++] = i;

  block_begin.assign(1, 0);
  for (int k = 0; k < n; k++)
    if (k + 1 == n || first_atom[k + 1] - first_atom[block_begin.back()] >= BLOCK)
      block_begin.push_back(k + 1);
}

/* ---------------------------------------------------------------------- */

double BodyAtoms::memory_usage() const
{
  return static_cast<double>(sizeof(int) *
                             (bodies.capacity() + first_atom.capacity() + atoms.capacity() +
                              block_begin.capacity() + place.capacity()));
}
