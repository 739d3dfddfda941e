// SPDX-License-Identifier: GPL-2.0-only
//
// A placement in words of LAMMPS' command processors, or as a file for its "grid custom".

#ifndef TOFU_PLACEMENT_PROCESSORS_WORDS_H
#define TOFU_PLACEMENT_PROCESSORS_WORDS_H

#include "placement.h"

#include <string>

namespace TOFU_NS {

/** Whether ranks follow each other as with "map cart", LAMMPS' default: along z first. */
bool is_cart_map(const Placement &placement);

/** Arguments of "processors"; empty if a placement needs a file.

    \param block   sub-boxes of each node per dimension */
std::string processors_words(const Placement &placement, const GridSize &block);

/** Arguments of "processors" for a placement in a file.

    \param path   of the file */
std::string processors_words_with_file(const Placement &placement, const std::string &path);

/** Content of the file for processors_words_with_file(). */
std::string processors_file(const Placement &placement);

}    // namespace TOFU_NS

#endif
