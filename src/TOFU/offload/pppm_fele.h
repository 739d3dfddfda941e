// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_PPPM_FELE_H
#define LMP_PPPM_FELE_H

#include "pppm_either.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

/** PPPM with the array of forces that fix dplr reads: fix dplr/threadpool by ForcesOfCharges, that
    of deepmd-kit in its own way.

    The latter takes the kspace style named pppm/dplr for an object of deepmd-kit's own class
    PPPMDPLR, without a check, and reads that one's member.  It reads the right array if

      1  the kspace style in use has the name pppm/dplr
      2  a pointer to KSpace is a pointer to the PPPM, and to the class derived from it
      3  a std::vector<double> is the first member behind PPPM, and the only one
      4  the plug-in of deepmd-kit was compiled with a PPPM of the same size

    serve_fix_dplr() ensures the first and checks the others as far as possible. */
class PPPMFele : public PPPMEither {
 public:
  using PPPMEither::PPPMEither;

 protected:
  /** Called in init(): with deepmd-kit's fix dplr in use, let it find this object; without it, the
      name in Force is the own one.  An error if the fix would read something else or forces would
      be lost, and for charges beside atoms, which the fix has itself.

      \param own_name   of the kspace style
      \return           whether there is a fix dplr, of either kind */
  bool serve_fix_dplr(const std::string &own_name);

  bool has_fix_dplr_threadpool() const;

  /** Distance of Wannier centers from their atoms that a mesh has to have room for. */
  double room_for_centers() const;

  /** PPPM's own arrays, with that room. */
  void allocate_plain();

  /** PPPM's own computation.

      \param to_fele   forces go to `fele`, and there is no energy of charges with themselves and
                       with a uniform charge: models for fix dplr are trained without both */
  void compute_plain(int eflag, int vflag, bool to_fele);

  std::vector<double> fele;    // [3*nlocal] force; empty without a fix dplr

 private:
  void check_layout() const;
  void check_run() const;
};

}    // namespace LAMMPS_NS

#endif
