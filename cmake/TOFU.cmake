# -*- CMake -*- adds the TOFU package to the build of an ordinary LAMMPS; see README.md
# SPDX-License-Identifier: GPL-2.0-only
#
# Two ways in, one code path:
#   tree untouched   cmake -D CMAKE_PROJECT_lammps_INCLUDE=<tofu>/cmake/TOFU.cmake -D PKG_TOFU=on ...
#   installed        tools/tofu install <lammps>; cmake -D PKG_TOFU=on ...
# Either way LAMMPS' project() call includes this file before LAMMPS has defined anything. At that time the
# file defines an option and watches LAMMPS_STYLE_HEADERS_DIR. LAMMPS sets this variable once, after it has
# collected all packages and right before it writes style_*.h and packages_*.h. At that moment the package is
# added. Nothing in the LAMMPS tree is edited: input.cpp and info.cpp are patched in copies.
#
# Only the TOFU sources see the TOFU folders. LAMMPS' own sources find the style headers through
# forwarding headers in the build folder, so their compile commands are the same as without TOFU:
# adding the package to an existing build recompiles few files.

get_property(TOFU_SEEN GLOBAL PROPERTY TOFU_CMAKE_FILE)
if(TOFU_SEEN)
  message(STATUS "TOFU: using ${TOFU_SEEN}, not ${CMAKE_CURRENT_LIST_FILE}")
  return()
endif()
set_property(GLOBAL PROPERTY TOFU_CMAKE_FILE "${CMAKE_CURRENT_LIST_FILE}")

option(PKG_TOFU "Build TOFU Package" OFF)
option(TOFU_NATIVE_ONLY "Compile kernels for the processor of the compiler's options alone: quicker, for this machine" OFF)

# beside this file: cmake/ in a TOFU checkout, cmake/Modules/Packages/ in a LAMMPS tree
foreach(TOFU_CANDIDATE ../src/TOFU ../../../src/TOFU)
  get_filename_component(TOFU_CANDIDATE "${TOFU_CANDIDATE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_LIST_DIR}")
  if(EXISTS "${TOFU_CANDIDATE}/dependencies.cmake")
    include("${TOFU_CANDIDATE}/dependencies.cmake")
    include("${TOFU_CANDIDATE}/repeated.cmake")
    break()
  endif()
endforeach()

# stop when a requirement is not met; LAMMPS has set these variables when the package is added
function(tofu_check_requirements)
  if(NOT TOFU_SOURCE_DIR)
    message(FATAL_ERROR "TOFU: found no src/TOFU beside ${CMAKE_CURRENT_LIST_FILE}.\n"
      "Use TOFU.cmake from a TOFU checkout, or run 'tools/tofu install' again.")
  endif()
  if(CMAKE_CXX_STANDARD LESS 17)
    message(FATAL_ERROR "TOFU: the package needs C++17, this build uses C++${CMAKE_CXX_STANDARD}.\n"
      "Configure with -D CMAKE_CXX_STANDARD=17 and a compiler that supports it (GCC 9, Clang 9 or newer).")
  endif()
  if(NOT BUILD_MPI)
    message(FATAL_ERROR "TOFU: the package needs MPI, this build has BUILD_MPI=${BUILD_MPI}.\n"
      "Configure with -D BUILD_MPI=on, or without PKG_TOFU.")
  endif()
endfunction()

# Put text before (BEFORE) or in place of (REPLACE) the one match of the regular expression in ${variable}
function(tofu_patch variable file what mode regex text)
  string(REGEX MATCHALL "${regex}" found "${${variable}}")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    tofu_lammps_version(version)
    message(FATAL_ERROR "TOFU: LAMMPS ${version} has changed where the package must be hooked in.\n"
      "  file    ${file}\n  anchor  ${what}\n  looked for the pattern\n    ${regex}\n"
      "  found it ${count} times, expected exactly 1\n"
      "Tested releases are 4Feb2025 to 4Jul2026. You can build one of those, or configure with PKG_TOFU=off and "
      "load TOFU as a plug-in (cmake/plugin), which needs no patch; and please report this message.")
  endif()
  if(mode STREQUAL "BEFORE")
    string(APPEND text "${found}")
  endif()
  string(REPLACE "${found}" "${text}" patched "${${variable}}")
  set(${variable} "${patched}" PARENT_SCOPE)
