// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Wannier centers and the atoms that they belong to, their hosts: bonds of some
   types join them.

   A center has the place that the model gives it only while forces are computed.
   Whenever atoms change ranks it is where its host is, so that one rank has both.
------------------------------------------------------------------------- */

#ifndef LMP_WANNIER_PAIRS_H
#define LMP_WANNIER_PAIRS_H

#include "pointers.h"

#include <utility>
#include <vector>

namespace LAMMPS_NS {

class WannierPairs : protected Pointers {
 public:
  struct Pair {
    int host, center;    // owned atoms
    tagint host_tag, center_tag;
  };

  /** \param associated   types of hosts, each with the type of its centers
      \param bond_types   types of the bonds between both */
  WannierPairs(LAMMPS *, std::vector<std::pair<int, int>> associated, std::vector<int> bond_types);

  /** In init().  All atom types that are the same type of the model have the same types of centers.

      \param numbers   [ntypes+1] type of the model, negative: not an atom */
  void set_types(const std::vector<int> &numbers);

  bool has_centers(int type) const { return !centers_of[type].empty(); }    // atoms of this type
  bool is_center(int type) const { return is_center_type[type] != 0; }

  /** Find the pairs among the bonds of this rank, after lists have been built.

      \return   # of bonds to an atom that another rank has; if there are some, pairs are not
                complete */
  int find();

  /** After find(): an error if a host has no center, or a center not exactly one host. */
  void check() const;

  /** After find(): give centers the places of their hosts, across ranks.  Collective; `fix` hands
      its communication to the functions below. */
  void put_on_hosts(class Fix *fix);

  /** The same within the rank, with velocities; before atoms change ranks. */
  void follow_hosts() const;

  /** An error if atoms were exchanged since find(). */
  void require_same_atoms() const;

  /** Give centers their places.  An error if one is too far from its host.

      \param dipoles   [natoms] from hosts to centers */
  void place(const double (*dipoles)[3]) const;

  const std::vector<Pair> &pairs() const { return found; }
  const std::vector<int> &hosts() const { return all_hosts; }    // ascending, each once

  int pack_forward_comm(int n, const int *list, double *buf) const;
  void unpack_forward_comm(int n, int first, const double *buf);
  int pack_reverse_comm(int n, int first, double *buf) const;
  void unpack_reverse_comm(int n, const int *list, const double *buf);

  double memory_usage() const;

  static constexpr int FORWARD = 3, REVERSE = 4;    // numbers for each atom

 private:
  const std::vector<std::pair<int, int>> associated;
  std::vector<char> is_bond;                    // [nbondtypes+1]
  std::vector<std::vector<char>> centers_of;    // [ntypes+1][ntypes+1], or empty
  std::vector<char> is_center_type;             // [ntypes+1]
  std::vector<Pair> found;
  int nlocal_found = 0;                      // owned atoms in find()
  std::vector<std::pair<int, int>> bonds;    // host and center as the list of bonds names them
  std::vector<int> all_hosts;

  // of put_on_hosts()

  std::vector<double> places;     // [natoms][FORWARD] of owners
  std::vector<double> targets;    // [natoms][REVERSE] how often and what

  std::pair<int, int> host_and_center(int i, int j) const;
  bool are_where_found() const;
  void refuse_distance(const Pair &, double distance) const;
};

}    // namespace LAMMPS_NS

#endif
