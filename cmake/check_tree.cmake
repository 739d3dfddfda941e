# SPDX-License-Identifier: GPL-2.0-only
# What a source tree of LAMMPS has otherwise than TOFU expects, in seconds and without compiling:
#   cmake -D LAMMPS_SOURCE_DIR=<lammps>/src -P cmake/check_tree.cmake
# prints a line "left out: ..." for each style or feature that a build would leave out, and for what would stop it
# "stops: ...".

cmake_minimum_required(VERSION 3.20)
set(TOFU_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}/../src/TOFU")
include("${TOFU_SOURCE_DIR}/repeated.cmake")
include("${TOFU_SOURCE_DIR}/patched.cmake")

set(PKG_MEAM on)
tofu_compare_repeated()
file(READ "${LAMMPS_SOURCE_DIR}/input.cpp" code)
set(problem "")
tofu_change_input(code problem)
if(problem)
  tofu_leave_out("${TOFU_SPELLINGS}" "${problem} in input.cpp")
endif()
file(READ "${LAMMPS_SOURCE_DIR}/info.cpp" code)
set(problem "")
tofu_change_info(code problem)
if(problem)
  tofu_leave_out("p2p_rdma in what 'info comm' prints" "${problem} in info.cpp")
endif()
get_property(lines GLOBAL PROPERTY TOFU_LEFT_OUT)
foreach(line IN LISTS lines)
  message(STATUS "left out: ${line}")
endforeach()

file(STRINGS "${LAMMPS_SOURCE_DIR}/../cmake/CMakeLists.txt" watched REGEX "^ *set\\(LAMMPS_STYLE_HEADERS_DIR ")
if(NOT watched)
  message(STATUS "stops: cmake/CMakeLists.txt never sets LAMMPS_STYLE_HEADERS_DIR, where the package is added")
endif()