endfunction()

# Have target lammps compile ${code}, a changed copy, in place of one of its sources
function(tofu_replace_source original code)
  # the folder ends in src/ because LAMMPS shortens file names in error messages to the part behind it
  get_filename_component(name "${original}" NAME)
  set(copy "${CMAKE_BINARY_DIR}/tofu_patched/src/${name}")
  file(WRITE "${copy}.new" "${code}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different "${copy}.new" "${copy}")
  file(REMOVE "${copy}.new")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${original}")

  get_target_property(sources lammps SOURCES)
  if(NOT original IN_LIST sources)
    message(FATAL_ERROR "TOFU: ${original} is not among the sources of target lammps, so its patched copy cannot "
      "replace it. Configure with PKG_TOFU=off and load TOFU as a plug-in (cmake/plugin); and please report this message.")
  endif()
  list(REMOVE_ITEM sources "${original}")
  set_property(TARGET lammps PROPERTY SOURCES "${sources};${copy}")
endfunction()

# Changes to the input parser: "comm_style X" and "package X" also run a command style of that name, and
# "comm_style brick" and "comm_style tiled" leave p2p_rdma
function(tofu_patch_input)
  set(original "${LAMMPS_SOURCE_DIR}/input.cpp")
  file(READ "${original}" code)
  tofu_patch(code "${original}" "definition of Input::comm_style()" BEFORE "void Input::comm_style\\(\\)" [[
// TOFU: run the command style <prefix><arg[0]> with the remaining arguments, if there is one

static bool tofu_run_command(LAMMPS *lmp, const std::string &prefix, int narg, char **arg)
{
  const auto &commands = *lmp->input->command_map;
  const auto found = commands.find(prefix + arg[0]);
  if (found == commands.end()) return false;
  Command *command = found->second(lmp);
  command->command(narg - 1, arg + 1);
  delete command;
  return true;
}

]])
  tofu_patch(code "${original}" "early return of 'comm_style brick'" REPLACE
    "if \\(comm->style == Comm::BRICK\\) return" "if (tofu_run_command(lmp, \"comm_style/\", narg, arg)) return")
  tofu_patch(code "${original}" "early return of 'comm_style tiled'" REPLACE
    "if \\(comm->style == Comm::TILED\\) return"
    "if (comm->style == Comm::TILED && tofu_run_command(lmp, \"comm_style/\", narg, arg)) return")
  tofu_patch(code "${original}" "error for an unknown comm_style" BEFORE
    "else error->all\\(FLERR,[^;\"]*\"Unknown comm_style argument"
    "else if (tofu_run_command(lmp, \"comm_style/\", narg, arg)) {\n  } ")
  tofu_patch(code "${original}" "error for an unknown package" BEFORE
    "else error->all\\(FLERR,[^;\"]*\"Unknown package keyword"
    "else if (tofu_run_command(lmp, \"package/\", narg, arg)) {\n  } ")
  tofu_replace_source("${original}" "${code}")
endfunction()

# "info comm" names the communication style: LAMMPS knows two. A release where this is not possible goes on without
function(tofu_patch_info)
  set(original "${LAMMPS_SOURCE_DIR}/info.cpp")
  file(READ "${original}" code)
  foreach(anchor "#include \"info.h\"" "commstyles[comm->style], commlayout" "style = commstyles[comm->style]")
    string(FIND "${code}" "${anchor}" place)
    if(place LESS 0)
      message(STATUS "TOFU: 'info comm' of this LAMMPS does not name p2p_rdma")
      return()
    endif()
  endforeach()
  tofu_patch(code "${original}" "first header" BEFORE "#include \"info.h\"" "#include \"p2p/comm_p2p_rdma.h\"\n")
  set(name "(CommP2PRDMA::find(comm) ? \"p2p_rdma\" : commstyles[comm->style])")
  tofu_patch(code "${original}" "communication style of 'info comm'" REPLACE
    "commstyles\\[comm->style\\], commlayout" "${name}, commlayout")
  tofu_patch(code "${original}" "communication style of is_active()" REPLACE
    "style = commstyles\\[comm->style\\]" "style = ${name}")
  tofu_replace_source("${original}" "${code}")
endfunction()

# LAMMPS' sources find TOFU's headers next to the generated ones: as "room/x.h", as these headers include each
# other, and as "x.h" if the header is that of a style.  Styles that every LAMMPS gets are in TOFU/ as well:
# there they are registered and get the name of their package.  The class in the second line tells LAMMPS'
# CMake functions the kind of the style.
function(tofu_forward_headers folder)
  file(GLOB headers CONFIGURE_DEPENDS "${TOFU_SOURCE_DIR}/*/*.h")
  if(NOT TOFU_JSON_FOUND)
    list(FILTER headers EXCLUDE REGEX "/deep/[^/]*$")
  endif()
  file(GLOB outdated "${folder}/TOFU/*.h")    # those of an earlier state of the package would be registered
  foreach(header ${headers})
    get_filename_component(name "${header}" NAME)
    get_filename_component(room "${header}" DIRECTORY)
    get_filename_component(room "${room}" NAME)
    file(STRINGS "${header}" class LIMIT_COUNT 1 REGEX "^#ifdef [A-Z]+_CLASS$")
    set(forwards "${folder}/${room}/${name}")
    if(class)
      list(APPEND forwards "${folder}/${name}")
      # the last one belongs to a style that is no part of LAMMPS, so that it is not found as a variant of one
      if(NOT "${room}/${name}" MATCHES "^styles/|^offload/pppm_" OR
         ("${name}" STREQUAL "pppm_dplr_threadpool.h" AND PKG_KSPACE AND TOFU_FFTW_FOUND))
        list(APPEND forwards "${folder}/TOFU/${name}")
      endif()
    endif()
    foreach(forward ${forwards})
      file(WRITE "${forward}.new" "#include \"${header}\"\n// ${class}\n")
      execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different "${forward}.new" "${forward}")
      file(REMOVE "${forward}.new")
    endforeach()
    list(REMOVE_ITEM outdated ${forwards})
  endforeach()
  if(outdated)
    file(REMOVE ${outdated})
  endif()
