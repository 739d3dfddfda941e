// SPDX-License-Identifier: GPL-2.0-only
//
// The common loop of potentials whose energy is a sum over atoms and their near neighbors.
//
// A vector has one center in each lane.  Rows are short, four atoms in diamond; a lane is idle only
// where its center has fewer neighbors than the others of the vector.  Therefore the centers of a
// block are sorted by their number of neighbors.
//
//   struct Potential {
//     // squares of the cut-offs of some pairs, from the number of the center and those of the
//     // others
//     auto cutsq_of(double center) const;
//
//     // energy of some centers, and its gradients
//     template <Tallies TALLIES, class D>
//     void compute(D, const CenterGroup &, const CenterJob &) const;
//   };
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_CENTER_LOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_CENTER_LOOP_INL_H
#undef TOFU_KERNELS_CENTER_LOOP_INL_H
#else
#define TOFU_KERNELS_CENTER_LOOP_INL_H
#endif

#include "center_data.h"
#include "kernels/pair/pair_sums-inl.h"
#include "kernels/simd/select-inl.h"

#include <algorithm>
#include <numeric>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** As many centers as a vector has lanes. */
  struct CenterGroup {
    const int *centers;      // [lanes]
    const int *neighbors;    // [nslots][lanes]; behind the last of a center: itself
    const double *counts;    // [lanes] # of neighbors
    int nslots;              // the largest of them
  };

  /** Values from a table, by their places as whole numbers. */
  template <class D, class V> HWY_INLINE V look_up(D d, const double *table, V places)
  {
    const hn::Rebind<std::int64_t, D> d64;
    return hn::GatherIndex(d, table, hn::ConvertTo(d64, places));
  }

  /** Squares of the cut-offs of a center, from a table of pairs of elements.  ONE: there is one
      element. */
  template <bool ONE> class CutsqOf {
   public:
    CutsqOf(const double *table, int nelements, double center) :
        row_(table + (ONE ? 0 : static_cast<int>(center)) * nelements)
    {
    }

    template <class D, class V> HWY_INLINE V operator()(D d, V numbers) const
    {
      if constexpr (ONE)
        return hn::Set(d, row_[0]);
      else
        return look_up(d, row_, numbers);
    }

   private:
    const double *const row_;
  };

  /** Vectors that are kept about each slot of a group, one field beside the other. */
  template <class D, int NFIELDS> class SlotFields {
   public:
    using V = hn::Vec<D>;

    SlotFields(AlignedArray<double> &memory, int nslots) :
        begin_(memory.room(static_cast<std::size_t>(nslots) * NFIELDS * hn::Lanes(D())))
    {
    }
    HWY_INLINE V get(int slot, int field) const { return hn::Load(D(), at(slot, field)); }
    HWY_INLINE void set(int slot, int field, V value) { hn::Store(value, D(), at(slot, field)); }

   private:
    double *const begin_;

    HWY_INLINE double *at(int slot, int field) const
    {
      return begin_ + (static_cast<std::size_t>(slot) * NFIELDS + field) * hn::Lanes(D());
    }
  };

  /** Unit vectors and distances from the centers to one neighbor of each, and the fourth values of
      both atoms.  The distance is 1 where a center has no such neighbor.

      \return   mask of the centers that have one. */
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE auto unit_vectors(D d, const CenterGroup &group, const PairJob &job, int slot, V &ux,
                               V &uy, V &uz, V &r, V &rinv, V &center, V &number)
  {
    V x, y, z;
    const V one = hn::Set(d, 1.0);
    load_rows(d, job.atoms.rows, group.centers, 4, x, y, z, center);
    load_rows(d, job.atoms.rows, group.neighbors + slot * hn::Lanes(d), 4, ux, uy, uz, number);
    ux = hn::Sub(ux, x);
    uy = hn::Sub(uy, y);
    uz = hn::Sub(uz, z);
    const auto real = hn::Lt(hn::Set(d, slot), hn::Load(d, group.counts));
    const V rsq = hn::MulAdd(ux, ux, hn::MulAdd(uy, uy, hn::Mul(uz, uz)));
    r = hn::Sqrt(hn::IfThenElse(real, rsq, one));
    rinv = hn::Div(one, r);
    ux = hn::Mul(ux, rinv);
    uy = hn::Mul(uy, rinv);
    uz = hn::Mul(uz, rinv);
    return real;
  }

  /** Weights 1 and 0 of the two atoms of a pair, for potentials with different energies of the pair
      for its atoms.  Weight 1 has the atom for which LAMMPS computes the pair with newton on.

      \param tags   [natoms] atom IDs
      \param ux     direction from the center to the other atom; uy, uz likewise */
  template <class D, class V>
  HWY_INLINE V whole_weights(D d, const CenterGroup &group, int slot, const double *tags, V ux,
                             V uy, V uz)
  {
    const hn::Rebind<std::int32_t, D> d32;
    const hn::Rebind<std::int64_t, D> d64;
    const V zero = hn::Zero(d);
    const V itag = hn::GatherIndex(d, tags, hn::PromoteTo(d64, hn::LoadU(d32, group.centers)));
    const V jtag = hn::GatherIndex(
        d, tags, hn::PromoteTo(d64, hn::LoadU(d32, group.neighbors + slot * hn::Lanes(d))));
    const V half = hn::Mul(hn::Set(d, 0.5), hn::Add(itag, jtag));
    const auto even = hn::Eq(hn::Floor(half), half);
    const auto skip =
        hn::Or(hn::And(hn::Gt(itag, jtag), even), hn::AndNot(even, hn::Lt(itag, jtag)));
    const auto below =    // an atom and its own image
        hn::Or(hn::Lt(uz, zero),
               hn::And(hn::Eq(uz, zero),
                       hn::Or(hn::Lt(uy, zero), hn::And(hn::Eq(uy, zero), hn::Lt(ux, zero)))));
    const auto skip_image = hn::And(hn::Eq(itag, jtag), below);
    return hn::IfThenZeroElse(hn::Or(skip, skip_image), hn::Set(d, 1.0));
  }

  /** Subtract gradients from the forces of atoms. */
  template <class D, class V>
  HWY_INLINE void subtract_gradients(D d, const CenterForces &forces, const int *atoms, V x, V y,
                                     V z)
  {
    const hn::Rebind<std::int32_t, D> d32;
    const auto index = hn::LoadU(d32, atoms);
    const auto here = hn::And(hn::Gt(index, hn::Set(d32, forces.first - 1)),
                              hn::Lt(index, hn::Set(d32, forces.last)));
    if (hn::AllTrue(d32, here)) {
      subtract_from_rows(d, forces.rows, atoms, x, y, z);
      return;
    }
    HWY_ALIGN double column[3][hn::MaxLanes(D())];
    hn::Store(x, d, column[0]);
    hn::Store(y, d, column[1]);
    hn::Store(z, d, column[2]);
    for (std::size_t k = 0; k < hn::Lanes(d); k++)
      forces.subtract(atoms[k], column[0][k], column[1][k], column[2][k]);
  }

  /** Energies and virials of atoms: halves of those of pairs, thirds of those of triples.  A slot
      of a group has the sum of its neighbor, and one more slot that of the center. */
  template <class D> class TallyShares {
   public:
    TallyShares(const CenterJob &job, int nslots) :
        wanted_(job.forces.tallies != nullptr), nslots_(nslots),
        sums_(job.memory.tallies, wanted_ ? nslots + 1 : 0)
    {
      for (int k = 0; wanted_ && k <= nslots; k++)
        for (int n = 0; n < N; n++) sums_.set(k, n, hn::Zero(D()));
    }

    bool wanted() const { return wanted_; }

    /** \param r       distance
        \param slope   derivative of the energy with respect to it
        \param fields  UNIT is the first of the unit vector to neighbor k */
    template <int UNIT, class Fields, class V>
    HWY_NOINLINE void add_pair(const Fields &fields, int k, V energy, V r, V slope)
    {
      const V half = hn::Set(D(), 0.5), scale = hn::Neg(hn::Mul(half, hn::Mul(r, slope)));
      energy = hn::Mul(half, energy);
      add(k, 0, energy);
      add(nslots_, 0, energy);
      for (int n = 1; n < N; n++) {
        const V virial = hn::Mul(
            scale, hn::Mul(fields.get(k, UNIT + AXES[n][0]), fields.get(k, UNIT + AXES[n][1])));
        add(k, n, virial);
        add(nslots_, n, virial);
      }
    }

    /** Gradients with respect to j and to k have components in the directions of both.

        \param jj      distance of j times the component of its gradient in its own direction
        \param kk      likewise of k
        \param both    distance of j times the component of its gradient in the direction of k:
                       the same with j and k exchanged, since angles have no torque */
    template <int UNIT, class Fields, class V>
    HWY_NOINLINE void add_triple(const Fields &fields, int j, int k, V energy, V jj, V kk, V both)
    {
      const V third = hn::Set(D(), 1.0 / 3.0), minus_third = hn::Neg(third);
      energy = hn::Mul(third, energy);
      jj = hn::Mul(minus_third, jj);
      kk = hn::Mul(minus_third, kk);
      both = hn::Mul(minus_third, both);
      for (int slot : {j, k, nslots_}) add(slot, 0, energy);
      for (int n = 1; n < N; n++) {
        const V ja = fields.get(j, UNIT + AXES[n][0]), jb = fields.get(j, UNIT + AXES[n][1]);
        const V ka = fields.get(k, UNIT + AXES[n][0]), kb = fields.get(k, UNIT + AXES[n][1]);
        const V mixed = hn::MulAdd(ja, kb, hn::Mul(ka, jb));
        const V virial =
            hn::MulAdd(hn::Mul(jj, ja), jb, hn::MulAdd(hn::Mul(kk, ka), kb, hn::Mul(both, mixed)));
        for (int slot : {j, k, nslots_}) add(slot, n, virial);
      }
    }

    /** Add all sums to those of the atoms. */
    void deliver(const CenterGroup &group, const CenterForces &forces) const
    {
      if (!wanted_) return;
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d));
      HWY_ALIGN double columns[N * hn::MaxLanes(D())];
      for (int k = 0; k <= nslots_; k++) {
        const int *const atoms = k < nslots_ ? group.neighbors + k * lanes : group.centers;
        for (int n = 0; n < N; n++) hn::Store(sums_.get(k, n), d, columns + n * lanes);
        for (int lane = 0; lane < lanes; lane++) {
          double values[N];
          for (int n = 0; n < N; n++) values[n] = columns[n * lanes + lane];
          forces.add_tally(atoms[lane], values);
        }
      }
    }

   private:
    static constexpr int N = CenterForces::NTALLIES;

    static constexpr int AXES[N][2] = {{}, {0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

    const bool wanted_;
    const int nslots_;
    SlotFields<D, N> sums_;

    template <class V> HWY_INLINE void add(int slot, int n, V value)
    {
      sums_.set(slot, n, hn::Add(sums_.get(slot, n), value));
    }
  };

  /** Add the results of a group: gradients with respect to the neighbors to the neighbors, and with
      the opposite sign to the centers, energies and virials.

      \param fields   of each slot, among them UNIT, GRADIENT the first of three fields each: unit
                      vector, gradient
      \param RINV     1/distance */
  template <int UNIT, int RINV, int GRADIENT, Tallies TALLIES, class D, class Fields,
            class V = hn::Vec<D>>
  HWY_INLINE void add_results(D d, const CenterGroup &group, const Fields &fields, V energy,
                              const TallyShares<D> &shares, const CenterJob &job)
  {
    if constexpr (TALLIES == Tallies::ALL) {
      job.tally.evdwl += sum_of(d, energy);
      shares.deliver(group, job.forces);
    }
    V fx = hn::Zero(d), fy = fx, fz = fx;
    V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
    for (int k = 0; k < group.nslots; k++) {
      const V gx = fields.get(k, GRADIENT), gy = fields.get(k, GRADIENT + 1),
              gz = fields.get(k, GRADIENT + 2);
      fx = hn::Sub(fx, gx);
      fy = hn::Sub(fy, gy);
      fz = hn::Sub(fz, gz);
      subtract_gradients(d, job.forces, group.neighbors + k * hn::Lanes(d), gx, gy, gz);
      if constexpr (TALLIES != Tallies::NONE) {
        const V r = hn::Div(hn::Set(d, 1.0), fields.get(k, RINV));
        const V delx = hn::Mul(r, fields.get(k, UNIT)), dely = hn::Mul(r, fields.get(k, UNIT + 1)),
                delz = hn::Mul(r, fields.get(k, UNIT + 2));
        vxx = hn::NegMulAdd(delx, gx, vxx);
        vyy = hn::NegMulAdd(dely, gy, vyy);
        vzz = hn::NegMulAdd(delz, gz, vzz);
        vxy = hn::NegMulAdd(delx, gy, vxy);
        vxz = hn::NegMulAdd(delx, gz, vxz);
        vyz = hn::NegMulAdd(dely, gz, vyz);
      }
    }
    subtract_gradients(d, job.forces, group.centers, fx, fy, fz);
    if constexpr (TALLIES != Tallies::NONE) {
      job.tally.virial[0] += sum_of(d, vxx);
      job.tally.virial[1] += sum_of(d, vyy);
      job.tally.virial[2] += sum_of(d, vzz);
      job.tally.virial[3] += sum_of(d, vxy);
      job.tally.virial[4] += sum_of(d, vxz);
      job.tally.virial[5] += sum_of(d, vyz);
    }
  }

  template <class Potential, Tallies TALLIES> class CenterLoop {
   public:
    CenterLoop(const Potential &potential, const CenterJob &job) : potential_(potential), job_(job)
    {
    }

    void compute()
    {
      for (int begin = job_.first; begin < job_.last; begin += BLOCK)
        block(begin, std::min(job_.last, begin + BLOCK));
    }

   private:
    using D = DoublesUpTo<8>;
    static constexpr int BLOCK = 64;    // centers; their data fit into the L1 cache

    const Potential &potential_;
    const CenterJob &job_;

    // of the centers of a block

    int *begin_[BLOCK];    // neighbors within the cut-off
    int count_[BLOCK];
    int order_[BLOCK];    // by count

    void block(int first, int last)
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      const int most = find_near(first, last);
      sort_by_count(last - first, most);
      for (int n = 0; n < last - first; n += lanes)
        group(first, n, std::min(lanes, last - first - n));
    }

    /** \return   largest # of neighbors within the cut-off. */
    int find_near(int first, int last)
    {
      std::size_t room = ROW_PADDING;
      for (int n = first; n < last; n++)
        room += job_.pairs.list.nneighbors[job_.pairs.list.atoms[n]];
      int *end = job_.memory.found.room(room), most = 0;
      for (int n = first; n < last; n++) {
        const int i = job_.pairs.list.atoms[n];
        const double *const own = job_.pairs.atoms.rows + 4 * static_cast<std::size_t>(i);
        int *const begin = end;
        end = append_within(job_.pairs.atoms.rows, own, potential_.cutsq_of(own[3]),
                            job_.pairs.list.first[i], job_.pairs.list.nneighbors[i], begin);
        begin_[n - first] = begin;
        count_[n - first] = static_cast<int>(end - begin);
        most = std::max(most, count_[n - first]);
      }
      return most;
    }

    void sort_by_count(int n, int most)
    {
      std::vector<int> &places = job_.memory.places;
      places.assign(most + 2, 0);
      for (int k = 0; k < n; k++) places[count_[k] + 1]++;
      std::partial_sum(places.begin(), places.end(), places.begin());
      for (int k = 0; k < n; k++) order_[places[count_[k]]++] = k;
    }

    /** Compute a vector of centers of the block, in the order of counts.  If they are fewer than
        lanes, the last one is repeated without neighbors. */
    void group(int first, int begin, int n)
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      HWY_ALIGN int centers[hn::MaxLanes(D())];
      HWY_ALIGN double counts[hn::MaxLanes(D())];
      const int nslots = count_[order_[begin + n - 1]];
      int *const neighbors = job_.memory.neighbors.room(static_cast<std::size_t>(nslots) * lanes);
      for (int lane = 0; lane < lanes; lane++) {
        const int k = order_[begin + std::min(lane, n - 1)], count = lane < n ? count_[k] : 0;
        centers[lane] = job_.pairs.list.atoms[first + k];
        counts[lane] = count;
        for (int slot = 0; slot < nslots; slot++)
          neighbors[slot * lanes + lane] = slot < count ? begin_[k][slot] : centers[lane];
      }
      const CenterGroup group{centers, neighbors, counts, nslots};
      potential_.template compute<TALLIES>(D(), group, job_);
    }
  };

  template <class Potential> void compute_centers(const Potential &potential, const CenterJob &job)
  {
    with_tallies(job.pairs.tallies, [&](auto tallies) {
      CenterLoop<Potential, decltype(tallies)::value>(potential, job).compute();
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
