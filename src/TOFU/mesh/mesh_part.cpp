// SPDX-License-Identifier: GPL-2.0-only

#include "mesh_part.h"

#include "own_images.h"

#include <algorithm>

namespace TOFU_NS {

namespace {

  template <class Real> class MeshPartOf : public MeshPart {
   public:
    MeshPartOf(const MeshGeometry &geometry, const FftSettings &settings) :
        geometry_(geometry), choice_(without_own_images(geometry), settings)
    {
    }

    void add_traffic(int nfields, std::vector<std::size_t> &nbytes) const override
    {
      choice_.add_traffic(nfields, nbytes);
    }
    void bind(Transport &transport) override { choice_.bind(transport); }
    bool has_alternatives() const override { return choice_.has_alternatives(); }
    void decide(int nfields, const std::function<double(double)> &max_over_ranks) override
    {
      choice_.decide(nfields, max_over_ranks);
    }
    std::vector<FftTime> times() const override { return choice_.times(); }
    const char *name() override { return choice_.fft().name(); }
    SpectrumShape shape() override
    {
      const DistributedFft<Real> &fft = choice_.fft();
      return {geometry_.npoints, fft.spectrum(), fft.half_dim(), fft.counted()};
    }

    void make_solver(const SpectrumTables &tables, Differentiation differentiation) override
    {
      solver_ =
          std::make_unique<MeshSolver<Real>>(geometry_, choice_.fft(), tables, differentiation);
    }
    void set_stencil(const MeshStencil<double> &stencil, double charge_factor,
                     const std::optional<TriclinicBox> &box) override
    {
      MeshStencil<Real> &to = solver_->stencil;
      to.order = stencil.order;
      std::copy_n(stencil.lo, 3, to.lo);
      std::copy_n(stencil.hi, 3, to.hi);
      std::copy_n(stencil.boxlo, 3, to.boxlo);
      std::copy_n(stencil.delinv, 3, to.delinv);
      for (int l = 0; l < stencil.order; l++) {
        std::copy_n(stencil.rho_coeff[l], stencil.order, to.rho_coeff[l]);
        std::copy_n(stencil.drho_coeff[l], stencil.order, to.drho_coeff[l]);
      }
      solver_->charge_factor = charge_factor;
      solver_->box = box;
    }
    void solve(const MeshRequest &request) override { solver_->solve(request); }
    MeshResults results() override { return solver_->results(); }
    double energy() const override { return solver_->energy(); }
    const std::array<double, 6> &virial() const override { return solver_->virial(); }
    std::vector<double> spectrum_of_charges(const MeshRequest &request) override
    {
      const std::vector<Real> spectrum = solver_->spectrum_of_charges(request);
      return {spectrum.begin(), spectrum.end()};
    }
    GroupSums sum_groups(const std::vector<double> &a, const std::vector<double> &b) const override
    {
      const auto in_precision = [](const std::vector<double> &spectrum) {
        return std::vector<Real>(spectrum.begin(), spectrum.end());
      };
      return solver_->sum_groups(in_precision(a), in_precision(b));
    }
    void transform_only() override { solver_->transform_only(); }
    std::size_t nbytes() const override { return solver_ ? solver_->nbytes() : 0; }

   private:
    const MeshGeometry geometry_;
    FftChoice<Real> choice_;
    std::unique_ptr<MeshSolver<Real>> solver_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
std::unique_ptr<MeshPart> MeshPart::make(const MeshGeometry &geometry, const FftSettings &settings)
{
  return std::make_unique<MeshPartOf<Real>>(geometry, settings);
}

template std::unique_ptr<MeshPart> MeshPart::make<double>(const MeshGeometry &,
                                                          const FftSettings &);
template std::unique_ptr<MeshPart> MeshPart::make<float>(const MeshGeometry &, const FftSettings &);

}    // namespace TOFU_NS
