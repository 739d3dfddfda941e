// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_SW_STYLE_H
#define LMP_SW_STYLE_H

#include "centers_style.h"

#include "kernels/manybody/sw.h"

#include <string>
#include <tuple>
#include <vector>

namespace LAMMPS_NS {

/** A potential of Stillinger and Weber on the pool: Base, which is PairSW or derives from it, with
    another compute(). */
template <class Base> class SWStyle : public CentersStyle<Base> {
 public:
  using CentersStyle<Base>::CentersStyle;

  /** Without three-body terms it is a pair potential with a half list. */
  void init_style() override
  {
    Base::init_style();
    if (!this->skip_threebody_flag) this->on_pool.adjust_request(this);
    this->stale = true;
  }

 protected:
  /** Set what differs from PairSW, when the tables are filled. */
  virtual void modify(TOFU_NS::SWCoefficients &) const {}

  std::string refused_settings() const override
  {
    return this->skip_threebody_flag ? "threebody off" : "";
  }

  void prepare_step() override { all.tags = symmetric ? nullptr : this->tags_as_numbers(); }

  void kernel(const TOFU_NS::CenterJob &job) override { TOFU_NS::stillinger_weber(all, job); }

  void fill_tables() override
  {
    symmetric = true;
    for (auto *table : {&cutsq_of_pairs, &pairs, &triples}) table->clear();
    auto two_body = [&](int i, int j) {
      const Param &p = this->param(i, j, j);
      return std::make_tuple(p.cutsq, p.cut, p.sigma, p.powerp, p.powerq, p.c5, p.c6);
    };
    this->for_pairs([&](int i, int j) {
      const Param &p = this->param(i, j, j);
      if (two_body(i, j) != two_body(j, i)) symmetric = false;
      cutsq_of_pairs.push_back(p.cutsq);
      for (double c : {p.cut, p.sigma, p.sigma_gamma, p.powerp, p.powerq, p.c5, p.c6, 0.0})
        pairs.push_back(c);
    });
    this->for_triples([&](int i, int j, int k) {
      const Param &p = this->param(i, j, k);
      for (double c : {p.lambda_epsilon, p.costheta, 0.0, 0.0}) triples.push_back(c);
    });
    all = {this->nelements, cutsq_of_pairs.data(),        pairs.data(),
           triples.data(),  common_power(&Param::powerp), common_power(&Param::powerq)};
    modify(all);
  }

 private:
  using Param = typename Base::Param;

  static constexpr double LARGEST_POWER = 16.0;    // that is computed by multiplications

  TOFU_NS::SWCoefficients all;
  std::vector<double> cutsq_of_pairs, pairs, triples;
  bool symmetric = true;    // both atoms of a pair agree about its energy

  /** \return   power of all pairs, -1 if they differ or it is none that multiplications give. */
  int common_power(double Param::*power) const
  {
    const double first = this->param(0, 0, 0).*power;
    bool common = first >= 0.0 && first <= LARGEST_POWER && first == static_cast<int>(first);
    this->for_pairs([&](int i, int j) { common = common && this->param(i, j, j).*power == first; });
    return common ? static_cast<int>(first) : -1;
  }
};

}    // namespace LAMMPS_NS

#endif
