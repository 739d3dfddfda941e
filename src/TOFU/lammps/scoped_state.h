// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Members of LAMMPS' objects that have another value for the time of a call
   into LAMMPS: all places where this package needs that, with the reason and
   the change of LAMMPS after which the class can go.

   Each class sets the value in its constructor, and its destructor restores
   it, also when an exception ends the scope.
------------------------------------------------------------------------- */

#ifndef LMP_SCOPED_STATE_H
#define LMP_SCOPED_STATE_H

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

class Atom;
class Comm;
class Domain;
class LAMMPS;
class Neighbor;

/** Base of the classes below: one variable. */
template <class Value> class ScopedValue {
 public:
  ScopedValue(Value &variable_in, Value value) :
      variable(variable_in), before(std::exchange(variable_in, value))
  {
  }
  ~ScopedValue() { variable = before; }
  ScopedValue(const ScopedValue &) = delete;
  ScopedValue &operator=(const ScopedValue &) = delete;

 private:
  Value &variable;
  const Value before;
};

/** Atom::nlocal is 0.

    FixRigid sets positions and velocities of its atoms in loops over all owned atoms, inside of
    functions that move the bodies as well; rigid/threadpool has loops over atoms in bodies.
    Needless when FixRigid::set_xv() and set_v() are virtual. */
class ScopedLocalCount : ScopedValue<int> {
 public:
  explicit ScopedLocalCount(LAMMPS *);
};

/** Domain::box_exist is 1.

    Modify::add_fix() refuses fixes before there is a box, but for a list of names in its source.
    Needless when a fix style can be registered as independent of the box. */
class ScopedBoxExists : ScopedValue<int> {
 public:
  explicit ScopedBoxExists(Domain *);
};

/** Neighbor::dist_check is 0.

    Neighbor::decide() and build() check distances, and copy positions, with one thread and one
    reduction over ranks; this package does both on its threads.  Needless when these two functions
    call virtual ones for the distances and for the copy. */
class ScopedDistanceCheck : ScopedValue<int> {
 public:
  explicit ScopedDistanceCheck(Neighbor *);
};

/** Comm::layout is LAYOUT_UNIFORM where it is LAYOUT_TILED.

    The constructor of CommBrick refuses a tiled layout, and its setup() counts swaps of a grid; of
    both the styles of this package need the ghost cut-offs alone.  Needless when Comm has a
    function that sets cutghost and the arrays of its modes. */
class ScopedLayout : ScopedValue<int> {
 public:
  explicit ScopedLayout(Comm *);
};

/** The members that choose the atoms that a fix moves with the box choose none.

    remap() of fix nh and rigid/nh changes the box and displaces atoms, by one thread; this package
    displaces them on its threads.  Needless when the displacement is a virtual function. */
class ScopedRemap {
 public:
  /** \param allremap,group_bit   FixNH::allremap and dilate_group_bit */
  ScopedRemap(int &allremap, int &group_bit) : all(allremap, 0), group(group_bit, 0) {}

 private:
  ScopedValue<int> all, group;
};

/** FixDeform::remapflag is NO_REMAP.

    The end of a step of fix deform changes the box and displaces atoms, by one thread; this package
    displaces them on its threads.  Needless when the displacement is a virtual function. */
class ScopedRemapFlag : ScopedValue<int> {
 public:
  explicit ScopedRemapFlag(int &remapflag) : ScopedValue<int>(remapflag, 0) {}
};

/** Pair::vflag_global is 0.

    The virial of interactions between charges follows from their energy; the loop that adds them
    must not tally it once more.  Needless when Pair::ev_init() can be told which of the terms of a
    style have a virial. */
class ScopedVirialFlag : ScopedValue<int> {
 public:
  explicit ScopedVirialFlag(int &vflag_global) : ScopedValue<int>(vflag_global, 0) {}
};

/** PPPM::qdist is larger.

    PPPM::allocate() makes its grid for charges that are up to qdist from their atoms; clusters of
    atoms need more.  Needless when the distance is a virtual function. */
class ScopedChargeDistance : ScopedValue<double> {
 public:
  ScopedChargeDistance(double &qdist, double more) : ScopedValue<double>(qdist, qdist + more) {}
};

/** Atom::f is another array.

    PPPM::compute() and slabcorr() add to Atom::f, where fix dplr wants the forces in an array of
    its own.  Needless when they take the array from a member of KSpace. */
class ScopedForceArray {
 public:
  /** \param others   [nlocal][3] force; must live as long as this object */
  ScopedForceArray(Atom *, std::vector<double> &others);

 private:
  std::vector<double *> rows;
  ScopedValue<double **> array;
};

/** Atom::mask is another array.

    FixWallGran loops over all atoms of its group; wall/gran/threadpool has found those near the
    wall.  Needless when FixWallGran takes a list of atoms. */
class ScopedAtomMask : ScopedValue<int *> {
 public:
  /** \param mask   [nlocal] */
  ScopedAtomMask(Atom *, int *mask);
};

/** KSpace::overlap_allowed is 1.

    PPPM::init() lowers its order where kspace_modify overlap no is given and the mesh needs points
    of more than the adjacent ranks; pppm/offload has its own exchange, and takes the keyword for
    the overlap with pair forces.  Needless when the loop over orders is a virtual function. */
class ScopedOverlapFlag : ScopedValue<int> {
 public:
  explicit ScopedOverlapFlag(int &overlap_allowed) : ScopedValue<int>(overlap_allowed, 1) {}
};

/** OpenMP has one thread, for as long as a pool of this package has the processors.

    Idle threads of OpenMP would spin there, after some small loops of LAMMPS' core.  Needless when
    those loops ask Comm::nthreads for their number of threads. */
class ScopedOpenMPThreads {
 public:
  ScopedOpenMPThreads();
  ~ScopedOpenMPThreads();
  ScopedOpenMPThreads(const ScopedOpenMPThreads &) = delete;
  ScopedOpenMPThreads &operator=(const ScopedOpenMPThreads &) = delete;

 private:
  int nthreads = 1;    // before
};

/** LAMMPS has neither screen nor log file.

    It writes a line for each style of a plug-in, of which this one has hundreds.  Needless when
    the registration of a plug-in has a quiet form. */
class ScopedSilence {
 public:
  explicit ScopedSilence(LAMMPS *);

 private:
  ScopedValue<std::FILE *> screen, logfile;
};

/** Resets an optional one of these at the end of a scope; other functions may do so before. */
template <class Guard> class ScopedReset {
 public:
  explicit ScopedReset(Guard &guard_in) : guard(guard_in) {}
  ~ScopedReset() { guard.reset(); }
  ScopedReset(const ScopedReset &) = delete;
  ScopedReset &operator=(const ScopedReset &) = delete;

 private:
  Guard &guard;
};

/** Whether an object on the heap has an empty std::vector behind its first bytes: of an object of
    a class whose header is not there it is the only thing that can be checked.

    fix dplr of deepmd-kit casts Force::kspace to a class of its own and reads a vector behind that
    of PPPM.  Needless when it asks KSpace::extract() for the forces.

    \param nbytes   of the object in front of the vector
    \return         true if the C library cannot say how large the object is */
bool has_empty_vector_behind(const void *object, std::size_t nbytes);

}    // namespace LAMMPS_NS

#endif
