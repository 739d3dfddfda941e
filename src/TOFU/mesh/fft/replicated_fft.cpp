// SPDX-License-Identifier: GPL-2.0-only

#include "replicated_fft.h"

#include "field_arrays.h"
#include "half_fft.h"
#include "mesh/exchange/exchange_cost.h"

namespace TOFU_NS {

namespace {

  template <class Real> class ReplicatedFft : public DistributedFft<Real> {
   public:
    explicit ReplicatedFft(const MeshGeometry &geometry);

    const char *name() const override { return "replicated"; }
    int half_dim() const override { return HALF_DIM; }
    const MeshLayout &spectrum() const override { return halves_; }
    std::pair<std::size_t, std::size_t> counted() const override;
    void add_traffic(int nfields, std::vector<std::size_t> &nbytes) const override;
    void bind(Transport &transport) override;
    void forward(const Real *density, Real *spectrum, const Parts &parts) override;
    void inverse(int nfields, Real *const *spectra, Real *const *fields,
                 const Parts &parts) override;

   private:
    static constexpr int HALF_DIM = 1;    // lines along y lie side by side in memory

    std::size_t me_, nranks_;
    MeshLayout reals_, halves_;         // all of it
    std::size_t nbrick_;                // points of this rank
    std::vector<MeshExchange> sums_;    // box to mesh, or box to brick and brick to mesh
    MeshExchange to_box_;               // from this rank's own mesh
    HalfFft<Real> fft_;
    FieldArrays<Real> mesh_, brick_;
  };

  MeshLayout half_of(MeshLayout layout, int dim)
  {
    layout.box.hi[dim] = layout.box.hi[dim] / 2 + 1;
    return layout;
  }

  /* ----------------------------------------------------------------------
     one round with longer messages to all ranks, or two with shorter ones,
     whichever takes less time
  ------------------------------------------------------------------------- */

  template <class Real> std::vector<MeshExchange> make_sums(const MeshGeometry &geometry)
  {
    const auto boxes = layouts_xyz(geometry.boxes), bricks = layouts_xyz(geometry.bricks);
    const std::vector<MeshLayout> all(boxes.size(), {whole_mesh(geometry.npoints)});
    const auto cost = [&](const std::vector<MeshLayout> &from, const std::vector<MeshLayout> &to) {
      return exchange_cost(geometry.npoints, from, to, sizeof(Real));
    };
    const auto exchange = [&](const std::vector<MeshLayout> &from,
                              const std::vector<MeshLayout> &to) {
      return MeshExchange(geometry.me, geometry.npoints, from, to);
    };
    if (cost(boxes, all) <= cost(boxes, bricks) + cost(bricks, all)) return {exchange(boxes, all)};
    return {exchange(boxes, bricks), exchange(bricks, all)};
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  ReplicatedFft<Real>::ReplicatedFft(const MeshGeometry &geometry) :
      me_(geometry.me), nranks_(geometry.bricks.size()), reals_{whole_mesh(geometry.npoints)},
      halves_(half_of(reals_, HALF_DIM)), nbrick_(geometry.bricks[geometry.me].npoints()),
      sums_(make_sums<Real>(geometry)),
      to_box_(0, geometry.npoints, {reals_}, {{geometry.boxes[geometry.me]}}),
      fft_(reals_, halves_, {2, 0, HALF_DIM})
  {
  }

  /* ---------------------------------------------------------------------- */

  template <class Real> std::pair<std::size_t, std::size_t> ReplicatedFft<Real>::counted() const
  {
    const std::size_t n = halves_.box.npoints();
    return {n * me_ / nranks_, n * (me_ + 1) / nranks_};
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void ReplicatedFft<Real>::add_traffic(int, std::vector<std::size_t> &nbytes) const
  {
    for (const MeshExchange &sum : sums_) sum.add_traffic(sizeof(Real), nbytes);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real> void ReplicatedFft<Real>::bind(Transport &transport)
  {
    for (MeshExchange &sum : sums_) sum.bind(transport);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void ReplicatedFft<Real>::forward(const Real *density, Real *spectrum, const Parts &parts)
  {
    const std::size_t nmesh = reals_.box.npoints();
    Real *const *const mesh = mesh_.room(1, nmesh);
    if (sums_.size() == 1) {
      std::fill(mesh[0], mesh[0] + nmesh, Real(0));
      sums_[0].add(1, 1, &density, mesh);
    } else {
      Real *const *const brick = brick_.room(1, nbrick_);
      std::fill(brick[0], brick[0] + nbrick_, Real(0));
      sums_[0].add(1, 1, &density, brick);
      sums_[1].copy(1, 1, brick, mesh);
    }
    fft_.forward(mesh[0], spectrum, parts);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void ReplicatedFft<Real>::inverse(int nfields, Real *const *spectra, Real *const *fields,
                                    const Parts &parts)
  {
    Real *const *const mesh = mesh_.room(1, reals_.box.npoints());
    for (int field = 0; field < nfields; field++) {
      fft_.backward(spectra[field], mesh[0], parts);
      to_box_.copy(1, 1, mesh, fields + field);
    }
  }

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
std::unique_ptr<DistributedFft<Real>> make_replicated_fft(const MeshGeometry &geometry)
{
  return std::make_unique<ReplicatedFft<Real>>(geometry);
}

template std::unique_ptr<DistributedFft<double>> make_replicated_fft(const MeshGeometry &);
template std::unique_ptr<DistributedFft<float>> make_replicated_fft(const MeshGeometry &);

}    // namespace TOFU_NS
