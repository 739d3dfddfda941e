// SPDX-License-Identifier: GPL-2.0-only
//
// Contacts of spheres with a choice of models, for each pair of types, of the forces along the line
// of the centers and across it, and of the torques against rolling and twisting.
//
// Sources: Hertz and Mindlin by Johnson, Contact Mechanics (1985); adhesion by Derjaguin, Muller,
// Toporov (1975) and by Johnson, Kendall, Roberts (1971); damping by Tsuji et al, Powder Technol
// 71, 239 (1992); springs that turn with the contact by Luding, Granul Matter 10, 235 (2008);
// rolling and twisting by Wang et al, Particuology 23, 49 (2015), and Marshall, J Comput Phys 228,
// 1541 (2009).

#ifndef TOFU_KERNELS_GRAINS_H
#define TOFU_KERNELS_GRAINS_H

#include "contact_data.h"

namespace TOFU_NS {

/** The force along the line of the centers. */
struct NormalModel {
  enum Law { HOOKE, HERTZ, DMT, JKR } law = HOOKE;
  double k = 0.0;                // force/distance; else a modulus, force/distance^2
  double cohesion = 0.0;         // energy/distance^2, with DMT and JKR
  double modulus = 0.0;          // of both spheres, with JKR
  bool limit_damping = false;    // no attraction
};

/** The dashpot along that line. */
struct DampingModel {
  enum Law { VELOCITY, MASS_VELOCITY, VISCOELASTIC, TSUJI } law = VISCOELASTIC;
  double factor = 0.0;
};

/** A spring and a dashpot up to a limit, across the line of the centers. */
struct TangentialModel {
  enum Law {
    DASHPOT,    // no spring
    LINEAR,
    CLASSIC,    // the spring is projected after the step, which makes it shorter
    MINDLIN     // stiffer with the radius of the contact
  } law = LINEAR;
  double k = 0.0, damping = 0.0, friction = 0.0;    // damping: times that of DampingModel
  bool by_radius = false;    // with CLASSIC: stiffness as MINDLIN, except at the friction limit
  bool as_force = false;    // with MINDLIN: the history has the force of the spring, not its length
  bool rescale = false;     // with MINDLIN: shorter when the contact becomes smaller; 4 values
  int first = 0;            // of the values of the history
};

struct RollingModel {
  bool is_on = false;
  double k = 0.0, damping = 0.0, friction = 0.0;
  int first = 0;
};

struct TwistingModel {
  enum Law { NONE, SDS, MARSHALL } law = NONE;
  double k = 0.0, damping = 0.0,
         friction = 0.0;    // with SDS; MARSHALL has those of TangentialModel
  int first = 0;
};

/** Heat flows to the colder sphere. */
struct HeatModel {
  enum Law { NONE, RADIUS, AREA } law = NONE;    // of the contact, to which it is proportional
  double factor = 0.0;                           // energy/time/temperature/distance, or /distance^2
};

struct GrainModel {
  NormalModel normal;
  DampingModel damping;
  TangentialModel tangential;
  RollingModel rolling;
  TwistingModel twisting;
  HeatModel heat;
};

struct GrainModels {
  int nmodels = 0;
  const GrainModel *models = nullptr;
  int ntypes = 0;
  const int *of_types = nullptr;          // [ntypes+1][ntypes+1] which model
  const int *type = nullptr;              // [natoms]
  const double *temperature = nullptr;    // [natoms] if heat flows
  double dt = 0.0;                        // time
  bool slide = true;                      // false: no time passes, and springs keep their lengths
  bool history = true;                    // whether pairs have one
};

/** Compute all pairs; i is one of the part's own atoms.

    \param nlocal   atoms that this rank owns
    \param virial   [6] xx, yy, zz, xy, xz, yz, added to; nullptr if not wanted */
void grains(const GrainModels &, const Spheres &, const ContactPairs &, const ContactForces &,
            int nlocal, double *virial);

}    // namespace TOFU_NS

#endif
