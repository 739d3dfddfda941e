/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_GHOST_EXCHANGE_H
#define LMP_GHOST_EXCHANGE_H

namespace LAMMPS_NS {

/** Interface of a communication style of this package to neighbor list builds and run styles.  A
    Comm without this interface has ghosts from all sides, at all times. */
class GhostExchange {
 public:
  /** The interface of the present communication style, or nullptr. */
  static GhostExchange *find(class Comm *);

  /** Name under which Comm::extract() has it. */
  static constexpr const char *NAME = "tofu/ghost_exchange";

  /** True if ghosts come from upper neighbors only, so that neighbor lists store all pairs of an
      owned and a ghost atom.  The same up to the next Comm::init(). */
  virtual bool half_shell() const = 0;

  /** # of ghosts of the last borders(), without those appended since. */
  virtual int nghost_of_pattern() const = 0;

  /** Whether reverse_comm_of_rows() is possible; the same on all ranks. */
  virtual bool knows_rows() const = 0;

  /** Comm::reverse_comm() where no ghost has a force but those whose rows this rank computes for
      their owner. */
  virtual void reverse_comm_of_rows() = 0;

  /** Say that ghosts are where the last forward_comm() or borders() has put them.  To be called by
      the integrator before the forces of the step, and with false after them: computes and fixes
      that come later may displace ghosts, as compute born/matrix and fix numdiff/virial do. */
  virtual void set_in_place(bool) = 0;

  /** Whether ghosts that are images of this rank's own atoms are in place, and differ from those by
      the size of the box alone. */
  virtual bool images_in_place() const = 0;

  /** If so, copy their positions from those that they are images of, which takes less time than to
      read ghosts that another core has written; called by several parts at a time.

      \param first,last   ghosts from the first up to, not including, the last
      \param rows         [nall][4] of which the first three of each are written */
  virtual void copy_ghosts(int first, int last, double *rows) const = 0;

  /** Say that of the ghosts that forward_comm() brings from now on nothing reads those that are
      images of this rank's own atoms, but copy_ghosts().  forward_comm() may leave them out then;
      it does not if something may read them after forces have been returned. */
  virtual void let_images_wait(bool) = 0;

  /** Whether the last forward_comm() has left images out, which nothing has made since. */
  virtual bool images_wait() const = 0;

  /** Make images that wait, of owned atoms where they are now. */
  virtual void make_waiting_images() = 0;

  /** Distance [length] from its place in this rank's sub-box that an atom may have and still be
      where this rank lives or one that it has a link to; infinite if there are links to all. */
  virtual double reach_of_links() const = 0;

  /** No atom of any rank is beyond reach_of_links() when Comm::exchange() comes next, so that it
      need not ask all ranks whether one is.  To be called by all ranks. */
  virtual void expect_near_atoms() = 0;

 protected:
  ~GhostExchange() = default;
};

}    // namespace LAMMPS_NS

#endif