endfunction()

function(tofu_add_sources)
  set(sources "")
  tofu_add_rooms(sources ${TOFU_ROOMS})
  file(GLOB found CONFIGURE_DEPENDS "${TOFU_SOURCE_DIR}/offload/fix_*.cpp")
  list(APPEND sources ${found})
  set(folders "${TOFU_SOURCE_DIR}")
  # styles with the suffix, for those styles that this LAMMPS has
  get_property(suffixed GLOBAL PROPERTY TOFU_THREADPOOL_SOURCES)
  list(APPEND sources ${suffixed})
  get_property(offload GLOBAL PROPERTY TOFU_OFFLOAD_SOURCES)
  if(offload)
    file(GLOB offload CONFIGURE_DEPENDS "${TOFU_SOURCE_DIR}/mesh/*.cpp" "${TOFU_SOURCE_DIR}/offload/pppm_*.cpp")
    list(APPEND sources ${offload})
    list(APPEND folders ${TOFU_FFTW_INCLUDE_DIR})
    target_link_libraries(lammps PRIVATE ${TOFU_FFTWF_LIBRARY} ${TOFU_FFTW_LIBRARY})
  endif()
  if(TOFU_JSON_FOUND)
    tofu_add_rooms(sources deep model)
    list(APPEND folders ${TOFU_JSON_FOLDER})
  endif()
  target_sources(lammps PRIVATE ${sources})

  tofu_find_system()
  target_link_libraries(lammps PRIVATE ${TOFU_SYSTEM_LIBRARIES})
  tofu_find_highway()
  list(APPEND folders ${TOFU_HWY_INCLUDE_DIR})
  target_link_libraries(lammps PRIVATE ${TOFU_HWY_LIBRARY})
  tofu_find_libfabric()
  if(TOFU_OFI_FOUND)
    set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS TOFU_OFI)
    list(APPEND folders ${TOFU_OFI_INCLUDE_DIR})
    target_link_libraries(lammps PRIVATE ${TOFU_OFI_LIBRARY})
  endif()

  tofu_sanitize(lammps ${sources})
  if(TOFU_NATIVE_ONLY)
    file(GLOB kernels "${TOFU_SOURCE_DIR}/kernels/*.cpp")
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_DEFINITIONS HWY_COMPILE_ONLY_STATIC)
  endif()

  # a folder that the compiler searches anyway would be searched too early if it were named explicitly
  list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  set_source_files_properties(${sources} PROPERTIES INCLUDE_DIRECTORIES "${folders}")
  tofu_use_hwloc(lammps PRIVATE)
