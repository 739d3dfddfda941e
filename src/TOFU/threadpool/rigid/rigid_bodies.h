// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_RIGID_BODIES_H
#define LMP_RIGID_BODIES_H

#include <cstddef>

namespace LAMMPS_NS {

/** Where the numbers of rigid bodies are. */
struct RigidBodies {
  /** One quantity of all bodies. */
  struct Field {
    double *first = nullptr;
    std::size_t stride = 0;    // doubles from one body to the next
    double *operator()(int body) const { return first + body * stride; }
  };

  int nowned = 0, nall = 0;    // those with ghosts
  Field mass, xcm, vcm, fcm, torque, quat, inertia, ex, ey, ez, xgc_body, xgc, angmom, omega,
      conjqm;

  /** Fields are to be set by the caller; what a loop does not need may be left out. */
  RigidBodies() = default;

  /** Those of fix rigid/small, which keeps them for itself in a struct that only derived classes
      can name.

      \param body   [nall] a struct with arrays of doubles, named as in FixRigidSmall; nullptr if
                    there are none */
  template <class Body> RigidBodies(Body *body, int nowned, int nall) : nowned(nowned), nall(nall)
  {
    static_assert(sizeof(Body) % sizeof(double) == 0, "bodies are sent as doubles");
    const auto field = [body](auto member) {
      return Field{body ? reinterpret_cast<double *>(&(body->*member)) : nullptr,
                   sizeof(Body) / sizeof(double)};
    };
    mass = field(&Body::mass);
    xcm = field(&Body::xcm);
    vcm = field(&Body::vcm);
    fcm = field(&Body::fcm);
    torque = field(&Body::torque);
    quat = field(&Body::quat);
    inertia = field(&Body::inertia);
    ex = field(&Body::ex_space);
    ey = field(&Body::ey_space);
    ez = field(&Body::ez_space);
    xgc_body = field(&Body::xgc_body);
    xgc = field(&Body::xgc);
    angmom = field(&Body::angmom);
    omega = field(&Body::omega);
    conjqm = field(&Body::conjqm);
  }
};

}    // namespace LAMMPS_NS

#endif
