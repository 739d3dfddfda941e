# SPDX-License-Identifier: GPL-2.0-only
# Hooks for packages that packaging/upstream proposes to LAMMPS: which of them a source tree has, and what is compiled
# otherwise with them.  The text of the tree decides, not its version: distributions may apply the patches as well.

# Each with the file in LAMMPS' src that has it, and a regular expression for a line in that file
set(TOFU_KNOWN_HOOKS
  "comm-styles|input.h|CommCreatorMap"
  "package-keywords|input.cpp|\"package/\""
  "neighbor-accessors|neighbor.h|get_npair_name"
  "verlet-stages|verlet.h|virtual void exchange_or_forward"
  "plugin-kinds|PLUGIN/plugin.cpp|pstyle == \"comm\"")

# Functions of LAMMPS' step that run_style verlet/threadpool overrides where LAMMPS has them, as in repeated.cmake
set(TOFU_STAGES
  "verlet.cpp|void Verlet::exchange_or_forward()|9b954c1f315fbac06f61d87a2c7ca25664eb1ef0732774f84574188e36db4a91"
  "verlet.cpp|void Verlet::compute_forces()|e87081f55257ed9f21c1bf2a34f47dcf6410ebdb1569dd073eb69982f3b0746b"
  "verlet.cpp|void Verlet::finish_step()|e5975aac3d946d083d735a199547e49635f005553246176ec4c94b86379b34e7"
  "verlet.cpp|void Verlet::force_clear()|cc1054965f1bfa7f61c9b892d77bfea87e2293d6cb03edf14b641b456eacd601")

# The names of those that this LAMMPS has, in the variable TOFU_HOOKS
function(tofu_find_hooks)
  set(hooks "")
  foreach(known IN LISTS TOFU_KNOWN_HOOKS)
    string(REGEX MATCH "^(.*)\\|(.*)\\|(.*)$" known "${known}")
    set(name "${CMAKE_MATCH_1}")
    set(file "${LAMMPS_SOURCE_DIR}/${CMAKE_MATCH_2}")
    set(line "${CMAKE_MATCH_3}")
    if(EXISTS "${file}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
      file(STRINGS "${file}" found LIMIT_COUNT 1 REGEX "${line}")
      if(found)
        list(APPEND hooks "${name}")
      endif()
    endif()
  endforeach()
  set(TOFU_HOOKS "${hooks}" PARENT_SCOPE)
  if(hooks)
    string(REPLACE ";" ", " hooks "${hooks}")
    message(STATUS "TOFU: this LAMMPS has the hooks ${hooks}")
  endif()
endfunction()

# Without LAMMPS' registry of communication styles the header that registers those of the package is left out
function(tofu_leave_out_unhooked)
  if(NOT "comm-styles" IN_LIST TOFU_HOOKS)
    set_property(GLOBAL APPEND PROPERTY TOFU_LEFT_OUT_FILES comm_styles)
  endif()
endfunction()

# Sources that use hooks; called after other definitions of the sources are set
function(tofu_use_hooks)
  if("neighbor-accessors" IN_LIST TOFU_HOOKS)
    set_property(SOURCE "${TOFU_SOURCE_DIR}/lammps/neighbor_builds.cpp" APPEND PROPERTY COMPILE_DEFINITIONS
      TOFU_NEIGHBOR_ACCESSORS)
  endif()
  if("verlet-stages" IN_LIST TOFU_HOOKS)
    set_property(SOURCE "${TOFU_SOURCE_DIR}/threadpool/step/verlet_threadpool.cpp" APPEND PROPERTY COMPILE_DEFINITIONS
      TOFU_VERLET_STAGES)
  endif()
endfunction()
