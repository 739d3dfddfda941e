# -*- CMake -*- packages of the plug-in; each is for one release of LAMMPS, with the packages and integers of that LAMMPS
# SPDX-License-Identifier: GPL-2.0-only

include(${CMAKE_CURRENT_LIST_DIR}/../../packaging/cpack.cmake)

# the release, such as 4 Feb 2025, as a date that sorts, such as 20250204: the revision of the Debian package
file(STRINGS "${LAMMPS_SOURCE_DIR}/version.h" release REGEX "LAMMPS_VERSION")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" release "${release}")
set(date 0)
if(release MATCHES "^([0-9]+) ([A-Z][a-z][a-z]) ([0-9]+)$")
  set(day "${CMAKE_MATCH_1}")
  set(year "${CMAKE_MATCH_3}")
  set(months Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec)
  list(FIND months "${CMAKE_MATCH_2}" month)
  math(EXPR date "${year} * 10000 + (${month} + 1) * 100 + ${day}")
endif()

set(CPACK_PACKAGE_NAME lammps-tofu-plugin)
set(CPACK_PACKAGE_FILE_NAME "${CPACK_PACKAGE_NAME}-${CPACK_PACKAGE_VERSION}-lammps${date}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "LAMMPS at the strong-scaling limit: TOFU as a plug-in")
string(REPLACE ";" " " packages "${LAMMPS_PACKAGES}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "One-sided ghost exchange, threads with vectorised kernels, long-range forces and load balancing for few atoms per core.\n\
For LAMMPS ${release}, ${LAMMPS_SIZES}, with the package PLUGIN and these: ${packages}.\n\
export LAMMPS_PLUGIN_PATH=/usr/${CMAKE_INSTALL_LIBDIR}/lammps/plugins loads it.")
set(CPACK_DEBIAN_PACKAGE_RELEASE "${date}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_ENHANCES lammps)
tofu_install_license(${CPACK_PACKAGE_NAME})
include(CPack)
