// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_KERNELS_MARK_NEIGHBORS_H
#define TOFU_KERNELS_MARK_NEIGHBORS_H

#include "kernels/data/pair_data.h"

namespace TOFU_NS {

/** Mark the blocks of the neighbors of some rows of a list, and those of their owners.

    \param rows          of the list
    \param first,last    rows [first, last)
    \param padding       entries behind each row that name the atom far away; fastest for rows that
                         are adjacent in memory with only this padding between them
    \param natoms        blocks of atoms from natoms on are not marked
    \param block         atoms of a block, a power of two
    \param marked        gets 1 for each block; if owners are a range without gaps, for all blocks
                         of the range */
void mark_neighbors(const PairRows &rows, int first, int last, int padding, int natoms, int block,
                    char *marked);

}    // namespace TOFU_NS

#endif
