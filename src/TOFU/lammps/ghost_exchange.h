// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

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

  /** # of ghosts that neighbor lists may have: those of the last borders() without bonded partners
      and those appended since, which are behind them. */
  virtual int nghost_of_pattern() const = 0;

  /** Whether reverse_comm_of_rows() is possible; the same on all ranks. */
  virtual bool returns_rows_alone() const = 0;

  /** Comm::reverse_comm() where no ghost has a force but those whose rows this rank computes for
      their owner. */
  virtual void reverse_comm_of_rows() = 0;

  /** Distance [length] from its place in this rank's sub-box that an atom may have and still be
      where this rank lives or one that it has a link to; infinite if there are links to all. */
  virtual double reach_of_links() const = 0;

  /** No atom of any rank is beyond reach_of_links() when Comm::exchange() comes next, so that it
      needs no reduction over ranks.  To be called by all ranks. */
  virtual void expect_near_atoms() = 0;

 protected:
  ~GhostExchange() = default;
};

}    // namespace LAMMPS_NS

#endif
