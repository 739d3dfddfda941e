# SPDX-License-Identifier: GPL-2.0-only
# LAMMPS with TOFU, and the packages that its tests and LAMMPS' benchmarks need:
#   cmake -C <tofu>/cmake/presets/tofu.cmake -S lammps/cmake -B build

foreach(TOFU_PRESET_PKG TOFU ASPHERE BODY CG-SPICA CLASS2 CORESHELL DPD-BASIC EFF EXTRA-COMPUTE EXTRA-MOLECULE
        EXTRA-PAIR FEP KSPACE MOFFF MOLECULE RIGID MANYBODY MEAM GRANULAR OPENMP OPT INTEL PERI PLUGIN QEQ REAXFF REPLICA)
  set(PKG_${TOFU_PRESET_PKG} ON CACHE BOOL "" FORCE)
endforeach()
set(BUILD_MPI ON CACHE BOOL "" FORCE)
set(BUILD_OMP ON CACHE BOOL "" FORCE)

# a TOFU checkout has TOFU.cmake in the parent folder; a LAMMPS tree with TOFU installed includes its own
get_filename_component(TOFU_PRESET_INCLUDE ../TOFU.cmake ABSOLUTE BASE_DIR "${CMAKE_CURRENT_LIST_DIR}")
if(EXISTS "${TOFU_PRESET_INCLUDE}")
  set(CMAKE_PROJECT_lammps_INCLUDE "${TOFU_PRESET_INCLUDE}" CACHE FILEPATH "" FORCE)
endif()
