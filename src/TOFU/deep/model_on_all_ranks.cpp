// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "model_on_all_ranks.h"

#include "comm.h"
#include "error.h"
#include "force.h"
#include "lammps.h"

#include "model/files/model_file.h"
#include "model/model_error.h"
#include "threadpool/pool/rank_pool.h"

#include <algorithm>
#include <new>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double BOLTZMANN_METAL = 8.617343e-5;    // in units metal, as LAMMPS has it

/* ----------------------------------------------------------------------
   rank 0 reads files, so that a file system does not get a request from each
------------------------------------------------------------------------- */

static std::string bytes_of_file(LAMMPS *lmp, const std::string &name)
{
  Error *const error = lmp->error;
  std::string bytes;
  if (lmp->comm->me == 0) {
    try {
      bytes = read_whole_file(name);
    } catch (const ModelError &wrong) {
      error->one(FLERR, "Cannot read the deep potential {}: {}", name, wrong.what());
    }
  }
  bigint nbytes = static_cast<bigint>(bytes.size());
  MPI_Bcast(&nbytes, 1, MPI_LMP_BIGINT, 0, lmp->world);
  bytes.resize(nbytes);
  constexpr bigint PIECE = 1 << 30;
  for (bigint begin = 0; begin < nbytes; begin += PIECE)
    MPI_Bcast(bytes.data() + begin, static_cast<int>(std::min(PIECE, nbytes - begin)), MPI_CHAR, 0,
              lmp->world);
  return bytes;
}

/* ---------------------------------------------------------------------- */

DeepModel LAMMPS_NS::model_on_all_ranks(LAMMPS *lmp, const std::string &file)
{
  try {
    return read_model(bytes_of_file(lmp, file));
  } catch (const ModelError &wrong) {
    lmp->error->all(FLERR, "Cannot use the deep potential {}: {}", file, wrong.what());
  } catch (const std::bad_alloc &) {
    // other ranks may have enough, so that this one cannot wait for them

    lmp->error->one(FLERR,
                    "Not enough memory for the deep potential {} on rank {}; use fewer ranks on a "
                    "node, with more threads each",
                    file, lmp->comm->me);
  }
}

/* ---------------------------------------------------------------------- */

double LAMMPS_NS::ev_in_units_of_run(LAMMPS *lmp)
{
  return lmp->force->boltz / BOLTZMANN_METAL;
}

DeepModel LAMMPS_NS::in_units_of_run(LAMMPS *lmp, const DeepModel &model)
{
  return in_other_units(model, lmp->force->angstrom, ev_in_units_of_run(lmp));
}

/* ---------------------------------------------------------------------- */

DeepNets::Precision LAMMPS_NS::precision_of_run(LAMMPS *lmp)
{
  return RankPool::of(lmp)->mixed_precision() ? DeepNets::Precision::SINGLE
                                              : DeepNets::Precision::DOUBLE;
}
