# -*- CMake -*- adds the TOFU package to the build of an ordinary LAMMPS; see README.md
# SPDX-License-Identifier: GPL-2.0-only
#
# Two ways in, one code path:
#   tree untouched   cmake -D CMAKE_PROJECT_lammps_INCLUDE=<tofu>/cmake/TOFU.cmake -D PKG_TOFU=on ...
#   installed        tools/tofu install <lammps>; cmake -D PKG_TOFU=on ...
# Either way LAMMPS' project() call includes this file before LAMMPS has defined anything. At that time the
# file defines an option and watches LAMMPS_STYLE_HEADERS_DIR. LAMMPS sets this variable once, after it has
# collected all packages and right before it writes style_*.h and packages_*.h. At that moment the package is
# added. Nothing in the LAMMPS tree is edited: input.cpp and info.cpp are patched in copies, where LAMMPS does not have the
# hooks of packaging/upstream.
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

option(TOFU_DEEP "Deep potentials: pair_style deepmd and fix dplr with the suffix" ON)

option(TOFU_PCH "Compile headers of LAMMPS once: half of the compile time, but all command lines differ" OFF)
mark_as_advanced(TOFU_PCH)
option(TOFU_GROWING "Packages of LAMMPS will be added to this build: sources are not compiled again for that" OFF)
mark_as_advanced(TOFU_GROWING)

# beside this file: cmake/ in a TOFU checkout, cmake/Modules/Packages/ in a LAMMPS tree
foreach(TOFU_CANDIDATE ../src/TOFU ../../../src/TOFU)
  get_filename_component(TOFU_CANDIDATE "${TOFU_CANDIDATE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_LIST_DIR}")
  if(EXISTS "${TOFU_CANDIDATE}/dependencies.cmake")
    include("${TOFU_CANDIDATE}/dependencies.cmake")
    include("${TOFU_CANDIDATE}/hooks.cmake")
    include("${TOFU_CANDIDATE}/repeated.cmake")
    include("${TOFU_CANDIDATE}/style_tables.cmake")
    include("${TOFU_CANDIDATE}/patched.cmake")
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

