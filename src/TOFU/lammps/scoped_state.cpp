// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "scoped_state.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "lammps.h"
#include "neighbor.h"

#include <cstring>

#if defined(_OPENMP)
#include <omp.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ScopedLocalCount::ScopedLocalCount(LAMMPS *lmp) : ScopedValue<int>(lmp->atom->nlocal, 0) {}

ScopedBoxExists::ScopedBoxExists(Domain *domain) : ScopedValue<int>(domain->box_exist, 1) {}

ScopedDistanceCheck::ScopedDistanceCheck(Neighbor *neighbor) :
    ScopedValue<int>(neighbor->dist_check, 0)
{
}

ScopedLayout::ScopedLayout(Comm *comm) :
    ScopedValue<int>(comm->layout,
                     comm->layout == Comm::LAYOUT_TILED ? Comm::LAYOUT_UNIFORM : comm->layout)
{
}

ScopedSilence::ScopedSilence(LAMMPS *lmp) :
    screen(lmp->screen, nullptr), logfile(lmp->logfile, nullptr)
{
}

/* ---------------------------------------------------------------------- */

static std::vector<double *> rows_of(std::vector<double> &values)
{
  std::vector<double *> rows(values.size() / 3);
  for (std::size_t i = 0; i < rows.size(); i++) rows[i] = &values[3 * i];
  return rows;
}

ScopedForceArray::ScopedForceArray(Atom *atom, std::vector<double> &others) :
    rows(rows_of(others)), array(atom->f, rows.data())
{
}

ScopedAtomMask::ScopedAtomMask(Atom *atom, int *mask) : ScopedValue<int *>(atom->mask, mask) {}

/* ---------------------------------------------------------------------- */

ScopedOpenMPThreads::ScopedOpenMPThreads()
{
#if defined(_OPENMP)
  nthreads = omp_get_max_threads();
  omp_set_num_threads(1);
#endif
}

ScopedOpenMPThreads::~ScopedOpenMPThreads()
{
#if defined(_OPENMP)
  omp_set_num_threads(nthreads);
#endif
}

/* ---------------------------------------------------------------------- */

bool LAMMPS_NS::has_empty_vector_behind(const void *object, std::size_t nbytes)
{
#ifdef __GLIBC__
  const std::vector<double> empty;
  return malloc_usable_size(const_cast<void *>(object)) >= nbytes + sizeof(empty) &&
      std::memcmp(static_cast<const char *>(object) + nbytes, &empty, sizeof(empty)) == 0;
#else
  (void) object;
  (void) nbytes;
  return true;
#endif
}
