// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_KERNELS_FIND_ENTRIES_H
#define TOFU_KERNELS_FIND_ENTRIES_H

namespace TOFU_NS {

/** Find the entries of a row that are one of a few wanted ones.

    \param row       [n] atoms; as many as fill the last vector are read, at most 15 more
    \param wanted    [nwanted]
    \param places    room for n; their places in the row, in ascending order
    \return   # of them */
int find_entries(const int *row, int n, const int *wanted, int nwanted, int *places);

}    // namespace TOFU_NS

#endif