# Have target lammps compile a copy of one of its sources that is changed by a function of patched.cmake, unless this
# LAMMPS has hooks for what is to be changed.
#   problem   becomes what this release does not have as the function expects it; then nothing is changed
function(tofu_change_source name problem)
  set(original "${LAMMPS_SOURCE_DIR}/${name}.cpp")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${original}")
  get_target_property(sources lammps SOURCES)
  set(failed "the place of this file")
  if(original IN_LIST sources)
    set(failed "")
    file(READ "${original}" unchanged)
    set(code "${unchanged}")
    cmake_language(CALL "tofu_change_${name}" code failed)
  endif()
  if(NOT failed AND NOT code STREQUAL unchanged)
    # the folder ends in src/ because LAMMPS shortens file names in error messages to the part behind it
    set(copy "${CMAKE_BINARY_DIR}/tofu_patched/src/${name}.cpp")
    file(WRITE "${copy}.new" "${code}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different "${copy}.new" "${copy}")
    file(REMOVE "${copy}.new")
    list(REMOVE_ITEM sources "${original}")
    set_property(TARGET lammps PROPERTY SOURCES "${sources};${copy}")
  endif()
  set(${problem} "${failed}" PARENT_SCOPE)
endfunction()

# A release whose sources are not as the changes expect them goes on without: there commands are spelled as with the
# plug-in, and "info comm" does not name p2p/rdma
function(tofu_change_sources)
  tofu_change_source(input problem)
  if(problem)
    tofu_leave_out("${TOFU_SPELLINGS}" "${problem} in input.cpp")
    set_property(SOURCE "${TOFU_SOURCE_DIR}/lammps/io/command_line.cpp" APPEND PROPERTY COMPILE_DEFINITIONS
      TOFU_COMMANDS_WITH_SLASH)
  endif()
  tofu_change_source(info problem)
  if(problem)
    message(STATUS "TOFU: 'info comm' of this LAMMPS does not name p2p/rdma")
  endif()
endfunction()

# The class of the styles in a header, such as FIX_CLASS, and its lines FixStyle(name,Class); empty if it has none
function(tofu_styles_in header class markers)
  file(STRINGS "${header}" found LIMIT_COUNT 1 REGEX "^#ifdef [A-Z]+_CLASS$")
  string(REPLACE "#ifdef " "" found "${found}")
  set(${class} "${found}" PARENT_SCOPE)
  file(STRINGS "${header}" lines REGEX "^[A-Za-z]+Style\\(")
  string(REGEX MATCHALL "[A-Za-z]+Style\\([^()]*\\)" lines "${lines}")
  set(${markers} "${lines}" PARENT_SCOPE)
endfunction()

# LAMMPS' sources find TOFU's headers next to the generated ones: as "room/x.h", as these headers include each
# other, and as "x.h" if the header is that of a style.  Styles that every LAMMPS gets are in TOFU/ as well:
# there they are registered and get the name of their package.  A forward says which styles its header has, as the
# header does: LAMMPS' CMake functions read it, up to 4Jul2026 the class only, from 2Sep2026 on the names, too.
function(tofu_forward_headers folder)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${TOFU_SOURCE_DIR}/*.h")
  if(NOT TOFU_JSON_FOUND)
    list(FILTER headers EXCLUDE REGEX "^${TOFU_SOURCE_DIR}/deep/")
  endif()
  tofu_without_left_out(headers)
  tofu_registered_headers(registered)
  list(APPEND headers ${registered})
  list(REMOVE_DUPLICATES headers)
  file(GLOB outdated "${folder}/TOFU/*.h")    # those of an earlier state of the package would be registered
  foreach(header ${headers})
    get_filename_component(name "${header}" NAME)
    file(RELATIVE_PATH path "${TOFU_SOURCE_DIR}" "${header}")
    tofu_styles_in("${header}" class markers)
    set(forwards "${folder}/${path}")
    set(text "#include \"${header}\"\n")
    if(class)
      string(REPLACE ";" ";\n" markers "${markers}")
      set(text "#ifdef ${class}\n${markers};\n#else\n${text}#endif\n")
      if(path MATCHES "^\\.\\./")    # written from a table
        set(forwards "")
      endif()
      list(APPEND forwards "${folder}/${name}")
      if(NOT "${path}" MATCHES "^styles/|^offload/pppm_|^\\.\\./")
        list(APPEND forwards "${folder}/TOFU/${name}")
      endif()
    endif()
    foreach(forward ${forwards})
      file(CONFIGURE OUTPUT "${forward}" CONTENT "${text}" @ONLY)    # leaves a file with this text alone
    endforeach()
    list(REMOVE_ITEM outdated ${forwards})
  endforeach()
  if(outdated)
    file(REMOVE ${outdated})
  endif()
endfunction()

# Kinds of styles that have variants with a suffix: LAMMPS' lists of their headers
set(TOFU_SUFFIXED_KINDS ANGLE BOND COMPUTE DIHEDRAL FIX IMPROPER KSPACE MINIMIZE PAIR)

# Folder with headers of styles that are entries in tables
set(TOFU_STYLES_FOLDER "${CMAKE_BINARY_DIR}/tofu_styles")

# Register those styles of a folder with a suffix that this LAMMPS has without it; a property gets their sources
function(tofu_register_suffix folder suffix property)
  RegisterStylesExt("${TOFU_SOURCE_DIR}/${folder}" ${suffix} ${property})
  get_property(sources GLOBAL PROPERTY ${property})
  tofu_without_left_out(sources)
  set_property(GLOBAL PROPERTY ${property} "${sources}")
endfunction()

# Register the styles of styles/; a property gets their sources
function(tofu_register_styles property)
  set(stock "")
  foreach(kind ${TOFU_SUFFIXED_KINDS})
    get_property(headers GLOBAL PROPERTY ${kind})
    foreach(header IN LISTS headers)
      get_filename_component(name "${header}" NAME_WE)
      list(APPEND stock "${name}")
    endforeach()
  endforeach()
  tofu_find_styles(headers sources "${TOFU_STYLES_FOLDER}" ${stock})
  foreach(header IN LISTS headers)
    tofu_styles_in("${header}" class markers)
    string(REPLACE "_CLASS" "" kind "${class}")
    set_property(GLOBAL APPEND PROPERTY ${kind} "${header}")
  endforeach()
  set_property(GLOBAL PROPERTY ${property} "${sources}")
endfunction()

# Headers of the package whose styles are registered with a suffix
function(tofu_registered_headers variable)
  set(headers "")
  foreach(kind ${TOFU_SUFFIXED_KINDS})
    get_property(registered GLOBAL PROPERTY ${kind})
    list(FILTER registered INCLUDE REGEX "^(${TOFU_SOURCE_DIR}|${TOFU_STYLES_FOLDER})/")
    list(APPEND headers ${registered})
  endforeach()
  set(${variable} "${headers}" PARENT_SCOPE)
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
    file(GLOB offload CONFIGURE_DEPENDS "${TOFU_SOURCE_DIR}/offload/pppm_*.cpp")
    list(APPEND sources ${offload})
    tofu_add_rooms(sources mesh)
    list(APPEND folders ${TOFU_FFTW_INCLUDE_DIR})
    target_link_libraries(lammps PRIVATE ${TOFU_FFTWF_LIBRARY} ${TOFU_FFTW_LIBRARY})
  endif()
  if(TOFU_JSON_FOUND)
    set(deep "")
    tofu_add_rooms(deep deep model)
    list(APPEND sources ${deep})
  endif()
  tofu_without_left_out(sources)
  tofu_registered_headers(registered)
  tofu_without_unused(sources ${registered})
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
    file(GLOB kernels "${TOFU_SOURCE_DIR}/kernels/*/*.cpp")
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_DEFINITIONS HWY_COMPILE_ONLY_STATIC)
  endif()

  # a folder that the compiler searches anyway would be searched too early if it were named explicitly
  list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  set_source_files_properties(${sources} PROPERTIES INCLUDE_DIRECTORIES "${folders}")
  if(TOFU_JSON_FOUND)
    set_property(SOURCE ${deep} APPEND PROPERTY INCLUDE_DIRECTORIES "${TOFU_JSON_FOLDER}")
  endif()
  tofu_use_hwloc(lammps PRIVATE)
  tofu_find_utofu()
  if(TOFU_UTOFU_FOUND)
    tofu_use_utofu(lammps PRIVATE)
  endif()
