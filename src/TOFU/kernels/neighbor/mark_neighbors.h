// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_KERNELS_MARK_NEIGHBORS_H
#define TOFU_KERNELS_MARK_NEIGHBORS_H

#include "kernels/data/pair_data.h"

namespace TOFU_NS {

/** Mark the blocks of atoms that some rows of a list name, and those of their owners.

    \param rows          of the list
    \param first,last    from the first up to, not including, the last
    \param padding       entries behind each row that name the atom far away; rows that follow each
                         other with nothing else between them take the least time
    \param natoms        that are marked; entries with higher numbers are not
    \param block         atoms of a block, a power of two
    \param marked        set to 1 for each of them; for owners of a range without gaps, the range
                         is marked as a whole */
void mark_neighbors(const PairRows &rows, int first, int last, int padding, int natoms, int block,
                    char *marked);

}    // namespace TOFU_NS

#endif
