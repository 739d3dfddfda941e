// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_TERSOFF_STYLE_H
#define LMP_TERSOFF_STYLE_H

#include "centers_style.h"

#include "kernels/manybody/tersoff.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace LAMMPS_NS {

/** A potential of Tersoff on the pool: Base, which is PairTersoff or derives from it, with another
    compute(). */
template <class Base, TOFU_NS::TersoffForm FORM> class TersoffStyle : public CentersStyle<Base> {
 public:
  using CentersStyle<Base>::CentersStyle;

 protected:
  using Param = typename Base::Param;

  /** Of form ZBL: Z_i Z_j e^2/(4 pi epsilon_0), 1/a_ij, ZBLcut, ZBLexpscale. */
  virtual std::array<double, 4> nuclei(const Param &) const { return {0.0, 0.0, 0.0, 0.0}; }

  std::string refused_settings() const override
  {
    return computable ? "" : MOD ? "n, delta or c3 of 0" : "n of 0";
  }

  double cutoff() const override { return longest; }
  void prepare_step() override { all.tags = symmetric ? nullptr : this->tags_as_numbers(); }

  void kernel(const TOFU_NS::CenterJob &job) override { TOFU_NS::tersoff(all, job); }

  void fill_tables() override
  {
    all = TOFU_NS::TersoffCoefficients();
    all.form = FORM;
    all.nelements = this->nelements;
    all.shift = this->shift_flag ? this->shift : 0.0;
    all.exponents = false;
    longest = 0.0;
    symmetric = computable = true;
    for (auto *table : {&cutsq_of_pairs, &pairs, &triples}) table->clear();
    this->for_pairs([&](int i, int j) { add_pair(i, j); });
    this->for_triples([&](int i, int j, int k) { add_triple(this->param(i, j, k)); });
    all.cutsq = cutsq_of_pairs.data();
    all.pairs = pairs.data();
    all.triples = triples.data();
  }

 private:
  static constexpr bool MOD = FORM == TOFU_NS::TersoffForm::MOD;

  TOFU_NS::TersoffCoefficients all;
  std::vector<double> cutsq_of_pairs, pairs, triples;
  double longest = 0.0;      // cut-off of distances that are not shifted
  bool symmetric = true;     // both atoms of a pair agree about its repulsion
  bool computable = true;    // the kernel has all bond orders and angles

  static double inverse(double width) { return width > 0.0 ? 1.0 / width : 0.0; }

  auto repulsion(int i, int j) const
  {
    const Param &p = this->param(i, j, j);
    return std::make_tuple(p.bigr, p.bigd, p.lam1, p.biga, MOD ? p.c0 : 0.0, nuclei(p));
  }

  /** A third atom may reach farther than a second one of the same element. */
  void add_pair(int i, int j)
  {
    const Param &p = this->param(i, j, j);
    if (repulsion(i, j) != repulsion(j, i)) symmetric = false;
    if (p.powern <= 0.0 || (MOD && p.powern_del <= 0.0)) computable = false;
    double cut = 0.0;
    for (int k = 0; k < this->nelements; k++) cut = std::max(cut, this->param(i, k, j).cut);
    cut = std::max(cut - all.shift, 0.0);
    longest = std::max(longest, cut);
    cutsq_of_pairs.push_back(cut * cut);
    for (double c : {p.bigr, p.bigd, inverse(p.bigd), p.lam1, p.biga, p.lam2, p.bigb, p.beta,
                     p.powern, MOD ? p.ca4 : p.c4, MOD ? p.powern_del : 0.0, MOD ? p.c0 : 0.0})
      pairs.push_back(c);
    for (double c : nuclei(p)) pairs.push_back(c);
  }

  void add_triple(const Param &p)
  {
    const double m = p.powermint, csq = p.c * p.c, dsq = p.d * p.d;
    const std::array<double, 8> modified = {p.c1, p.c2, p.c3, p.h, p.c4, p.lam3, m, p.c5},
                                plain = {p.gamma, csq, dsq, p.h, csq / dsq, p.lam3, m, 0.0};
    if (MOD && p.c3 <= 0.0) computable = false;    // the kernel divides by it
    if (p.lam3 != 0.0) all.exponents = true;
    for (double c : MOD ? modified : plain) triples.push_back(c);
    for (double c : {p.bigr, p.bigd, inverse(p.bigd), 0.0}) triples.push_back(c);
  }
};

}    // namespace LAMMPS_NS

#endif
