// SPDX-License-Identifier: GPL-2.0-only

#include "meam.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/meam_screening.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Baskes, Mater. Chem. Phys. 50, 152 (1997): atom k screens the pair i, j by the ellipse through
      it with i-j as one axis. */
  class MEAMScreening {
   public:
    MEAMScreening(const MEAMTables &tables, const PairJob &job, const MEAMFullRows &full,
                  MEAMPairs &pairs) :
        tables_(tables),
        job_(job), full_(full), pairs_(pairs),
        per_shell_(NSHELLS / std::min(tables.reach, 4.0 * tables.cutoff * tables.cutoff))
    {
    }

    void rows(int first, int last)
    {
      make_room(first, last);
      for (int n = first; n < last; n++) row(job_.list.atoms[n]);
      fill_last_vector();
    }

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr int MOST = static_cast<int>(hn::MaxLanes(D()));
    static constexpr int NSHELLS = 64;
    static constexpr double NOTHING = 1e-20;    // LAMMPS takes what is less for 0

    const MEAMTables &tables_;
    const PairJob &job_;
    const MEAMFullRows &full_;
    MEAMPairs &pairs_;
    const double per_shell_;    // shells per square of a distance

    // third atoms, those of a shell together; columns of MEAMPairs::near

    double *x_ = nullptr, *y_ = nullptr, *z_ = nullptr, *rsq_ = nullptr;
    int *atom_ = nullptr, *element_ = nullptr;
    int shell_end_[NSHELLS];

    struct {    // third atoms that screen the pair at hand in part
      int n = 0;
      double *iksq = nullptr, *jksq = nullptr, *cmin = nullptr, *width = nullptr;
      int *third = nullptr;
    } partial_;

    const double *own_row(int i) const { return job_.atoms.rows + 4 * static_cast<std::size_t>(i); }

    void make_room(int first, int last)
    {
      std::size_t npairs = MOST, most = 0;
      for (int n = first; n < last; n++) {
        const int i = job_.list.atoms[n];
        npairs += job_.list.nneighbors[i];
        most = std::max<std::size_t>(most, std::max(full_.nneighbors[i], job_.list.nneighbors[i]));
      }
      for (AlignedArray<int> *column : {&pairs_.i, &pairs_.j, &pairs_.ielement, &pairs_.jelement})
        column->room(npairs);
      for (AlignedArray<double> *column :
           {&pairs_.delx, &pairs_.dely, &pairs_.delz, &pairs_.r, &pairs_.screening, &pairs_.slope,
            &pairs_.scale, &pairs_.pull})
        column->room(npairs);
      pairs_.n = pairs_.ntriples = 0;

      const std::size_t size = (most + 2 * MOST) / MOST * MOST;    // of a column
      double *column = pairs_.near.room(12 * size);
      for (double **to : {&x_, &y_, &z_, &rsq_, &partial_.iksq, &partial_.jksq, &partial_.cmin,
                          &partial_.width}) {
        *to = column;
        column += size;
      }
      unsorted_ = column;    // four of them
      int *numbers = pairs_.near_numbers.room(5 * size);
      for (int **to : {&atom_, &element_, &partial_.third, &unsorted_atom_, &pair_}) {
        *to = numbers;
        numbers += size;
      }
    }

    double *unsorted_ = nullptr;
    int *unsorted_atom_ = nullptr, *pair_ = nullptr;

    void row(int i)
    {
      const double *const own = own_row(i);
      const int ielement = static_cast<int>(own[3]);
      if (own[3] < 0.0) return;
      find_thirds(i, own);
      const int n = find_pairs(i, own);
      for (int k = 0; k < n; k++) {
        const int j = pair_[k];
        const double *const other = own_row(j);
        const double delx = other[0] - own[0], dely = other[1] - own[1], delz = other[2] - own[2];
        const double rsq = delx * delx + dely * dely + delz * delz;
        const int jelement = static_cast<int>(other[3]);
        if (is_screened(ielement, jelement, delx, dely, delz, rsq)) continue;
        const int at = pairs_.n;
        pairs_.i.data()[at] = i;
        pairs_.j.data()[at] = j;
        pairs_.ielement.data()[at] = ielement;
        pairs_.jelement.data()[at] = jelement;
        pairs_.delx.data()[at] = delx;
        pairs_.dely.data()[at] = dely;
        pairs_.delz.data()[at] = delz;
        pairs_.scale.data()[at] = tables_.scale ? tables_.scale[tables_.type[i]][tables_.type[j]]
                                                : 1.0;
        finish_pair(rsq);
      }
    }

    /** The neighbors within the cut-off.

      \return   # of them. */
    int find_pairs(int i, const double *own)
    {
      const int *const neighbors = job_.list.first[i];
      const double cutsq = tables_.cutoff * tables_.cutoff;
      int found = 0;
      for (int k = 0; k < job_.list.nneighbors[i]; k++) {
        const int j = static_cast<int>(neighbors[k] & NEIGHBOR_MASK);
        const double *const other = own_row(j);
        const double delx = other[0] - own[0], dely = other[1] - own[1], delz = other[2] - own[2];
        const double rsq = delx * delx + dely * dely + delz * delz;
        pair_[found] = j;
        found += static_cast<int>(rsq < cutsq) & static_cast<int>(other[3] >= 0.0);
      }
      return found;
    }

    /** The neighbors that may be third atoms, in shells of growing distance: the first of them
        screen most, and far ones are out of reach of near pairs. */
    void find_thirds(int i, const double *own)
    {
      const int *const neighbors = full_.first[i];
      const int n = full_.nneighbors[i];
      int found = 0;
      int counts[NSHELLS] = {};
      for (int k = 0; k < n; k++) {
        const int atom = static_cast<int>(neighbors[k] & NEIGHBOR_MASK);
        const double *const other = own_row(atom);
        const double delx = other[0] - own[0], dely = other[1] - own[1], delz = other[2] - own[2];
        const double rsq = delx * delx + dely * dely + delz * delz;
        double *const to = unsorted_ + 4 * static_cast<std::size_t>(found);
        to[0] = delx;
        to[1] = dely;
        to[2] = delz;
        to[3] = rsq;
        unsorted_atom_[found] = atom;
        const int keep = static_cast<int>(rsq < tables_.reach) & static_cast<int>(other[3] >= 0.0);
        counts[shell_of(rsq)] += keep;
        found += keep;    // without a branch, which could not be predicted
      }
      for (int shell = 0, end = 0; shell < NSHELLS; shell++) {
        shell_end_[shell] = end;    // where the next atom of the shell goes
        end += counts[shell];
      }
      for (int k = 0; k < found; k++) {
        const double *const from = unsorted_ + 4 * static_cast<std::size_t>(k);
        const int to = shell_end_[shell_of(from[3])]++;
        x_[to] = from[0];
        y_[to] = from[1];
        z_[to] = from[2];
        rsq_[to] = from[3];
        atom_[to] = unsorted_atom_[k];
        element_[to] = static_cast<int>(own_row(unsorted_atom_[k])[3]);
      }
      for (int k = found; k < found + MOST; k++) {    // beyond all bounds
        x_[k] = y_[k] = z_[k] = 0.0;
        rsq_[k] = HUGE_VAL;
        element_[k] = 0;
      }
    }

    /** The last shell has all that are beyond it: with Cmax of 1 the bounds of ellipses are
        infinite. */
    int shell_of(double rsq) const
    {
      return static_cast<int>(std::min(NSHELLS - 1.0, rsq * per_shell_));    // also of NaN
    }

    /** Whether a third atom screens the pair; if not, those that do so in part are found.  The
        conditions are those for ratios of squares of distances, times powers of the pair's. */
    bool is_screened(int ielement, int jelement, double delx, double dely, double delz, double rsq)
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d));
      const int both = ielement * tables_.nelements + jelement;
      const double bound = tables_.bound[both] * rsq;
      const double *const cmin = &tables_.cmin[static_cast<std::size_t>(both) * tables_.nelements];
      const double *const cmax = &tables_.cmax[static_cast<std::size_t>(both) * tables_.nelements];
      const int last = shell_end_[shell_of(bound)];
      const V x = hn::Set(d, delx), y = hn::Set(d, dely), z = hn::Set(d, delz);
      const V limit = hn::Set(d, bound), ijsq = hn::Set(d, rsq), ij4 = hn::Set(d, rsq * rsq);
      const V twice = hn::Set(d, 2.0 * rsq), zero = hn::Zero(d);
      partial_.n = 0;
      for (int k = 0; k < last; k += lanes) {
        const V dx = hn::Sub(hn::Load(d, x_ + k), x), dy = hn::Sub(hn::Load(d, y_ + k), y),
                dz = hn::Sub(hn::Load(d, z_ + k), z);
        const V iksq = hn::Load(d, rsq_ + k);
        const V jksq = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
        const V difference = hn::Sub(iksq, jksq);
        const V a = hn::NegMulAdd(difference, difference, ij4);    // of LAMMPS, times ij4
        const auto inside = hn::And(hn::And(hn::Le(jksq, limit), hn::Le(iksq, limit)),
                                    hn::And(hn::Gt(jksq, zero), hn::Gt(a, zero)));
        if (hn::AllFalse(d, inside)) continue;
        const V c = hn::MulAdd(twice, hn::Sub(hn::Add(iksq, jksq), ijsq), a);    // times a
        V least = hn::Set(d, cmin[0]), most = hn::Set(d, cmax[0]);
        if (tables_.nelements > 1) {
          const hn::Rebind<std::int32_t, D> d32;
          const hn::Rebind<std::int64_t, D> d64;
          const auto element = hn::PromoteTo(d64, hn::Load(d32, element_ + k));
          least = hn::GatherIndex(d, cmin, element);
          most = hn::GatherIndex(d, cmax, element);
        }
        if (!hn::AllFalse(d, hn::And(inside, hn::Le(c, hn::Mul(least, a))))) return true;
        const auto partly = hn::And(inside, hn::Lt(c, hn::Mul(most, a)));
        if (!hn::AllFalse(d, partly)) append_partial(k, partly, jksq, cmin, cmax);
      }
      return false;
    }

    HWY_NOINLINE void append_partial(int first, hn::Mask<D> partly, V jksq, const double *cmin,
                                     const double *cmax)
    {
      const D d;
      HWY_ALIGN double squares[MOST];
      std::uint8_t bits[8] = {};
      hn::Store(jksq, d, squares);
      hn::StoreMaskBits(d, partly, bits);
      for (int lane = 0; lane < static_cast<int>(hn::Lanes(d)); lane++) {
        if (!(bits[0] >> lane & 1)) continue;
        const int k = first + lane, element = element_[k];
        partial_.third[partial_.n] = k;
        partial_.iksq[partial_.n] = rsq_[k];
        partial_.jksq[partial_.n] = squares[lane];
        partial_.cmin[partial_.n] = cmin[element];
        partial_.width[partial_.n++] = cmax[element] - cmin[element];
      }
    }

    /** Screening of the pair that has been put behind the last one, and its triples.  It is not
        kept where nothing is left of it. */
    void finish_pair(double rsq)
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d)), at = pairs_.n, ntriples = pairs_.ntriples;
      double screening = 1.0, slope = 0.0;
      if (partial_.n > 0) {
        const std::size_t needed = static_cast<std::size_t>(ntriples) + partial_.n + MOST;
        if (pairs_.by_first.size() < needed) {
          pairs_.by_first.resize(2 * needed);
          pairs_.by_second.resize(2 * needed);
          pairs_.pair.resize(2 * needed);
          pairs_.third.resize(2 * needed);
        }
      }
      for (int k = 0; k < partial_.n; k += lanes)
        add_partial(rsq, k, ntriples + k, screening, slope);

      const double r = std::sqrt(rsq), place = (tables_.cutoff - r) / tables_.width;
      double fade = 1.0, fade_slope = 0.0;
      if (place < 1.0) {
        const double a = 1.0 - place, a3 = a * a * a, rest = 1.0 - a * a3;
        fade = rest * rest;
        fade_slope = 8.0 * rest * a3 / tables_.width;
      }
      if (!(std::abs(screening) >= NOTHING)) return;
      const double product = screening * fade;
      const bool changes = std::abs(product) >= NOTHING && product != 1.0;
      slope = changes ? slope * product - screening * fade_slope / r : 0.0;
      if (std::abs(slope) < NOTHING) slope = 0.0;
      pairs_.r.data()[at] = r;
      pairs_.screening.data()[at] = product;
      pairs_.slope.data()[at] = slope;
      pairs_.n++;
      if (!changes || slope == 0.0) return;
      for (int k = 0; k < partial_.n; k++) {
        pairs_.pair[ntriples + k] = at;
        pairs_.third[ntriples + k] = atom_[partial_.third[k]];
      }
      pairs_.ntriples += partial_.n;
    }

    /** Third atoms from number k: factors of the screening, and derivatives of its logarithm.

        \param slope   gets the sum of those by the distance of the pair, over the distance */
    HWY_NOINLINE void add_partial(double rsq, int k, int triple, double &screening, double &slope)
    {
      const D d;
      const auto some = hn::FirstN(d, partial_.n - k);
      const V one = hn::Set(d, 1.0), four = hn::Set(d, 4.0), two = hn::Set(d, 2.0);
      const V ij = hn::Set(d, rsq), ij4 = hn::Set(d, rsq * rsq);
      const V ik = hn::Load(d, partial_.iksq + k), jk = hn::Load(d, partial_.jksq + k);
      const V width = hn::Load(d, partial_.width + k);
      const V difference = hn::Sub(ik, jk), sum = hn::Add(ik, jk);
      const V differencesq = hn::Mul(difference, difference);
      const V a = hn::NegMulAdd(difference, difference, ij4), ainv = hn::Div(one, a);
      const V c = hn::Mul(hn::MulAdd(hn::Mul(two, ij), hn::Sub(sum, ij), a), ainv);
      const V rest = hn::Sub(one, hn::Div(hn::Sub(c, hn::Load(d, partial_.cmin + k)), width));
      const V rest3 = hn::Mul(rest, hn::Mul(rest, rest)), root = hn::NegMulAdd(rest, rest3, one);
      const V factor = hn::Mul(root, root);
      const V relative = hn::Div(hn::Mul(hn::Set(d, 8.0), rest3), hn::Mul(root, width));
      const V common = hn::Mul(hn::Mul(four, relative), hn::Mul(ainv, ainv));

      const V by_pair =
          hn::MulSub(hn::Mul(two, ij), differencesq, hn::Mul(hn::Add(ij4, differencesq), sum));
      slope += sum_of(d, hn::IfThenElseZero(some, hn::Mul(common, by_pair)));
      HWY_ALIGN double factors[MOST];
      hn::Store(hn::IfThenElse(some, factor, one), d, factors);
      for (int lane = 0; lane < static_cast<int>(hn::Lanes(d)); lane++) screening *= factors[lane];

      const V of_both = hn::Mul(two, hn::Mul(ik, jk)), ik4 = hn::Mul(ik, ik), jk4 = hn::Mul(jk, jk),
              three = hn::Set(d, 3.0);
      const V tilt = hn::Mul(two, hn::Mul(ij, difference)), scaled = hn::Mul(common, ij);
      const V by_first =
          hn::Sub(hn::NegMulAdd(three, jk4, hn::Add(ij4, hn::Add(ik4, of_both))), tilt);
      const V by_second =
          hn::Add(hn::NegMulAdd(three, ik4, hn::Add(ij4, hn::Add(jk4, of_both))), tilt);
      hn::StoreU(hn::Mul(scaled, by_first), d, &pairs_.by_first[triple]);
      hn::StoreU(hn::Mul(scaled, by_second), d, &pairs_.by_second[triple]);
    }

    void fill_last_vector()
    {
      const int nowhere = far_atom();
      for (int k = pairs_.n; k < pairs_.n + MOST; k++) {
        pairs_.i.data()[k] = pairs_.j.data()[k] = nowhere;
        pairs_.ielement.data()[k] = pairs_.jelement.data()[k] = 0;
        pairs_.delx.data()[k] = pairs_.r.data()[k] = 1.0;
        pairs_.dely.data()[k] = pairs_.delz.data()[k] = 0.0;
        pairs_.screening.data()[k] = pairs_.slope.data()[k] = pairs_.scale.data()[k] = 0.0;
      }
    }

    /** The atom that rows end with. */
    int far_atom() const
    {
      if (job_.list.nrows == 0) return 0;
      const int i = job_.list.atoms[0];
      return job_.list.first[i][job_.list.nneighbors[i]];
    }
  };

  void screen(const MEAMTables &tables, const PairJob &job, const MEAMFullRows &full, int first,
              int last, MEAMPairs &pairs)
  {
    MEAMScreening(tables, job, full, pairs).rows(first, last);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(screen);

void meam_screen(const MEAMTables &tables, const PairJob &job, const MEAMFullRows &full, int first,
                 int last, MEAMPairs &pairs)
{
  HWY_DYNAMIC_DISPATCH(screen)(tables, job, full, first, last, pairs);
}

double MEAMPairs::nbytes() const
{
  double bytes = static_cast<double>(near.nbytes() + near_numbers.nbytes());
  for (const AlignedArray<int> *column : {&i, &j, &ielement, &jelement})
    bytes += static_cast<double>(column->nbytes());
  for (const AlignedArray<double> *column :
       {&delx, &dely, &delz, &r, &screening, &slope, &scale, &pull})
    bytes += static_cast<double>(column->nbytes());
  return bytes +
      static_cast<double>(by_first.size()) *
      static_cast<double>(2 * (sizeof(int) + sizeof(double)));
}

}    // namespace TOFU_NS
#endif
