// SPDX-License-Identifier: GPL-2.0-only

#include "pppm_settings.h"

#include "lammps/io/keywords.h"

#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

int PPPMSettings::modify(LAMMPS *lmp, int narg, char **arg)
{
  Keywords keywords(lmp, "kspace_modify");
  keywords.choice("fft", fft.method,
                  {{"auto", FftMethod::AUTO},
                   {"partial", FftMethod::PARTIAL},
                   {"pencil", FftMethod::PENCIL},
                   {"replicated", FftMethod::REPLICATED}});
  keywords.choice(
      "reduce", fft.partial.reduce,
      {{"double", ReduceType::DOUBLE}, {"float", ReduceType::FLOAT}, {"int32", ReduceType::INT32}});
  keywords.choice("chain", fft.partial.chain,
                  {{"direct", ReductionChain::DIRECT},
                   {"ring", ReductionChain::RING},
                   {"gates", ReductionChain::GATES}});
  keywords.choice("gather", gather, {{"node", true}, {"none", false}});
  keywords.yes_or_no("overlap/always", always_overlap);
  keywords.real("scale", fft.partial.scale, 0.0, INFINITY);
  const int ntaken = keywords.read_first(narg, arg);
  if (ntaken && fft.partial.scale == 0.0 && strcmp(arg[0], "scale") == 0)
    keywords.reject("scale", arg[1], "a number above 0");
  return ntaken;
}
