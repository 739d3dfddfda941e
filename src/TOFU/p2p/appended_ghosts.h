// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Ghosts beyond the pattern of comm_style p2p/rdma, for ranks that compute rows
   of neighbor lists for others: atoms that rows name and their receiver lacks.

   Donors send them with the rows, as extra swaps, or the receiver requests them of an owner.  All
   ranks go through the same states, each an object that the next one is made of, so that a step
   cannot be left out or be taken twice:

     AppendedGhosts::begin()   Offer      donors choose and pack
     Offer::send()             Sent       messages travel while ranks do something else
     Sent::receive()           Received   receivers read, and look up what they have
     Received::append()                   the ghosts are there until the next borders()
------------------------------------------------------------------------- */

#ifndef LMP_APPENDED_GHOSTS_H
#define LMP_APPENDED_GHOSTS_H

#include "pointers.h"

#include "halo/ghost_request.h"
#include "halo/ghost_sources.h"
#include "halo/halo_plan.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace TOFU_NS {
class HaloExchange;
}

namespace LAMMPS_NS {

class AppendedGhosts : protected Pointers {
 public:
  using Messages = std::map<int, std::vector<char>>;    // by rank

  /** Functions of the communication style that AppendedGhosts needs. */
  class Host {
   public:
    virtual TOFU_NS::HaloPlan &plan() = 0;
    virtual TOFU_NS::HaloExchange &halo() = 0;
    virtual const std::vector<int> &linked_ranks() const = 0;    // ascending

    /** Whether a receiver of rows has a link to an owner of atoms. */
    virtual bool links_receiver_to_owner(int receiver, int owner) const = 0;

    /** One message to each rank of `out`, one from each of `in`, which is filled when
        receive_messages() returns; both maps must live until then. */
    virtual void send_messages(const Messages &out, Messages &in) = 0;
    virtual void receive_messages() = 0;

    /** [natoms * size of a border atom] scratch memory. */
    virtual double *packing_buffer(int natoms) = 0;

    /** The plan has other swaps than before. */
    virtual void plan_has_changed() = 0;

    /** There are more ghosts, and arrays may have moved. */
    virtual void ghosts_were_appended() = 0;

   protected:
    ~Host() = default;
  };

  /** A rank that may request ghosts of others. */
  struct Requester {
    int rank;
    int donor;    // the rank whose rows it computes, -1 if there are several
  };

  class Offer;
  class Sent;
  class Received;

  AppendedGhosts(LAMMPS *lmp, Host &);

  /** Collective; an error if ghosts have been appended since the last borders(). */
  Offer begin();

  /** Ghosts are made anew: drop those appended; an Offer, Sent or Received of before is invalid.

      \return   whether the plan has changed */
  bool drop();

 private:
  /** Argument of constructors of the states, which this class alone can call. */
  class Key {
   public:
    explicit Key() = default;
  };
  struct AppendedSwap;
  struct RequestGroup;

  struct ExtraSwaps {          // of a donor; [nswaps]
    std::vector<int> first;    // number of the first ghost among all extra ones
    std::vector<int> natoms, nrows;
    std::vector<double *> values;    // in the message that brought them
    bool forwards = false;           // this rank may request that the donor forwards ghosts
    std::vector<std::int64_t> codes_with_rows;    // swaps of the donor, see GhostSources
  };

  Host &host;
  unsigned generation = 0;                         // counts drop()
  std::vector<int> receivers;                      // of rows of this rank
  std::map<int, TOFU_NS::GhostSources> sources;    // by receiver, of old ones, too
  std::map<int, ExtraSwaps> received;              // by donor
  int nextra = 0;                                  // atoms in all of them
  int first_requested = 0;                         // swap behind the extra ones

  TOFU_NS::GhostSources &sources_for(int receiver, bool forward);
  void pack_for(int receiver, std::vector<char> &message);
  std::size_t read(int donor, const std::vector<char> &message);
  std::vector<int> append(const std::vector<TOFU_NS::GhostRequest> &,
                          const std::vector<Requester> &);

  Messages request_ghosts(const std::vector<RequestGroup> &groups,
                          const std::vector<Requester> &requesters);
  void append_swaps(const std::vector<RequestGroup> &groups, const Messages &requested);
  AppendedSwap swap_for(int requester, const RequestGroup &group) const;
  void append_extra_swaps(std::vector<AppendedSwap> &swaps) const;
  void count_rows(int nplan);
  void swap_atoms(int before);
  void pack_as_border(const TOFU_NS::HaloSwap &, int n, int *list, std::vector<char> &bytes);
  void unpack_as_ghosts(int n, double *values);
  void unpack_extra_ghosts();
  void finish(int before);
};

/** Donors choose atoms and pack messages. */
class AppendedGhosts::Offer {
 public:
  /** How a receiver of rows gets the atoms that they name.  To be called once for each receiver, in
      ascending order.

      \param forward   true: this rank forwards what others own; false: the owner sends it, if
                       it is linked to the receiver */
  TOFU_NS::GhostSources &sources_for(int receiver, bool forward)
  {
    return ghosts.sources_for(receiver, forward);
  }

  /** Append the extra swaps of sources_for(receiver) to a message whose length is a multiple
      of 8. */
  void pack_for(int receiver, std::vector<char> &message) { ghosts.pack_for(receiver, message); }

  /** Send the messages, one to each rank of `out`; one comes from each rank of `in`.  Both maps
      must live until they have been received. */
  Sent send(const Messages &out, Messages &in) &&;

  Offer(AppendedGhosts &g, Key) : ghosts(g) {}

 private:
  AppendedGhosts &ghosts;
};

/** Messages are on their way. */
class AppendedGhosts::Sent {
 public:
  /** Wait for them, unless another call that communicates has done so. */
  Received receive() &&;

  Sent(AppendedGhosts &g, Key) : ghosts(&g), generation(g.generation) {}

 private:
  AppendedGhosts *ghosts;
  unsigned generation;
};

/** Messages have arrived. */
class AppendedGhosts::Received {
 public:
  /** Read the extra swaps of a donor; donors in ascending order, messages must remain until
      append().

      \return   length of the message without it */
  std::size_t read(int donor, const std::vector<char> &message)
  {
    return ghosts.read(donor, message);
  }

  /** Numbers of the first atom of each extra swap of a donor among all extra ghosts that this rank
      gets. */
  const int *first_extra_ghosts(int donor) const { return ghosts.received.at(donor).first.data(); }
  int nextra() const { return ghosts.nextra; }

  /** Begin to look up other sources of a donor among the atoms of this rank.

      \param box_shift   box lengths to be added to the donor's coordinates for this rank's */
  void begin_sources(int donor, const std::array<int, 3> &box_shift, TOFU_NS::KnownSources &) const;

  /** Append ghosts to those of the last borders().  To be called after the neighbor lists have been
      built, on all ranks; an error if there have been other borders() since the ghosts were chosen.

      \param requests   [n] atoms that this rank wants beside the extra ghosts, each once
      \param requesters   ranks that may have requests, the same on all ranks
      \return   [nextra()+n] local index of each */
  std::vector<int> append(const std::vector<TOFU_NS::GhostRequest> &requests,
                          const std::vector<Requester> &requesters) &&;

  Received(AppendedGhosts &g, unsigned n, Key) : ghosts(g), generation(n) {}

 private:
  AppendedGhosts &ghosts;
  unsigned generation;
};

}    // namespace LAMMPS_NS

#endif
