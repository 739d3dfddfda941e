// SPDX-License-Identifier: GPL-2.0-only

#include "pencil_fft.h"

#include "field_arrays.h"
#include "half_fft.h"
#include "mesh/exchange/mesh_exchange.h"
#include "pencil_plan.h"

namespace TOFU_NS {

namespace {

  template <class Real> class PencilFft : public DistributedFft<Real> {
   public:
    explicit PencilFft(const MeshGeometry &geometry) :
        PencilFft(geometry, plan_pencils(geometry, sizeof(Real)))
    {
    }

    const char *name() const override { return "pencil"; }
    int half_dim() const override { return half_dim_; }
    const MeshLayout &spectrum() const override { return layouts_.back(); }
    void add_traffic(int nfields, std::vector<std::size_t> &nbytes) const override;
    void bind(Transport &transport) override;
    void forward(const Real *density, Real *spectrum, const Parts &parts) override;
    void inverse(int nfields, Real *const *spectra, Real *const *fields,
                 const Parts &parts) override;

   private:
    struct Stage {    // after the first
      MeshExchange there, back;
      BoxFft<Real> forward, backward;
    };

    PencilFft(const MeshGeometry &geometry, const PencilPlan &plan);
    void add_stage(const MeshGeometry &geometry, const PencilStage &before,
                   const PencilStage &stage);
    const Real *sum_of_images(const Real *density);
    Real *const *room(int nfields, std::size_t stage);

    int half_dim_;
    std::size_t nreals_;                 // of this rank's pencils, before the first transform
    std::vector<MeshLayout> layouts_;    // [stages] of this rank
    MeshExchange from_boxes_, to_boxes_;
    HalfFft<Real> first_;
    std::vector<Stage> later_;
    FieldArrays<Real> reals_, spectra_[2];
  };

  /* ---------------------------------------------------------------------- */

  template <class Real>
  PencilFft<Real>::PencilFft(const MeshGeometry &geometry, const PencilPlan &plan) :
      half_dim_(plan.half_dim), nreals_(plan.reals[geometry.me].box.npoints()),
      from_boxes_(geometry.me, geometry.npoints, layouts_xyz(geometry.boxes), plan.reals),
      to_boxes_(geometry.me, geometry.npoints, plan.reals, layouts_xyz(geometry.boxes)),
      first_(plan.reals[geometry.me], plan.stages[0].layouts[geometry.me], plan.stages[0].dims)
  {
    for (const PencilStage &stage : plan.stages) layouts_.push_back(stage.layouts[geometry.me]);
    for (std::size_t s = 1; s < plan.stages.size(); s++)
      add_stage(geometry, plan.stages[s - 1], plan.stages[s]);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PencilFft<Real>::add_stage(const MeshGeometry &geometry, const PencilStage &before,
                                  const PencilStage &stage)
  {
    const int me = geometry.me;
    later_.push_back({MeshExchange(me, geometry.npoints, before.layouts, stage.layouts),
                      MeshExchange(me, geometry.npoints, stage.layouts, before.layouts),
                      BoxFft<Real>(FftDirection::FORWARD, stage.layouts[me], stage.dims),
                      BoxFft<Real>(FftDirection::BACKWARD, stage.layouts[me], stage.dims)});
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PencilFft<Real>::add_traffic(int nfields, std::vector<std::size_t> &nbytes) const
  {
    from_boxes_.add_traffic(sizeof(Real), nbytes);
    to_boxes_.add_traffic(nfields * sizeof(Real), nbytes);
    for (const Stage &stage : later_) {
      stage.there.add_traffic(2 * sizeof(Real), nbytes);
      stage.back.add_traffic(nfields * 2 * sizeof(Real), nbytes);
    }
  }

  /* ---------------------------------------------------------------------- */

  template <class Real> void PencilFft<Real>::bind(Transport &transport)
  {
    from_boxes_.bind(transport);
    to_boxes_.bind(transport);
    for (Stage &stage : later_) {
      stage.there.bind(transport);
      stage.back.bind(transport);
    }
  }

  /* ----------------------------------------------------------------------
     spectra of a stage that is not the last; the next stage's are elsewhere
  ------------------------------------------------------------------------- */

  template <class Real> Real *const *PencilFft<Real>::room(int nfields, std::size_t stage)
  {
    return spectra_[stage % 2].room(nfields, 2 * layouts_[stage].box.npoints());
  }

  /* ---------------------------------------------------------------------- */

  template <class Real> const Real *PencilFft<Real>::sum_of_images(const Real *density)
  {
    if (from_boxes_.identity()) return density;
    Real *const *const sum = reals_.room(1, nreals_);
    std::fill(sum[0], sum[0] + nreals_, Real(0));
    from_boxes_.add(1, 1, &density, sum);
    return sum[0];
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PencilFft<Real>::forward(const Real *density, Real *spectrum, const Parts &parts)
  {
    const Real *reals = sum_of_images(density);
    Real *const *now = later_.empty() ? &spectrum : room(1, 0);
    first_.forward(reals, now[0], parts);
    for (std::size_t s = 0; s < later_.size(); s++) {
      Real *const *const next = s + 1 == later_.size() ? &spectrum : room(1, s + 1);
      later_[s].there.copy(1, 2, now, next);
      later_[s].forward.run(next[0], parts_for_points(parts, layouts_[s + 1].box.npoints()));
      now = next;
    }
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PencilFft<Real>::inverse(int nfields, Real *const *spectra, Real *const *fields,
                                const Parts &parts)
  {
    Real *const *now = spectra;
    for (std::size_t s = later_.size(); s-- > 0;) {
      const Parts some = parts_for_points(parts, layouts_[s + 1].box.npoints());
      for (int field = 0; field < nfields; field++) later_[s].backward.run(now[field], some);
      Real *const *const next = room(nfields, s);
      later_[s].back.copy(nfields, 2, now, next);
      now = next;
    }
    const bool in_place = to_boxes_.identity();
    Real *const *const reals = in_place ? fields : reals_.room(nfields, nreals_);
    for (int field = 0; field < nfields; field++) first_.backward(now[field], reals[field], parts);
    if (!in_place) to_boxes_.copy(nfields, 1, reals, fields);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
std::unique_ptr<DistributedFft<Real>> make_pencil_fft(const MeshGeometry &geometry)
{
  return std::make_unique<PencilFft<Real>>(geometry);
}

template std::unique_ptr<DistributedFft<double>> make_pencil_fft(const MeshGeometry &);
template std::unique_ptr<DistributedFft<float>> make_pencil_fft(const MeshGeometry &);

}    // namespace TOFU_NS
