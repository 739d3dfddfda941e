// SPDX-License-Identifier: GPL-2.0-only

#include "tersoff.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/tersoff.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "center_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Tersoff, Phys. Rev. B 37, 6991 (1988), with the names of LAMMPS' manual.  ONE: there is one
      element.  FORM: of the functions, of which those of styles zbl and mod are other ones. */
  template <bool ONE, TersoffForm FORM> struct Tersoff {
    const TersoffCoefficients &c;

    HWY_INLINE auto cutsq_of(double center) const
    {
      return CutsqOf<ONE>{c.cutsq, c.nelements, center};
    }

    template <Tallies TALLIES, class D>
    HWY_INLINE void compute(D d, const CenterGroup &group, const CenterJob &job) const
    {
      Fields<D> fields(job.memory.fields, group.nslots);
      Terms<D> terms(job.memory.triples, group.nslots);
      TallyShares<D> shares(job, group.nslots);
      hn::Vec<D> energy = hn::Zero(d);
      for (int k = 0; k < group.nslots; k++)
        pairs<TALLIES>(d, group, job.pairs, k, fields, energy, shares);
      for (int j = 0; j < group.nslots; j++)
        bond<TALLIES>(d, group, j, fields, terms, energy, shares);
      add_results<UNIT, RINV, GRADIENT, TALLIES>(d, group, fields, energy, shares, job);
    }

   private:
    enum Field : int {
      UNIT = 0,
      RINV = 3,
      R = 4,     // shifted; very large where there is no neighbor
      FC = 5,    // cut-off function, and its derivative; of the pair
      FC_D = 6,
      GRADIENT = 7,    // of the energy of the center
      ELEMENT = 10,    // number of the element
      PAIR = 11,       // number of the pair of elements
      FA = 12,         // half the attraction, and half its derivative
      FA_D = 13,
      NFIELDS = 14
    };
    template <class D> using Fields = SlotFields<D, NFIELDS>;

    /** Gradients of one bond's zeta, with respect to k or j, in the directions of both. */
    enum Term : int { K_BY_K, K_BY_J, J_BY_J, NTERMS };
    template <class D> using Terms = SlotFields<D, NTERMS>;

    static constexpr double NOWHERE = 1.0e10;    // its powers up to the sixth are finite
    static constexpr double LARGEST_EXPONENT = 69.0776, LARGEST_POWER = 1.0e30;
    static constexpr bool ZBL = FORM == TersoffForm::ZBL, MOD = FORM == TersoffForm::MOD;

    /** Rows of a table. */
    template <class D, class V> static HWY_INLINE void store_rows(D, V numbers, int *rows)
    {
      const hn::Rebind<std::int32_t, D> d32;
      hn::Store(hn::DemoteTo(d32, numbers), d32, rows);
    }

    /** Some columns of a table; if there is one element, it has one row. */
    template <class D, class V>
    static HWY_INLINE void load(D d, const double *table, int n, const int *rows, V &a, V &b, V &e,
                                V &f)
    {
      if constexpr (ONE) {
        a = hn::Set(d, table[0]);
        b = hn::Set(d, table[1]);
        e = hn::Set(d, table[2]);
        f = hn::Set(d, table[3]);
      } else {
        load_rows(d, table, rows, n, a, b, e, f);
      }
    }

    /** From 1 to 0 between R-D and R+D, and its derivative. */
    template <class D, class V>
    static HWY_INLINE void cut_off(D d, V r, V center, V width, V inverse_width, V &fc, V &fc_d)
    {
      const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
      const auto inner = hn::Lt(r, hn::Sub(center, width));
      const auto between = hn::AndNot(inner, hn::Le(r, hn::Add(center, width)));
      fc = hn::IfThenElseZero(inner, one);
      fc_d = hn::Zero(d);
      if (hn::AllFalse(d, between)) return;
      const V scale = hn::Mul(hn::Set(d, 1.5707963267948966), inverse_width);
      const V angle = hn::IfThenElseZero(between, hn::Mul(hn::Sub(r, center), scale));
      const V sine = hn::Sin(d, angle), cosine = hn::Cos(d, angle);
      V inside = hn::NegMulAdd(half, sine, half), slope = hn::Mul(hn::Mul(half, scale), cosine);
      if constexpr (MOD) {    // 1/2 - 9/16 sin(x) - 1/16 sin(3x), as powers of sin(x) and cos(x)
        const V rest = hn::Sub(one, sine);
        inside =
            hn::Mul(hn::Mul(hn::Set(d, 0.25), hn::Mul(rest, rest)), hn::Add(sine, hn::Set(d, 2.0)));
        slope = hn::Mul(hn::Mul(hn::Set(d, 0.75), scale), hn::Mul(cosine, hn::Mul(cosine, cosine)));
      }
      fc = hn::IfThenElse(between, inside, fc);
      fc_d = hn::IfThenElseZero(between, hn::Neg(slope));
    }

    /** Repulsion of screened nuclei, and its derivative: Ziegler, Biersack and Littmark (1985). */
    template <class D, class V>
    static HWY_INLINE void nuclei(D d, V r, V charges, V inverse_length, V &energy, V &energy_d)
    {
      const double weights[] = {0.1818, 0.5099, 0.2802, 0.02817};
      const double decays[] = {3.2, 0.9423, 0.4029, 0.2016};
      V phi = hn::Zero(d), phi_d = phi;
      for (int k = 0; k < 4; k++) {
        const V rate = hn::Mul(hn::Set(d, decays[k]), inverse_length);
        const V term = hn::Mul(hn::Set(d, weights[k]), hn::Exp(d, hn::Neg(hn::Mul(rate, r))));
        phi = hn::Add(phi, term);
        phi_d = hn::NegMulAdd(rate, term, phi_d);
      }
      const V rinv = hn::Div(hn::Set(d, 1.0), r), strength = hn::Mul(charges, rinv);
      energy = hn::Mul(strength, phi);
      energy_d = hn::Mul(strength, hn::NegMulAdd(rinv, phi, phi_d));
    }

    /** Near nuclei repel each other only, and the Fermi function leads over to Tersoff's energies.

        \param reach   distance beyond which the pair has no energy
        \param fc      multiplied by the Fermi function; fc_d is the derivative of the product
        \param rest    energy of the nuclei, of which the Fermi function leaves the rest; rest_d is
                       its derivative */
    template <class D, class V>
    HWY_INLINE void blend(D d, const int *rows, V r, V reach, V &fc, V &fc_d, V &rest,
                          V &rest_d) const
    {
      V charges, inverse_length, middle, steepness;
      load(d, c.pairs + 12, TersoffCoefficients::NPAIR, rows, charges, inverse_length, middle,
           steepness);
      V energy, energy_d;
      nuclei(d, r, charges, inverse_length, energy, energy_d);
      const V one = hn::Set(d, 1.0), largest = hn::Set(d, 700.0);    // exp() of it is finite
      const V ex = hn::Exp(d, hn::Min(hn::Mul(steepness, hn::Sub(middle, r)), largest));
      const V share = hn::Div(one, hn::Add(one, ex)), others = hn::Mul(ex, share);
      const V share_d = hn::Mul(steepness, hn::Mul(share, others));
      const auto inside = hn::Lt(r, reach);    // no cut-off function ends it
      rest = hn::IfThenElseZero(inside, hn::Mul(others, energy));
      rest_d = hn::IfThenElseZero(inside, hn::MulSub(others, energy_d, hn::Mul(share_d, energy)));
      fc_d = hn::MulAdd(fc_d, share, hn::Mul(fc, share_d));
      fc = hn::Mul(fc, share);
    }

    /** Repulsion, and all other values that depend on one neighbor. */
    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void pairs(D d, const CenterGroup &group, const PairJob &job, int k,
                          Fields<D> &fields, V &energy, TallyShares<D> &shares) const
    {
      V ux, uy, uz, r, rinv, center, number;
      const auto real = unit_vectors(d, group, job, k, ux, uy, uz, r, rinv, center, number);
      r = hn::IfThenElse(real, hn::Add(r, hn::Set(d, c.shift)), hn::Set(d, NOWHERE));

      HWY_ALIGN int rows[hn::MaxLanes(D())];
      const V pair = hn::MulAdd(center, hn::Set(d, c.nelements), number);
      if constexpr (!ONE) store_rows(d, pair, rows);
      constexpr int N = TersoffCoefficients::NPAIR;
      V middle, width, inverse_width, lambda1, a, lambda2, b, unused;
      load(d, c.pairs, N, rows, middle, width, inverse_width, lambda1);
      load(d, c.pairs + 4, N, rows, a, lambda2, b, unused);

      V fc, fc_d;
      [[maybe_unused]] V rest, rest_d;    // repulsion that is no part of the exponential function
      cut_off(d, r, middle, width, inverse_width, fc, fc_d);
      fields.set(k, UNIT, ux);
      fields.set(k, UNIT + 1, uy);
      fields.set(k, UNIT + 2, uz);
      fields.set(k, RINV, rinv);
      fields.set(k, R, r);
      fields.set(k, FC, fc);
      fields.set(k, FC_D, fc_d);
      fields.set(k, ELEMENT, number);
      fields.set(k, PAIR, pair);
      if constexpr (ZBL) blend(d, rows, r, hn::Add(middle, width), fc, fc_d, rest, rest_d);
      if constexpr (MOD) {
        V constant, unused_too;
        load(d, c.pairs + 8, N, rows, unused, unused_too, unused, constant);
        rest = hn::Mul(constant, fc);
        rest_d = hn::Mul(constant, fc_d);
      }

      const V half_b =
          hn::Mul(hn::Mul(hn::Set(d, 0.5), b), hn::Exp(d, hn::Neg(hn::Mul(lambda2, r))));
      fields.set(k, FA, hn::Neg(hn::Mul(half_b, fc)));
      fields.set(k, FA_D, hn::Mul(half_b, hn::MulSub(lambda2, fc, fc_d)));

      V weight = hn::Set(d, 0.5);
      if (c.tags) weight = whole_weights(d, group, k, c.tags, ux, uy, uz);
      const V repulsion = hn::Mul(hn::Mul(weight, a), hn::Exp(d, hn::Neg(hn::Mul(lambda1, r))));
      V slope = hn::Mul(repulsion, hn::NegMulAdd(lambda1, fc, fc_d));
      if constexpr (ZBL || MOD) slope = hn::MulAdd(weight, rest_d, slope);
      fields.set(k, GRADIENT, hn::Mul(slope, ux));
      fields.set(k, GRADIENT + 1, hn::Mul(slope, uy));
      fields.set(k, GRADIENT + 2, hn::Mul(slope, uz));
      if constexpr (TALLIES == Tallies::ALL) {
        V mine = hn::Mul(repulsion, fc);
        if constexpr (ZBL || MOD) mine = hn::MulAdd(weight, rest, mine);
        energy = hn::Add(energy, mine);
        if (shares.wanted())
          shares.template add_pair<UNIT>(fields, k, mine, hn::Div(hn::Set(d, 1.0), rinv), slope);
      }
    }

    /** exp(lambda3^m (rij-rik)^m) and its derivative with respect to rij. */
    template <class D, class V>
    static HWY_INLINE void exponential(D d, V difference, V lambda3, V m, V &ex, V &ex_d)
    {
      const auto cubic = hn::Gt(m, hn::Set(d, 2.0));
      const V one = hn::Mul(lambda3, difference), square = hn::Mul(one, one);
      const V exponent = hn::IfThenElse(cubic, hn::Mul(square, one), one);
      const V limit = hn::Set(d, LARGEST_EXPONENT);
      ex = hn::Exp(d, hn::Min(hn::Max(exponent, hn::Neg(limit)), limit));
      ex = hn::IfThenElse(hn::Gt(exponent, limit), hn::Set(d, LARGEST_POWER), ex);
      ex = hn::IfThenElse(hn::Lt(exponent, hn::Neg(limit)), hn::Zero(d), ex);
      const V slope =
          hn::IfThenElse(cubic, hn::Mul(hn::Mul(hn::Set(d, 3.0), lambda3), square), lambda3);
      ex_d = hn::Mul(slope, ex);
    }

    /** g(theta) and its derivative with respect to cos(theta), of a row of triples. */
    template <class D, class V>
    HWY_INLINE void angular(D d, const int *rows, V cs, V &g, V &g_d, V &lambda3, V &m) const
    {
      constexpr int N = TersoffCoefficients::NTRIPLE;
      const V one = hn::Set(d, 1.0), minus_two = hn::Set(d, -2.0);
      if constexpr (MOD) {
        V c1, c2, c3, h, c4, c5;
        load(d, c.triples, N, rows, c1, c2, c3, h);
        load(d, c.triples + 4, N, rows, c4, lambda3, m, c5);
        const V x = hn::Sub(h, cs), x2 = hn::Mul(x, x);
        const V inverse = hn::Div(one, hn::Add(c3, x2));
        const V part = hn::Mul(c4, hn::Exp(d, hn::Neg(hn::Mul(c5, x2))));
        const V whole = hn::Add(one, part), strength = hn::Mul(c2, inverse);
        g = hn::MulAdd(hn::Mul(strength, x2), whole, c1);
        const V slope = hn::MulSub(hn::Mul(c3, inverse), whole, hn::Mul(hn::Mul(x2, c5), part));
        g_d = hn::Mul(hn::Mul(minus_two, hn::Mul(strength, x)), slope);
      } else {    // gamma (1 + c^2/d^2 - c^2/(d^2 + x^2)), without cancellation
        V gamma, c2, d2, h, c2_d2, unused;
        load(d, c.triples, N, rows, gamma, c2, d2, h);
        load(d, c.triples + 4, N, rows, c2_d2, lambda3, m, unused);
        const V x = hn::Sub(h, cs), x2 = hn::Mul(x, x);
        const V inverse = hn::Div(one, hn::Add(d2, x2));
        g = hn::MulAdd(hn::Mul(gamma, c2_d2), hn::Mul(x2, inverse), gamma);
        g_d =
            hn::Mul(minus_two, hn::Mul(hn::Mul(hn::Mul(gamma, c2), hn::Mul(x, inverse)), inverse));
      }
    }

    /** Contribution of neighbor k to zeta, and its gradients.  Each gradient, with respect to k or
        to j, has a component in the direction of k and one in the direction of j. */
    template <class D, class V>
    HWY_INLINE void zeta_term(D d, const Fields<D> &fields, int j, int k, V cs, V &zeta, V &k_by_k,
                              V &k_by_j, V &j_by_k, V &j_by_j) const
    {
      HWY_ALIGN int rows[hn::MaxLanes(D())];
      if constexpr (!ONE)
        store_rows(d,
                   hn::MulAdd(fields.get(j, PAIR), hn::Set(d, c.nelements), fields.get(k, ELEMENT)),
                   rows);
      V g, g_d, lambda3, m;
      angular(d, rows, cs, g, g_d, lambda3, m);

      V fc = fields.get(k, FC), fc_d = fields.get(k, FC_D);
      if constexpr (!ONE) {    // LAMMPS takes the values of the triple, not those of its third atom
        V middle, width, inverse_width, unused;
        load(d, c.triples + 8, TersoffCoefficients::NTRIPLE, rows, middle, width, inverse_width,
             unused);
        cut_off(d, fields.get(k, R), middle, width, inverse_width, fc, fc_d);
      }

      V turn = hn::Mul(g_d, fc);
      V radial = hn::Mul(fc_d, g), stretch = hn::Zero(d);
      zeta = hn::Mul(fc, g);
      if (c.exponents) {
        V ex, ex_d;
        exponential(d, hn::Sub(fields.get(j, R), fields.get(k, R)), lambda3, m, ex, ex_d);
        stretch = hn::Mul(zeta, ex_d);
        zeta = hn::Mul(zeta, ex);
        turn = hn::Mul(turn, ex);
        radial = hn::Mul(radial, ex);
      }
      k_by_j = hn::Mul(turn, fields.get(k, RINV));
      k_by_k = hn::Sub(hn::NegMulAdd(k_by_j, cs, radial), stretch);
      j_by_k = hn::Mul(turn, fields.get(j, RINV));
      j_by_j = hn::NegMulAdd(j_by_k, cs, stretch);
    }

    /** b = (1 + (beta zeta)^n)^(-1/2n) and its derivative.  MOD has a power delta of its own
        instead of the last n. */
    template <class D, class V> HWY_INLINE void bond_order(D d, V pair, V zeta, V &b, V &b_d) const
    {
      HWY_ALIGN int rows[hn::MaxLanes(D())];
      if constexpr (!ONE) store_rows(d, pair, rows);
      constexpr int N = TersoffCoefficients::NPAIR;
      V a, lambda2, strength, beta, n, least, delta, unused;
      load(d, c.pairs + 4, N, rows, a, lambda2, strength, beta);
      load(d, c.pairs + 8, N, rows, n, least, delta, unused);
      if constexpr (!MOD) delta = n;

      // beyond the largest exponent (1 + y)^(1/n) is y^(1/n) in all digits

      const V one = hn::Set(d, 1.0), beta_zeta = hn::Mul(beta, zeta);
      const auto some = hn::Ge(beta_zeta, least);
      const V exponent = hn::Mul(n, hn::Log(d, hn::IfThenElse(some, beta_zeta, one)));
      const V limit = hn::Set(d, LARGEST_EXPONENT);
      const V y = hn::Exp(d, hn::Min(exponent, limit)), sum = hn::Add(one, y);
      const V log_of_sum = hn::IfThenElse(hn::Gt(exponent, limit), exponent, hn::Log(d, sum));
      const V minus_half = hn::Set(d, -0.5);
      b = hn::IfThenElse(some, hn::Exp(d, hn::Div(hn::Mul(minus_half, log_of_sum), delta)), one);
      b_d = hn::IfThenElseZero(some,
                               hn::Div(hn::Mul(hn::Mul(minus_half, b), y),
                                       hn::Mul(sum, hn::IfThenElse(some, zeta, one))));
      if constexpr (MOD) b_d = hn::Mul(b_d, hn::Div(n, delta));
    }

    /** The bond that the center has with neighbor j, which all others weaken. */
    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void bond(D d, const CenterGroup &group, int j, Fields<D> &fields, Terms<D> &terms,
                         V &energy, TallyShares<D> &shares) const
    {
      const V jx = fields.get(j, UNIT), jy = fields.get(j, UNIT + 1), jz = fields.get(j, UNIT + 2);
      V zeta = hn::Zero(d), along_j = zeta, gx = zeta, gy = zeta, gz = zeta;
      for (int k = 0; k < group.nslots; k++) {
        if (k == j) continue;
        const V kx = fields.get(k, UNIT), ky = fields.get(k, UNIT + 1),
                kz = fields.get(k, UNIT + 2);
        const V cs = hn::MulAdd(jx, kx, hn::MulAdd(jy, ky, hn::Mul(jz, kz)));
        V term, k_by_k, k_by_j, j_by_k, j_by_j;
        zeta_term(d, fields, j, k, cs, term, k_by_k, k_by_j, j_by_k, j_by_j);
        zeta = hn::Add(zeta, term);
        along_j = hn::Add(along_j, j_by_j);
        gx = hn::MulAdd(j_by_k, kx, gx);
        gy = hn::MulAdd(j_by_k, ky, gy);
        gz = hn::MulAdd(j_by_k, kz, gz);
        terms.set(k, K_BY_K, k_by_k);
        terms.set(k, K_BY_J, k_by_j);
        if constexpr (TALLIES == Tallies::ALL) terms.set(k, J_BY_J, j_by_j);
      }

      V b, b_d;
      bond_order(d, fields.get(j, PAIR), zeta, b, b_d);
      const V fa = fields.get(j, FA), weight = hn::Mul(fa, b_d);
      const V slope = hn::Mul(b, fields.get(j, FA_D));
      if constexpr (TALLIES == Tallies::ALL) {
        const V mine = hn::Mul(b, fa);
        energy = hn::Add(energy, mine);
        if (shares.wanted()) share_bond(group, j, fields, terms, mine, slope, weight, shares);
      }

      const V radial = hn::MulAdd(weight, along_j, slope);
      add_to(fields, j, GRADIENT, weight, gx, radial, jx);
      add_to(fields, j, GRADIENT + 1, weight, gy, radial, jy);
      add_to(fields, j, GRADIENT + 2, weight, gz, radial, jz);
      for (int k = 0; k < group.nslots; k++) {
        if (k == j) continue;
        const V by_k = hn::Mul(weight, terms.get(k, K_BY_K)),
                by_j = hn::Mul(weight, terms.get(k, K_BY_J));
        add_to(fields, k, GRADIENT, by_j, jx, by_k, fields.get(k, UNIT));
        add_to(fields, k, GRADIENT + 1, by_j, jy, by_k, fields.get(k, UNIT + 1));
        add_to(fields, k, GRADIENT + 2, by_j, jz, by_k, fields.get(k, UNIT + 2));
      }
    }

    /** Each bond as a pair, and the forces of its order as triples without energy.

        \param slope    derivative of the energy where the bond order stays
        \param weight   derivative of the energy with respect to zeta */
    template <class D, class V>
    HWY_NOINLINE static void share_bond(const CenterGroup &group, int j, const Fields<D> &fields,
                                        const Terms<D> &terms, V energy, V slope, V weight,
                                        TallyShares<D> &shares)
    {
      const V one = hn::Set(D(), 1.0), r = hn::Div(one, fields.get(j, RINV)), zero = hn::Zero(D());
      shares.template add_pair<UNIT>(fields, j, energy, r, slope);
      for (int k = 0; k < group.nslots; k++) {
        if (k == j) continue;
        const V scale = hn::Div(weight, fields.get(k, RINV));
        shares.template add_triple<UNIT>(
            fields, j, k, zero, hn::Mul(hn::Mul(weight, r), terms.get(k, J_BY_J)),
            hn::Mul(scale, terms.get(k, K_BY_K)), hn::Mul(scale, terms.get(k, K_BY_J)));
      }
    }

    template <class F, class V>
    static HWY_INLINE void add_to(F &fields, int k, int field, V a, V x, V b, V y)
    {
      fields.set(k, field, hn::MulAdd(a, x, hn::MulAdd(b, y, fields.get(k, field))));
    }
  };

  template <TersoffForm FORM> void compute_form(const TersoffCoefficients &c, const CenterJob &job)
  {
    if (c.nelements == 1)
      compute_centers(Tersoff<true, FORM>{c}, job);
    else
      compute_centers(Tersoff<false, FORM>{c}, job);
  }

  void tersoff(const TersoffCoefficients &c, const CenterJob &job)
  {
    switch (c.form) {
      case TersoffForm::PLAIN:
        compute_form<TersoffForm::PLAIN>(c, job);
        break;
      case TersoffForm::ZBL:
        compute_form<TersoffForm::ZBL>(c, job);
        break;
      case TersoffForm::MOD:
        compute_form<TersoffForm::MOD>(c, job);
        break;
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, tersoff, (const TersoffCoefficients &c, const CenterJob &job), (c, job));

}    // namespace TOFU_NS
#endif
