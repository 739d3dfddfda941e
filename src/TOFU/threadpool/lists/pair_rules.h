// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_PAIR_RULES_H
#define LMP_PAIR_RULES_H

#include "pointers.h"

#include "kernels/neighbor/half_list_rule.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

inline double distance_sq(const double *a, const double *b)
{
  const double delx = a[0] - b[0], dely = a[1] - b[1], delz = a[2] - b[2];
  return delx * delx + dely * dely + delz * delz;
}

/** The first n atoms in a vector for which wanted(atom) holds come first, in their order.

    \return   # of them */
template <class Wanted> int keep_if(std::vector<int> &found, int n, Wanted wanted)
{
  int nkept = 0;
  for (int k = 0; k < n; k++) {
    const int j = found[k];
    found[nkept] = j;
    nkept += wanted(j);
  }
  return nkept;
}

/** Which of the pairs that a search finds are in a neighbor list: cut-offs, exclusions, and the one
    of two ranks that stores a pair. */
class PairRules : protected Pointers {
 public:
  enum class Pairs { FULL, HALF_NEWTON, HALF_ALL_GHOSTS };    // the pairs of a list

  /** \param sizes   whether the cut-off counts from surfaces of spheres */
  PairRules(LAMMPS *, Pairs, bool sizes);

  const Pairs pairs;
  const bool sizes;

  /** Rules of the build at hand, from data of NPair.

      \param cutneighsq    [ntypes+1][ntypes+1]
      \param skin          [length]
      \param is_excluded   whether neigh_modify exclude has the pair of two atoms; empty: none */
  void begin(double **cutneighsq, double skin, std::function<bool(int i, int j)> is_excluded);

  /** Whether of two ranks that have a pair with a ghost one stores it. */
  bool some_ghosts() const { return one_of_two_ranks; }

  /** Whether coordinates alone say which of the two. */
  bool ghosts_by_coordinates() const { return one_of_two_ranks && !rule.triclinic; }

  /** The largest cut-off of a type, and of all. */
  double largest_cutoff(int type) const { return widest[type]; }
  double largest_cutoff() const;

  bool stores(tagint itag, const double *xi, tagint jtag, const double *xj) const
  {
    return rule.stores(itag, xi, jtag, xj);
  }

  /** Of pairs with a ghost, which two ranks have, those that this one stores.

      \param tag, x   of the owned atom
      \param found    [n] neighbors, with indices that is_ghost(), tag_of() and x_of() take */
  template <class IsGhost, class TagOf, class XOf>
  int keep_own_ghosts(tagint tag, const double *x, std::vector<int> &found, int n, IsGhost is_ghost,
                      TagOf tag_of, XOf x_of) const
  {
    if (!rule.triclinic)
      return keep_if(found, n, [&](int j) {
        return !is_ghost(j) || TOFU_NS::HalfListRule::is_higher(x, x_of(j));
      });
    return keep_if(found, n, [&](int j) {
      return !is_ghost(j) || rule.is_higher_triclinic(tag, x, tag_of(j), x_of(j));
    });
  }

  /** Pairs within their cut-offs and not excluded.

      \param i, x       the owned atom and its position
      \param doubtful   some may be farther away than the largest cut-off of the type of i
      \param found      [n] neighbors, with indices that atom_of() makes those of Atom of */
  template <class AtomOf, class XOf>
  int keep_allowed(int i, const double *x, bool doubtful, std::vector<int> &found, int n,
                   AtomOf atom_of, XOf x_of) const
  {
    const int *const type = types();
    if (doubtful || !one_cutoff)
      n = keep_if(found, n, [&](int j) {
        return distance_sq(x, x_of(j)) <= cutsq[type[i]][type[atom_of(j)]];
      });
    if (is_excluded) n = keep_if(found, n, [&](int j) { return !is_excluded(i, atom_of(j)); });
    return n;
  }

  /** Pairs of spheres whose surfaces are within the skin. */
  template <class XOf>
  int keep_near_surfaces(int i, const double *x, std::vector<int> &found, int n, XOf x_of) const
  {
    const double *const radius = radii();
    return keep_if(found, n, [&](int j) {
      const double cut = radius[i] + radius[j] + skin;
      return distance_sq(x, x_of(j)) <= cut * cut;
    });
  }

 private:
  TOFU_NS::HalfListRule rule;
  bool one_of_two_ranks = false;
  std::vector<double> widest;    // [ntypes+1] largest cut-off of each type
  bool one_cutoff = true;
  double **cutsq = nullptr;
  double skin = 0.0;
  std::function<bool(int, int)> is_excluded;

  const int *types() const;    // of atoms
  const double *radii() const;
  void find_cutoffs();
  void find_radii();
};

}    // namespace LAMMPS_NS

#endif
