// SPDX-License-Identifier: GPL-2.0-only

#include "vashishta.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/vashishta.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "center_triples-inl.h"

#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <array>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Coefficients of the pairs that one element has with others, with the element of the other atom
      as the place in each column.  FITS: a column fits into a vector. */
  template <bool ONE, bool FITS> class PairColumns {
   public:
    PairColumns(const VashishtaCoefficients &c, double center) :
        begin_(c.pairs +
               static_cast<std::size_t>(ONE ? 0 : static_cast<int>(center)) *
                   VashishtaCoefficients::NPAIR * c.column),
        length_(c.column)
    {
    }

    template <class D, class V> HWY_INLINE V operator()(D d, V numbers, int which) const
    {
      const double *const column = begin_ + static_cast<std::size_t>(which) * length_;
      if constexpr (ONE) return hn::Set(d, column[0]);
      const hn::Rebind<std::int64_t, D> d64;
      const auto places = hn::ConvertTo(d64, numbers);
      if constexpr (FITS)
        return hn::TableLookupLanes(hn::LoadU(d, column), hn::IndicesFromVec(d, places));
      else
        return hn::GatherIndex(d, column, places);
    }

   private:
    const double *const begin_;
    const int length_;
  };

  /** Pairs of the centers: Vashishta et al., Phys. Rev. B 41, 12197 (1990), shifted so that energy
      and force end at the cut-off.  The other atom has the other half of the energy, and its force,
      as a center of its own. */
  template <bool ONE, bool FITS, Tallies TALLIES> class VashishtaPairs {
   public:
    VashishtaPairs(const VashishtaCoefficients &c, const CenterJob &job) : c_(c), job_(job) {}

    void compute()
    {
      for (int n = job_.first; n < job_.last; n++) row(job_.pairs.list.atoms[n]);
    }

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    enum Column : int { H, ETA, CHARGES, SCREENING, DIPOLE, DIPOLE_SCREENING, W, SLOPE, OFFSET };

    const VashishtaCoefficients &c_;
    const CenterJob &job_;

    void row(int i)
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d)), most = job_.pairs.list.nneighbors[i];
      const double *const own = job_.pairs.atoms.rows + 4 * static_cast<std::size_t>(i);
      int *const found = job_.memory.found.room(static_cast<std::size_t>(most) + 2 * ROW_PADDING);
      int *const end =
          append_within(job_.pairs.atoms.rows, own, CutsqOf<ONE>{c_.cutsq, c_.nelements, own[3]},
                        job_.pairs.list.first[i], most, found);
      const int n = static_cast<int>(end - found);
      std::fill_n(end, ROW_PADDING, i);

      const PairColumns<ONE, FITS> columns(c_, own[3]);
      V fx = hn::Zero(d), fy = fx, fz = fx, energy = fx;
      V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
      for (int k = 0; k < n; k += lanes) {
        const auto pairs = hn::FirstN(d, static_cast<std::size_t>(n - k));
        V x, y, z, number;
        load_rows(d, job_.pairs.atoms.rows, found + k, 4, x, y, z, number);
        x = hn::Sub(x, hn::Set(d, own[0]));
        y = hn::Sub(y, hn::Set(d, own[1]));
        z = hn::Sub(z, hn::Set(d, own[2]));
        const V rsq = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
        V e, pull;
        pair(d, columns, number, hn::IfThenElse(pairs, rsq, hn::Set(d, 1.0)), e, pull);
        pull = hn::IfThenElseZero(pairs, pull);
        const V gx = hn::Mul(pull, x), gy = hn::Mul(pull, y), gz = hn::Mul(pull, z);
        fx = hn::Add(fx, gx);
        fy = hn::Add(fy, gy);
        fz = hn::Add(fz, gz);
        if constexpr (TALLIES == Tallies::ALL)
          energy = hn::Add(energy, hn::IfThenElseZero(pairs, e));
        if constexpr (TALLIES != Tallies::NONE) {
          vxx = hn::MulAdd(x, gx, vxx);
          vyy = hn::MulAdd(y, gy, vyy);
          vzz = hn::MulAdd(z, gz, vzz);
          vxy = hn::MulAdd(x, gy, vxy);
          vxz = hn::MulAdd(x, gz, vxz);
          vyz = hn::MulAdd(y, gz, vyz);
        }
      }
      job_.forces.subtract(i, -sum_of(d, fx), -sum_of(d, fy), -sum_of(d, fz));
      if constexpr (TALLIES != Tallies::NONE)
        add(i,
            {sum_of(d, energy), -sum_of(d, vxx), -sum_of(d, vyy), -sum_of(d, vzz), -sum_of(d, vxy),
             -sum_of(d, vxz), -sum_of(d, vyz)});
    }

    /** Half of what the pairs of a row have, energy first. */
    void add(int i, std::array<double, CenterForces::NTALLIES> sums)
    {
      for (double &sum : sums) sum *= 0.5;
      if constexpr (TALLIES == Tallies::ALL) {
        job_.tally.evdwl += sums[0];
        if (job_.forces.tallies) job_.forces.add_tally(i, sums.data());
      }
      for (int n = 0; n < 6; n++) job_.tally.virial[n] += sums[1 + n];
    }

    /** Energies of pairs, and their derivatives divided by distance. */
    HWY_INLINE void pair(D d, const PairColumns<ONE, FITS> &columns, V number, V rsq, V &e,
                         V &pull) const
    {
      const V one = hn::Set(d, 1.0), r = hn::Sqrt(rsq), rinv = hn::Div(one, r);
      const V rinvsq = hn::Mul(rinv, rinv), r4inv = hn::Mul(rinvsq, rinvsq);
      const V eta = columns(d, number, ETA);
      const V steric = hn::Mul(columns(d, number, H), power(d, r, rinv, eta));
      const V screened = hn::Mul(columns(d, number, SCREENING), r);
      const V charges =
          hn::Mul(hn::Mul(columns(d, number, CHARGES), rinv), hn::Exp(d, hn::Neg(screened)));
      const V screened_dipole = hn::Mul(columns(d, number, DIPOLE_SCREENING), r);
      const V dipole =
          hn::Mul(hn::Mul(columns(d, number, DIPOLE), r4inv), hn::Exp(d, hn::Neg(screened_dipole)));
      const V dispersion = hn::Mul(columns(d, number, W), hn::Mul(r4inv, rinvsq));
      const V line = hn::Mul(columns(d, number, SLOPE), r);
      if constexpr (TALLIES == Tallies::ALL)
        e = hn::Add(hn::Sub(hn::Add(steric, charges), hn::Add(dipole, dispersion)),
                    hn::Sub(columns(d, number, OFFSET), line));
      const V repulsion = hn::MulAdd(eta, steric, hn::MulAdd(screened, charges, charges));
      const V attraction = hn::MulAdd(hn::Add(hn::Set(d, 4.0), screened_dipole), dipole,
                                      hn::Mul(hn::Set(d, 6.0), dispersion));
      pull = hn::Mul(rinvsq, hn::Sub(hn::Sub(attraction, repulsion), line));
    }

    /** r to the power of -eta. */
    HWY_INLINE V power(D d, V r, V rinv, V eta) const
    {
      if (!c_.whole_powers) return hn::Exp(d, hn::Neg(hn::Mul(eta, hn::Log(d, r))));
      static_assert(VashishtaCoefficients::LARGEST_POWER == 15, "four bits");
      const hn::Rebind<std::int64_t, D> d64;
      const auto bits = hn::ConvertTo(d64, eta);
      V result = hn::Set(d, 1.0), square = rinv;
      for (std::int64_t bit : {1, 2, 4, 8}) {
        const auto has = hn::RebindMask(d, hn::TestBit(bits, hn::Set(d64, bit)));
        result = hn::IfThenElse(has, hn::Mul(result, square), result);
        square = hn::Mul(square, square);
      }
      return result;
    }
  };

  /** Triples, whose angles count less the farther they are from the preferred one. */
  template <bool ONE> struct VashishtaTriples {
    const VashishtaCoefficients &c;

    HWY_INLINE auto cutsq_of(double center) const
    {
      return CutsqOf<ONE>{c.near_cutsq, c.nelements, center};
    }

    template <Tallies TALLIES, class D>
    HWY_INLINE void compute(D d, const CenterGroup &group, const CenterJob &job) const
    {
      if (group.nslots < 2) return;
      TripleFields<D> fields(job.memory.fields, group.nslots);
      hn::Vec<D> energy = hn::Zero(d);
      TallyShares<D> shares(job, group.nslots);
      for (int k = 0; k < group.nslots; k++) decays(d, group, job.pairs, k, fields);
      for (int j = 0; j < group.nslots; j++)
        add_triples<TALLIES>(d, *this, j, group.nslots, fields, energy, shares);
      add_results<UNIT, RINV, GRADIENT, TALLIES>(d, group, fields, energy, shares, job);
    }

    /** Energy of a triple and its derivative with respect to the cosine. */
    template <class D, class V>
    HWY_INLINE void angle(D d, const TripleFields<D> &fields, int j, int k, V cs, V factors, V &e,
                          V &slope) const
    {
      V strength, c_angle, costheta;
      if constexpr (ONE) {
        strength = hn::Set(d, c.triples[0]);
        c_angle = hn::Set(d, c.triples[1]);
        costheta = hn::Set(d, c.triples[2]);
      } else {
        V unused;
        load_triple<VashishtaCoefficients::NTRIPLE>(d, c.triples, c.nelements, fields, j, k,
                                                    strength, c_angle, costheta, unused);
      }
      const V one = hn::Set(d, 1.0), delcs = hn::Sub(cs, costheta);
      const V inverse = hn::Div(one, hn::MulAdd(hn::Mul(c_angle, delcs), delcs, one));
      const V w = hn::Mul(hn::Mul(hn::Mul(strength, factors), delcs), inverse);
      e = hn::Mul(w, delcs);
      slope = hn::Mul(hn::Add(w, w), inverse);
    }

   private:
    template <class D>
    HWY_INLINE void decays(D d, const CenterGroup &group, const PairJob &job, int k,
                           TripleFields<D> &fields) const
    {
      using V = hn::Vec<D>;
      V ux, uy, uz, r, rinv, center, number, cut, gamma;
      const auto real = unit_vectors(d, group, job, k, ux, uy, uz, r, rinv, center, number);
      const V pair = hn::MulAdd(center, hn::Set(d, c.nelements), number);
      if constexpr (ONE) {
        cut = hn::Set(d, c.near[0]);
        gamma = hn::Set(d, c.near[1]);
      } else {
        const hn::Rebind<std::int32_t, D> d32;
        HWY_ALIGN int rows[hn::MaxLanes(D())];
        hn::Store(hn::DemoteTo(d32, pair), d32, rows);
        V unused, unused_too;
        load_rows(d, c.near, rows, VashishtaCoefficients::NNEAR, cut, gamma, unused, unused_too);
        fields.set(k, ELEMENT, number);
        fields.set(k, PAIR, pair);
      }
      const auto inside = hn::And(real, hn::Lt(r, cut));
      const V gap = hn::IfThenElse(inside, hn::Sub(r, cut), hn::Set(d, -1.0));
      const V inverse = hn::Div(hn::Set(d, 1.0), gap), exponent = hn::Mul(gamma, inverse);
      fields.set(k, UNIT, ux);
      fields.set(k, UNIT + 1, uy);
      fields.set(k, UNIT + 2, uz);
      fields.set(k, RINV, rinv);
      fields.set(k, DECAY, hn::IfThenElseZero(inside, hn::Exp(d, exponent)));
      fields.set(k, STEEP, hn::Mul(exponent, inverse));
      for (int dim = 0; dim < 3; dim++) fields.set(k, GRADIENT + dim, hn::Zero(d));
    }
  };

  template <bool ONE, bool FITS>
  void compute_pairs(const VashishtaCoefficients &c, const CenterJob &job)
  {
    with_tallies(job.pairs.tallies, [&](auto tallies) {
      VashishtaPairs<ONE, FITS, decltype(tallies)::value>(c, job).compute();
    });
  }

  void vashishta(const VashishtaCoefficients &c, const CenterJob &job)
  {
    const auto lanes = static_cast<int>(hn::Lanes(DoublesUpTo<8>()));
    if (c.nelements == 1) {
      compute_pairs<true, true>(c, job);
      compute_centers(VashishtaTriples<true>{c}, job);
      return;
    }
    if (c.nelements <= lanes)
      compute_pairs<false, true>(c, job);
    else
      compute_pairs<false, false>(c, job);
    compute_centers(VashishtaTriples<false>{c}, job);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, vashishta, (const VashishtaCoefficients &c, const CenterJob &job), (c, job));

}    // namespace TOFU_NS
#endif