endfunction()

# this is a macro, since SUFFIX_PACKAGES, the list that lmp -h prints, belongs to the scope that sets
# LAMMPS_STYLE_HEADERS_DIR
macro(tofu_add_package watched_variable watched_access watched_value)
  get_property(TOFU_ADDED GLOBAL PROPERTY TOFU_ADDED)
  if("${watched_access}" STREQUAL "MODIFIED_ACCESS" AND TARGET lammps AND NOT TOFU_ADDED)
    set_property(GLOBAL PROPERTY TOFU_ADDED TRUE)
    if(PKG_TOFU)
      tofu_check_requirements()
      tofu_check_repeated_steps()
      tofu_check_repeated_styles()
      list(APPEND SUFFIX_PACKAGES TOFU)
      tofu_find_json()
      tofu_find_fftw()
      tofu_forward_headers("${watched_value}")
      RegisterStyles("${watched_value}/TOFU")
      RegisterStylesExt("${TOFU_SOURCE_DIR}/styles" threadpool TOFU_THREADPOOL_SOURCES)
      if(TOFU_FFTW_FOUND)
        RegisterStylesExt("${TOFU_SOURCE_DIR}/offload" offload TOFU_OFFLOAD_SOURCES)
        RegisterStylesExt("${TOFU_SOURCE_DIR}/offload" threadpool TOFU_OFFLOAD_SOURCES)
      endif()
      RegisterPackages("${watched_value}/TOFU")
      tofu_add_sources()
      tofu_patch_input()
      tofu_patch_info()
    endif()
  endif()
endmacro()

# without this check, a LAMMPS that renames the watched variable would silently be built without TOFU
function(tofu_check_added)
  get_property(added GLOBAL PROPERTY TOFU_ADDED)
  if(PKG_TOFU AND NOT added)
    tofu_lammps_version(version)
    message(FATAL_ERROR "TOFU: LAMMPS ${version} has changed where the package must be hooked in: its CMakeLists.txt "
      "never set LAMMPS_STYLE_HEADERS_DIR.\nTested releases are 4Feb2025 to 4Jul2026. You can build one of those, or "
      "configure with PKG_TOFU=off and load TOFU as a plug-in (cmake/plugin); and please report this message.")
  endif()
endfunction()

if(CMAKE_VERSION VERSION_LESS 3.20)
  if(PKG_TOFU)
    message(FATAL_ERROR "TOFU: the package needs CMake 3.20 or newer, this is ${CMAKE_VERSION}.")
  endif()
else()
  variable_watch(LAMMPS_STYLE_HEADERS_DIR tofu_add_package)
  cmake_language(DEFER CALL tofu_check_added)
endif()
