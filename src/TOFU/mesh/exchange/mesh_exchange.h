// SPDX-License-Identifier: GPL-2.0-only
//
// MeshExchange: values at mesh points go from the boxes that ranks hold them in to other boxes of
// the same or other ranks: to ghost points and back, from bricks to pencils, from all ranks to
// all ranks.
//
// All messages are sent before any is awaited, one for each pair of ranks, for any number of
// fields.  Messages are read in the order of ranks, own points in their place among them, so that
// sums never depend on timing.

#ifndef TOFU_MESH_MESH_EXCHANGE_H
#define TOFU_MESH_MESH_EXCHANGE_H

#include "mesh_layout.h"
#include "transport/transport.h"

#include <vector>

namespace TOFU_NS {

class MeshExchange {
 public:
  /** Messages follow from the boxes of all ranks, which every rank has.

      \param me        this rank
      \param npoints   of the mesh
      \param sources   [nranks] boxes that values come from; only the layout of this rank need have
                       the right order, and likewise for targets
      \param targets   [nranks] boxes that they go to */
  MeshExchange(int me, const std::array<int, 3> &npoints, const std::vector<MeshLayout> &sources,
               const std::vector<MeshLayout> &targets);

  /** True if values neither leave this rank nor change their place, on any rank. */
  bool identity() const { return identity_; }

  /** Note the peers of this exchange, and the lengths of its messages.

      \param nbytes_of_point   of all fields together that travel at once
      \param nbytes            [nranks] raised to the length of the message to each rank, to 1
                               at least for a rank that sends to this one */
  void add_traffic(std::size_t nbytes_of_point, std::vector<std::size_t> &nbytes) const;

  /** Use the links of a transport, which must outlive this object. */
  void bind(Transport &transport);

  /** to = from, for points of the targets that any source has.

      \param nfields   arrays that travel together
      \param width     numbers per point: 1 real, 2 complex
      \param from      [nfields] arrays in the layout of this rank's source
      \param to        [nfields] arrays in the layout of this rank's target
      \throws TransportError */
  template <class Real> void copy(int nfields, int width, const Real *const *from, Real *const *to);

  /** The same with to += from, in the order of ranks, then of images. */
  template <class Real> void add(int nfields, int width, const Real *const *from, Real *const *to);

 private:
  /** A box of points in one array; sender and receiver cut their boxes into the same parts. */
  struct Part {
    std::ptrdiff_t first;
    std::array<int, 3> length;               // along rows first
    std::array<std::ptrdiff_t, 3> stride;    // points, in the same order
  };
  struct Traffic {    // with one rank, or this rank with itself
    int rank;
    int link = -1;
    std::vector<Part> parts;
    std::size_t npoints = 0;
  };

  void add_parts(const MeshLayout &source, const MeshLayout &target, Traffic *sent,
                 Traffic *received) const;
  template <class Real, bool ADD>
  void run(int nfields, int width, const Real *const *from, Real *const *to);
  template <class Real>
  void send(const Traffic &traffic, int nfields, int width, const Real *const *from);
  template <class Real, bool ADD>
  void receive(const Traffic &traffic, int nfields, int width, Real *const *to);
  template <class Real, bool ADD>
  void move_own(int nfields, int width, const Real *const *from, Real *const *to) const;

  int me_;
  std::array<int, 3> npoints_;
  bool identity_;
  std::vector<Traffic> sends_, receives_;    // other ranks, ascending
  Traffic own_from_, own_to_;                // part by part
  Transport *transport_ = nullptr;
};

}    // namespace TOFU_NS

#endif