endfunction()

# this is a macro, since SUFFIX_PACKAGES, the list that lmp -h prints, belongs to the scope that sets
# LAMMPS_STYLE_HEADERS_DIR
macro(tofu_add_package watched_variable watched_access watched_value)
  get_property(TOFU_ADDED GLOBAL PROPERTY TOFU_ADDED)
  if("${watched_access}" STREQUAL "MODIFIED_ACCESS" AND TARGET lammps AND NOT TOFU_ADDED)
    set_property(GLOBAL PROPERTY TOFU_ADDED TRUE)
    if(PKG_TOFU)
      tofu_check_requirements()
      tofu_find_hooks()
      tofu_leave_out_unhooked()
      tofu_compare_repeated()
      list(APPEND SUFFIX_PACKAGES TOFU)
      set(TOFU_JSON_FOUND FALSE)
      if(TOFU_DEEP)
        tofu_find_json()
      endif()
      tofu_find_fftw()
      tofu_register_styles(TOFU_THREADPOOL_SOURCES)
      tofu_forward_headers("${watched_value}")
      RegisterStyles("${watched_value}/TOFU")
      if(TOFU_FFTW_FOUND)
        tofu_register_suffix(offload offload TOFU_OFFLOAD_SOURCES)
        tofu_register_suffix(offload threadpool TOFU_OFFLOAD_SOURCES)
      endif()
      RegisterPackages("${watched_value}/TOFU")
      tofu_add_sources()
      tofu_use_hooks()
      tofu_change_sources()
      tofu_tell_left_out()
    endif()
  endif()
endmacro()

# Stop if LAMMPS' generated sources lack one of the styles: a release that finds them in another way would silently be
# built without
function(tofu_check_registered)
  file(GLOB headers "${CMAKE_BINARY_DIR}/styles/TOFU/*.h")
  tofu_registered_headers(registered)
  list(APPEND headers ${registered})
  foreach(header IN LISTS headers)
    tofu_styles_in("${header}" class markers)
    string(TOLOWER "${class}" kind)
    string(REPLACE "_class" "" kind "${kind}")
    set(generated "${CMAKE_BINARY_DIR}/styles/style_${kind}.cpp")    # from 2Sep2026 on
    set(wanted "${markers}")
    if(NOT EXISTS "${generated}")
      set(generated "${CMAKE_BINARY_DIR}/styles/style_${kind}.h")
      get_filename_component(wanted "${header}" NAME)
    endif()
    set(code "")
    if(EXISTS "${generated}")
      file(READ "${generated}" code)
    endif()
    foreach(one IN LISTS wanted)
      string(REGEX REPLACE "^.*,(.*)\\)$" "\\1" word "${one}")    # the class of a marker
      string(FIND "${code}" "${word}" place)
      if(place LESS 0)
        tofu_lammps_version(version)
        message(FATAL_ERROR "TOFU: LAMMPS ${version} has changed how it finds styles: ${one} is not in ${generated}.\n"
          "Tested releases are 4Feb2025 to 4Jul2026. You can build one of those; and please report this message.")
      endif()
    endforeach()
  endforeach()
