// SPDX-License-Identifier: GPL-2.0-only

#include "backends.h"

#include "mpi/mpi_backend.h"
#include "ofi/ofi_backend.h"
#include "shm/shm_backend.h"
#ifdef TOFU_UTOFU
#include "utofu/utofu_backend.h"
#endif

#include <algorithm>

namespace TOFU_NS {

const BackendTable &all_backends()
{
  // pairs that cannot share an anonymous block try again with a named one

  static const BackendTable table = {
      {"shm", "shared memory", Reach::NODE, true, SHM_ADDRESS_BYTES, make_anonymous_shm_backend},
      {"shm", "shared memory", Reach::NODE, true, SHM_ADDRESS_BYTES, make_named_shm_backend},
#ifdef TOFU_UTOFU
      {"utofu", "uTofu", Reach::NETWORK, true, UTOFU_ADDRESS_BYTES, make_utofu_backend},
#endif
      {"ofi", "libfabric", Reach::NETWORK, true, OFI_ADDRESS_BYTES, make_ofi_backend},
      {"mpi", "MPI", Reach::LAST_RESORT, false, 0, make_mpi_backend},
  };
  return table;
}

/* ---------------------------------------------------------------------- */

std::vector<std::string> backend_choices(const BackendTable &table)
{
  std::vector<std::string> choices{"auto"};
  for (const BackendRow &row : table)
    if (std::find(choices.begin(), choices.end(), row.name) == choices.end())
      choices.emplace_back(row.name);
  return choices;
}

}    // namespace TOFU_NS
