// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Ghost communication on behalf of other styles, by their own pack routines.

#ifndef LMP_COMM_P2P_STYLES_H
#define LMP_COMM_P2P_STYLES_H

#include "comm_brick.h"

namespace TOFU_NS {
class ExchangeCalls;
class PackedExchange;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

class CommP2PStyles : public CommBrick {
 public:
  using CommBrick::forward_comm;
  using CommBrick::reverse_comm;
  void forward_comm(class Pair *, int size = 0) override;
  void reverse_comm(class Pair *, int size = 0) override;
  void forward_comm(class Bond *, int size = 0) override;
  void reverse_comm(class Bond *, int size = 0) override;
  void forward_comm(class Fix *, int size = 0) override;
  void reverse_comm(class Fix *, int size = 0) override;
  void reverse_comm_variable(class Fix *) override;
  void forward_comm(class Compute *, int size = 0) override;
  void reverse_comm(class Compute *, int size = 0) override;
  void forward_comm(class Dump *, int size = 0) override;
  void reverse_comm(class Dump *, int size = 0) override;
  void forward_comm_array(int, double **) override;

 protected:
  using CommBrick::CommBrick;

  /** Where values travel, and the time of calls. */
  struct Exchange {
    TOFU_NS::PackedExchange &packed;
    TOFU_NS::ExchangeCalls &calls;
    bool has_ghosts;
  };
  virtual Exchange exchange_of_styles() = 0;

 private:
  template <class Pack, class Unpack> void forward(int nmost, Pack &&pack, Unpack &&unpack);
  template <class Pack, class Unpack> void reverse(int nmost, Pack &&pack, Unpack &&unpack);
  template <class Style> void forward_style(Style *style, int nmost);
  template <class Style> void reverse_style(Style *style, int nmost);
};

}    // namespace LAMMPS_NS

#endif
