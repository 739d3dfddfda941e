// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_SPLINE_ROWS_H
#define LMP_SPLINE_ROWS_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Copy the coefficients of values, without those of derivatives, of the splines of EAM.

    \param n         # of splines
    \param nr        intervals of each
    \param splines   [n][nr+1][7] of LAMMPS; the last four are those of the value
    \param rows      becomes [n][nr+1][4] */
inline void copy_spline_rows(int n, int nr, double ***splines, std::vector<double> &rows)
{
  rows.resize(static_cast<std::size_t>(n) * (nr + 1) * 4);
  double *to = rows.data();
  for (int table = 0; table < n; table++)
    for (int m = 0; m <= nr; m++) to = std::copy_n(&splines[table][m][3], 4, to);
}

}    // namespace TOFU_NS

#endif
