# -*- CMake -*- what TOFU is made of and what it needs, the same for all builds: the package (cmake/TOFU.cmake), the plug-in
# (cmake/plugin), libtofu_rdma (lib/tofu_rdma) and the unit tests (unittest/unit)
# SPDX-License-Identifier: GPL-2.0-only


set(TOFU_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Rooms that every build of the package has; styles/, offload/, mesh/, deep/ and model/ come with what LAMMPS and this
# machine have
set(TOFU_ROOMS balance commands halo kernels lammps p2p placement pool ring threadpool transport)

# Append the sources of some rooms to a list
function(tofu_add_rooms variable)
  set(sources "${${variable}}")
  foreach(room ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS "${TOFU_SOURCE_DIR}/${room}/*.cpp" "${TOFU_SOURCE_DIR}/${room}/*/*.cpp")
    list(APPEND sources ${found})
    if(room STREQUAL "kernels" AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND
       CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      set_source_files_properties(${found} PROPERTIES    # this pass of GCC 12 crashes on vectors of SVE
        COMPILE_OPTIONS -fno-tree-slp-vectorize)
    endif()
  endforeach()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# Rooms of which a build needs those sources alone whose headers are reached from its styles
set(TOFU_ROOMS_OF_STYLES kernels threadpool)

# Take those sources of these rooms from a list that nothing else in it needs: forces of a package that this LAMMPS does
# not have.  A source is needed if a file that is needed includes its header: the one of its name, or else the one that it
# includes first.
#   ARGN   headers that register styles
function(tofu_without_unused variable)
  string(REPLACE ";" "|" rooms "${TOFU_ROOMS_OF_STYLES}")
  set(in_rooms "^${TOFU_SOURCE_DIR}/(${rooms})/")
  set(given ${${variable}})
  set(unused ${given})
  list(FILTER unused INCLUDE REGEX "${in_rooms}")
  foreach(source IN LISTS unused)
    string(REGEX REPLACE "\\.cpp$" ".h" header "${source}")
    if(NOT EXISTS "${header}")
      file(STRINGS "${source}" line LIMIT_COUNT 1 REGEX "^#include \"")
      tofu_included_file(header "${source}" "${line}")
      string(REGEX REPLACE "-[a-z]+\\.h$" ".h" header "${header}")
    endif()
    list(APPEND "unit_${header}" "${source}")
  endforeach()

  set(left ${given} ${ARGN})
  list(FILTER left EXCLUDE REGEX "${in_rooms}")
  file(GLOB headers "${TOFU_SOURCE_DIR}/threadpool/*/*.h")    # styles that every LAMMPS gets
  foreach(header IN LISTS headers)
    file(STRINGS "${header}" registers LIMIT_COUNT 1 REGEX "^#ifdef [A-Z]+_CLASS$")
    if(registers)
      list(APPEND left "${header}")
    endif()
  endforeach()
  set(needed "")
  while(left)
    list(POP_BACK left file)
    if(NOT file IN_LIST needed)
      list(APPEND needed "${file}")
      list(APPEND left ${unit_${file}})
      file(STRINGS "${file}" lines REGEX "^#include \"")
      foreach(line IN LISTS lines)
        tofu_included_file(included "${file}" "${line}")
        if(included)
          list(APPEND left "${included}")
        endif()
      endforeach()
    endif()
  endwhile()

  list(REMOVE_ITEM unused ${needed})
  if(unused)
    list(REMOVE_ITEM given ${unused})
  endif()
  set(${variable} "${given}" PARENT_SCOPE)
endfunction()

# The file of the package that a line of another one includes; empty if it is none
function(tofu_included_file variable file line)
  string(REGEX REPLACE "^#include \"([^\"]+)\".*$" "\\1" name "${line}")
  get_filename_component(folder "${file}" DIRECTORY)
  set(found "")
  foreach(candidate "${folder}/${name}" "${TOFU_SOURCE_DIR}/${name}")
    if(NOT found AND EXISTS "${candidate}")
      get_filename_component(found "${candidate}" ABSOLUTE)
    endif()
  endforeach()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# Google Highway: kernels for the processor that is compiled for, and for better ones
function(tofu_find_highway)
  find_path(TOFU_HWY_INCLUDE_DIR hwy/highway.h)
  find_library(TOFU_HWY_LIBRARY hwy)
  if(NOT TOFU_HWY_INCLUDE_DIR OR NOT TOFU_HWY_LIBRARY)
    message(FATAL_ERROR "TOFU: the package needs Google Highway, which was not found.\n"
      "Install it (Debian: libhwy-dev) or set TOFU_HWY_INCLUDE_DIR and TOFU_HWY_LIBRARY.")
  endif()
  file(STRINGS "${TOFU_HWY_INCLUDE_DIR}/hwy/highway.h" version REGEX "define HWY_(MAJOR|MINOR|PATCH)")
  if(NOT version)    # since 1.0.6
    file(STRINGS "${TOFU_HWY_INCLUDE_DIR}/hwy/base.h" version REGEX "define HWY_(MAJOR|MINOR|PATCH)")
  endif()
  string(REGEX REPLACE "[^0-9;]" "" version "${version}")
  string(REPLACE ";" "." version "${version}")
  message(STATUS "TOFU: Highway ${version} is ${TOFU_HWY_LIBRARY}")
  if(version AND version VERSION_LESS 1.0.6)
    message(STATUS "TOFU: the license of this Highway, from before mid-2023, is Apache-2.0 alone, which does not go with "
      "GPL-2.0.  You may use the program, but not give it to others; with Highway 1.0.6 or newer (also BSD-3) you may")
  endif()
endfunction()

# FFTW in both precisions, for pppm/offload; sets TOFU_FFTW_FOUND
function(tofu_find_fftw)
  find_path(TOFU_FFTW_INCLUDE_DIR fftw3.h)
  find_library(TOFU_FFTW_LIBRARY fftw3)
  find_library(TOFU_FFTWF_LIBRARY fftw3f)
  if(TOFU_FFTW_INCLUDE_DIR AND TOFU_FFTW_LIBRARY AND TOFU_FFTWF_LIBRARY)
    message(STATUS "TOFU: FFTW is ${TOFU_FFTW_LIBRARY}, ${TOFU_FFTWF_LIBRARY}")
    set(TOFU_FFTW_FOUND TRUE PARENT_SCOPE)
  else()
    message(STATUS "TOFU: no FFTW in double and single precision (set TOFU_FFTW_INCLUDE_DIR, TOFU_FFTW_LIBRARY and "
      "TOFU_FFTWF_LIBRARY), so there is no kspace_style pppm/offload")
    set(TOFU_FFTW_FOUND FALSE PARENT_SCOPE)
  endif()
endfunction()

# JSON for Modern C++, for the options in files of deep potentials; sets TOFU_JSON_FOUND, and TOFU_JSON_FOLDER to a folder
# with nothing but a link to it: LAMMPS since 2026 has a file of the same name, which must not be found in its place
function(tofu_find_json)
  find_path(TOFU_JSON_INCLUDE_DIR nlohmann/json.hpp)
  if(TOFU_JSON_INCLUDE_DIR)
    message(STATUS "TOFU: JSON for Modern C++ is in ${TOFU_JSON_INCLUDE_DIR}")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/tofu_json")
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${TOFU_JSON_INCLUDE_DIR}/nlohmann" "${folder}/nlohmann" SYMBOLIC)
    set(TOFU_JSON_FOLDER "${folder}" PARENT_SCOPE)
    set(TOFU_JSON_FOUND TRUE PARENT_SCOPE)
  else()
    message(STATUS "TOFU: no JSON for Modern C++ (Debian: nlohmann-json3-dev; or set TOFU_JSON_INCLUDE_DIR), so there is no "
      "pair_style deepmd/threadpool")
    set(TOFU_JSON_FOUND FALSE PARENT_SCOPE)
  endif()
endfunction()

# libfabric, without which messages between nodes go through MPI; sets TOFU_OFI_FOUND
function(tofu_find_libfabric)
  find_path(TOFU_OFI_INCLUDE_DIR rdma/fabric.h)
  find_library(TOFU_OFI_LIBRARY fabric)
  if(TOFU_OFI_INCLUDE_DIR AND TOFU_OFI_LIBRARY)
    message(STATUS "TOFU: libfabric is ${TOFU_OFI_LIBRARY}")
    set(TOFU_OFI_FOUND TRUE PARENT_SCOPE)
  else()
    message(STATUS "TOFU: no libfabric (set TOFU_OFI_INCLUDE_DIR and TOFU_OFI_LIBRARY), using MPI between nodes")
    set(TOFU_OFI_FOUND FALSE PARENT_SCOPE)
  endif()
endfunction()

# uTofu, the interface to the Tofu interconnect D of Fugaku and PRIMEHPC FX1000; sets TOFU_UTOFU_FOUND.  Fujitsu's
# compilers, and GCC there, have both files where they search anyway
function(tofu_find_utofu)
  if(NOT DEFINED TOFU_UTOFU)
    set(TOFU_UTOFU auto CACHE STRING "Messages through the Tofu interconnect D: on, off, or auto: if its library is found")
    set_property(CACHE TOFU_UTOFU PROPERTY STRINGS auto on off)
  endif()
  set(TOFU_UTOFU_FOUND FALSE PARENT_SCOPE)
  if(NOT TOFU_UTOFU STREQUAL "auto" AND NOT TOFU_UTOFU)
    return()
  endif()
  find_path(TOFU_UTOFU_INCLUDE_DIR utofu.h)
  find_library(TOFU_UTOFU_LIBRARY tofucom)
  mark_as_advanced(TOFU_UTOFU_INCLUDE_DIR TOFU_UTOFU_LIBRARY)
  if(TOFU_UTOFU_INCLUDE_DIR AND TOFU_UTOFU_LIBRARY)
    message(STATUS "TOFU: uTofu is ${TOFU_UTOFU_LIBRARY}")
    set(TOFU_UTOFU_FOUND TRUE PARENT_SCOPE)
  elseif(NOT TOFU_UTOFU STREQUAL "auto")
    message(FATAL_ERROR "TOFU: TOFU_UTOFU is '${TOFU_UTOFU}', but there is no utofu.h or no libtofucom.\n"
      "Set TOFU_UTOFU_INCLUDE_DIR and TOFU_UTOFU_LIBRARY, or configure with -D TOFU_UTOFU=auto.")
  endif()
endfunction()

# Let a target have the backend: only the sources that name it are compiled in another way
function(tofu_use_utofu target access)
  file(GLOB users "${TOFU_SOURCE_DIR}/transport/utofu/*.cpp")
  foreach(name backends gates interconnect)
    list(APPEND users "${TOFU_SOURCE_DIR}/transport/${name}.cpp")
  endforeach()
  set_property(SOURCE ${users} APPEND PROPERTY COMPILE_DEFINITIONS TOFU_UTOFU)
  if(NOT TOFU_UTOFU_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set_property(SOURCE ${users} APPEND PROPERTY INCLUDE_DIRECTORIES "${TOFU_UTOFU_INCLUDE_DIR}")
  endif()
  target_link_libraries(${target} ${access} ${TOFU_UTOFU_LIBRARY})
endfunction()

# hwloc, without which threads are placed by the numbers of processors and cores alone
function(tofu_use_hwloc target access)
  find_path(TOFU_HWLOC_INCLUDE_DIR hwloc.h)
  find_library(TOFU_HWLOC_LIBRARY hwloc)
  if(NOT TOFU_HWLOC_INCLUDE_DIR OR NOT TOFU_HWLOC_LIBRARY)
    message(STATUS "TOFU: no hwloc (set TOFU_HWLOC_INCLUDE_DIR and TOFU_HWLOC_LIBRARY), threads are placed by numbers")
    return()
  endif()
  message(STATUS "TOFU: hwloc is ${TOFU_HWLOC_LIBRARY}")
  set(user "${TOFU_SOURCE_DIR}/pool/machine.cpp")
  set_property(SOURCE "${user}" APPEND PROPERTY COMPILE_DEFINITIONS TOFU_HWLOC)
  if(NOT TOFU_HWLOC_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set_property(SOURCE "${user}" APPEND PROPERTY INCLUDE_DIRECTORIES "${TOFU_HWLOC_INCLUDE_DIR}")
  endif()
  target_link_libraries(${target} ${access} ${TOFU_HWLOC_LIBRARY})
endfunction()

# Threads, and librt, where shm_open() is before glibc 2.34; sets TOFU_SYSTEM_LIBRARIES
macro(tofu_find_system)
  set(THREADS_PREFER_PTHREAD_FLAG OFF)
  find_package(Threads REQUIRED)
  find_library(TOFU_RT_LIBRARY rt)
  mark_as_advanced(TOFU_RT_LIBRARY)
  set(TOFU_SYSTEM_LIBRARIES Threads::Threads)
  if(TOFU_RT_LIBRARY)
    list(APPEND TOFU_SYSTEM_LIBRARIES ${TOFU_RT_LIBRARY})
  endif()
endmacro()

# Compile sources of a target with the checks of TOFU_SANITIZE, for tests: "address" (with undefined behavior), "thread" or
# "none". LAMMPS' own code stays without; its program is linked with the sanitizer. The options come last and are the same
# in all builds, which share a compiler cache. On x86, code is for SSE4 unless TOFU_SANITIZE_PROCESSOR names a processor:
# there a gather is a number of loads, and no sanitizer sees accesses by instructions for gathers and masks. Kernels do
# without checks that take the compiler minutes: object-size (those of addresses find the same), null and alignment (so
# does the processor), and variables on the stack. What only tests with LAMMPS compute with is not optimized: kernels of
# forces take the compiler a sixth of the time then. TOFU_SANITIZE_ONLY may be a regular expression of the sources that
# are checked. Sets TOFU_SANITIZE_OPTIONS, and TOFU_SANITIZE_QUICKLY to what kernels have in addition.
function(tofu_sanitize target)
  set(TOFU_SANITIZE none CACHE STRING "Checks in TOFU's code, for tests: address (with undefined), thread or none")
  set_property(CACHE TOFU_SANITIZE PROPERTY STRINGS address thread none)
  set(TOFU_SANITIZE_ONLY "" CACHE STRING "Regular expression of TOFU's sources that have checks; empty: all have")
  if(TOFU_SANITIZE STREQUAL "none")
    return()
  elseif(NOT TOFU_SANITIZE MATCHES "^(address|thread)$")
    message(FATAL_ERROR "TOFU_SANITIZE is '${TOFU_SANITIZE}'; allowed are address, thread, none")
  endif()
  set(checks ${TOFU_SANITIZE})
  set(quickly "")
  if(TOFU_SANITIZE STREQUAL "address")
    set(checks address,undefined)
    set(quickly -fno-sanitize=object-size,null,alignment)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      list(APPEND quickly --param=asan-stack=0)
    endif()
  endif()
  set(options -O1 -g1 -fno-omit-frame-pointer -fsanitize=${checks} -fno-sanitize-recover=all)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(TOFU_SANITIZE_PROCESSOR westmere CACHE STRING "Processor (-march) that TOFU's code with checks is for")
    list(APPEND options -march=${TOFU_SANITIZE_PROCESSOR} -maes)    # without AES, Highway has no SSE4
  endif()
  set(sources ${ARGN})
  if(TOFU_SANITIZE_ONLY)
    list(FILTER sources INCLUDE REGEX "${TOFU_SANITIZE_ONLY}")
  endif()
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "^${TOFU_SOURCE_DIR}/kernels/")
  set(in_lammps_alone ${sources})
  set(forces "kernels/(pair|sites|manybody|reaxff|bonded|cluster|granular|deep)")
  list(FILTER in_lammps_alone INCLUDE REGEX
    "^${TOFU_SOURCE_DIR}/(${forces}|commands|deep|lammps|offload|p2p|ring|styles|threadpool)/")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${options})
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS ${quickly})
  set_property(SOURCE ${in_lammps_alone} APPEND PROPERTY COMPILE_OPTIONS -O0)
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_DEFINITIONS HWY_COMPILE_ONLY_STATIC)
  target_link_options(${target} PUBLIC -fsanitize=${checks})
  set(TOFU_SANITIZE_OPTIONS ${options} PARENT_SCOPE)
  set(TOFU_SANITIZE_QUICKLY ${quickly} PARENT_SCOPE)
endfunction()
