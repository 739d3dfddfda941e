// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// The grid of ranks of a communication style, with the keyword place.  The grid is made whenever
// LAMMPS has made a box, which is before any pair style or cutoff need be known.

#ifndef TOFU_PLACED_GRID_H
#define TOFU_PLACED_GRID_H

#include "place_settings.h"

#include <functional>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

class PlacedGrid {
 public:
  /** For extract(): a communication style with a PlacedGrid gives its address. */
  static constexpr const char *NAME = "tofu/placed_grid";

  /** \param settings_in   must live as long as this object, and may change */
  explicit PlacedGrid(PlaceSettings &settings_in) : settings(settings_in) {}

  PlaceSettings &settings;

  /** Protected members of the communication style. */
  struct Style {
    bool has_words;                          // the command processors has a grid or map style
    char *&outfile;                          // file for the map, of the same command
    std::function<void(int)> set_default;    // LAMMPS' set_proc_grid()
  };

  /** Place ranks, or make LAMMPS' grid.  To be called by set_proc_grid() of the style, which is
      lmp->comm.  Collective.

      \param outflag   argument of set_proc_grid(): whether the grid is written to the log */
  void set(LAMMPS_NS::LAMMPS *lmp, int outflag, const Style &style);

  /** error->all() if a style does not work with ranks in this order.  To be called by init() of the
      style. */
  void check_styles(LAMMPS_NS::LAMMPS *lmp) const;

 private:
  bool logged = false;    // the log has the reason why nothing is placed
};

/** That of a communication style, nullptr if it has none. */
PlacedGrid *placed_grid_of(LAMMPS_NS::LAMMPS *lmp);

}    // namespace TOFU_NS

#endif
