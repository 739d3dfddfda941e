# SPDX-License-Identifier: GPL-2.0-only
# What a source tree of LAMMPS has otherwise than TOFU expects, in seconds and without compiling:
#   cmake -D LAMMPS_SOURCE_DIR=<lammps>/src -P cmake/check_tree.cmake
# prints a line "left out: ..." for each style or feature that a build would leave out, and for what would stop it
# "stops: ...".

cmake_minimum_required(VERSION 3.20)
set(TOFU_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}/../src/TOFU")
include("${TOFU_SOURCE_DIR}/hooks.cmake")
include("${TOFU_SOURCE_DIR}/repeated.cmake")
include("${TOFU_SOURCE_DIR}/patched.cmake")

set(PKG_MEAM on)
tofu_find_hooks()
tofu_compare_repeated()
set(of_input "${TOFU_SPELLINGS}")
set(of_info "p2p_rdma in what 'info comm' prints")
foreach(name input info)
  file(READ "${LAMMPS_SOURCE_DIR}/${name}.cpp" code)
  set(problem "")
  cmake_language(CALL "tofu_change_${name}" code problem)
  if(problem)
    tofu_leave_out("${of_${name}}" "${problem} in ${name}.cpp")
  endif()
endforeach()
get_property(lines GLOBAL PROPERTY TOFU_LEFT_OUT)
foreach(line IN LISTS lines)
  message(STATUS "left out: ${line}")
endforeach()

file(STRINGS "${LAMMPS_SOURCE_DIR}/../cmake/CMakeLists.txt" watched REGEX "^ *set\\(LAMMPS_STYLE_HEADERS_DIR ")
if(NOT watched)
  message(STATUS "stops: cmake/CMakeLists.txt never sets LAMMPS_STYLE_HEADERS_DIR, where the package is added")
endif()