endfunction()

# without this check, a LAMMPS that renames the watched variable would silently be built without TOFU
function(tofu_check_added)
  get_property(added GLOBAL PROPERTY TOFU_ADDED)
  if(PKG_TOFU AND NOT added)
    tofu_lammps_version(version)
    message(FATAL_ERROR "TOFU: LAMMPS ${version} has changed where the package must be hooked in: its CMakeLists.txt "
      "never set LAMMPS_STYLE_HEADERS_DIR.\nTested releases are 4Feb2025 to 4Jul2026. You can build one of those, or "
      "configure with PKG_TOFU=off and load TOFU as a plug-in (cmake/plugin); and please report this message.")
  endif()
  if(PKG_TOFU)
    tofu_check_registered()
  endif()
endfunction()

# Let sources be compiled by the same commands whichever packages there are.  LAMMPS adds the folder of each package to
# all commands, and macros of the package KSPACE; here all commands have one folder with links to the headers of all
# packages, whose names are unique, and these macros.
function(tofu_use_same_commands)
  if(NOT TOFU_GROWING OR NOT TARGET lammps)
    return()
  endif()
  set(links "${CMAKE_BINARY_DIR}/package_headers")
  file(GLOB headers "${LAMMPS_SOURCE_DIR}/[A-Z]*/*.h")
  list(FILTER headers EXCLUDE REGEX "^${LAMMPS_SOURCE_DIR}/(DEPEND|GPU|KOKKOS|MAKE|STUBS|TOFU)/")
  file(MAKE_DIRECTORY "${links}")
  foreach(header IN LISTS headers)
    get_filename_component(name "${header}" NAME)
    if(NOT EXISTS "${links}/${name}")
      file(CREATE_LINK "${header}" "${links}/${name}" SYMBOLIC)
    endif()
  endforeach()
  get_target_property(folders lammps INCLUDE_DIRECTORIES)
  list(FILTER folders EXCLUDE REGEX "^${LAMMPS_SOURCE_DIR}/[A-Z][A-Z0-9-]*$")
  set_property(TARGET lammps PROPERTY INCLUDE_DIRECTORIES ${folders} "${links}")
  if(NOT PKG_KSPACE)
    include(Packages/KSPACE)
  endif()
endfunction()

# Let the sources of LAMMPS, and those of TOFU that know it, share a precompiled header.  Left out are sources with
# options of their own, such as checks of addresses, and those that define macros before their first header.
function(tofu_precompile)
  if(NOT TOFU_PCH OR NOT TARGET lammps)
    return()
  endif()
  get_target_property(sources lammps SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    get_source_file_property(flags "${source}" COMPILE_FLAGS)
    if(options OR flags OR source MATCHES
       "^${TOFU_SOURCE_DIR}/(base|balance|halo|kernels|mesh|model|placement|pool|transport)/|/fmtlib_[^/]*$|_patched/")
      set_property(SOURCE "${source}" PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT source MATCHES "\\.c$")    # for ccache
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -fpch-preprocess)
    endif()
  endforeach()
  set(standard algorithm array cmath cstdio cstdlib cstring exception functional map memory mpi.h set string
    unordered_map utility vector)
  list(TRANSFORM standard REPLACE "^(.+)$" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  set(own atom.h atom_vec.h comm.h compute.h domain.h error.h fix.h force.h group.h input.h kspace.h lammps.h math_const.h
    memory.h modify.h neigh_list.h neighbor.h output.h pair.h pointers.h update.h utils.h variable.h)
  list(TRANSFORM own REPLACE "^(.+)$" "$<$<COMPILE_LANGUAGE:CXX>:${LAMMPS_SOURCE_DIR}/\\1>")
  target_precompile_headers(lammps PRIVATE ${standard} ${own})
endfunction()

if(CMAKE_VERSION VERSION_LESS 3.20)
  if(PKG_TOFU)
    message(FATAL_ERROR "TOFU: the package needs CMake 3.20 or newer, this is ${CMAKE_VERSION}.")
  endif()
else()
  variable_watch(LAMMPS_STYLE_HEADERS_DIR tofu_add_package)
  cmake_language(DEFER CALL tofu_check_added)
  cmake_language(DEFER CALL tofu_use_same_commands)
  cmake_language(DEFER CALL tofu_precompile)
endif()
