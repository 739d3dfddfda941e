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

# release date of this LAMMPS, such as 4Feb2025
function(tofu_lammps_version variable)
  file(STRINGS "${LAMMPS_SOURCE_DIR}/version.h" line REGEX "LAMMPS_VERSION")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" date "${line}")
  string(REPLACE " " "" date "${date}")
  set(${variable} "${date}" PARENT_SCOPE)
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

# Styles with the suffix that repeat what functions of LAMMPS do, and have their constants: run_style verlet/threadpool
# the stages of a step, and min_style cg/threadpool and its like those of an iteration. If LAMMPS has changed more than
# comments, layout and parentheses of return there, the style may leave out a stage
function(tofu_check_repeated)
  foreach(known
      "verlet.cpp|void Verlet::run(int n)|9807dd266d197497b096ce7d6a5ec9ba2d102a4700c8cbc0bb682441cf4f3dde"
      "verlet.cpp|void Verlet::force_clear()|cc1054965f1bfa7f61c9b892d77bfea87e2293d6cb03edf14b641b456eacd601"
      "min.cpp|double Min::energy_force(int resetflag)|c83804ebe1d4e27825eea75df38a235715822a830b7fbc7c2e469ca0f570b606"
      "min.cpp|void Min::force_clear()|898bce83e18f344e78443cd580d923b4090ccc550ce31f8cd0934f95cd04d9f4"
      "min.cpp|double Min::fnorm_sqr()|678a5832cb06a534d0de756d044a0f199f6634797de6f34d29f034a469448c4c"
      "min.cpp|double Min::fnorm_inf()|efa6d259ab27d47c491078fc30123b024c0a3d41d9be46b5dee41a0246afa125"
      "min.cpp|double Min::fnorm_max()|96e27eb4d3c91713a6fe6527fff2d0b2f844b882baef3729209650b248f1f7d0"
      "min_cg.cpp|static constexpr double EPS_ENERGY|f9ebfd218267513581b06ccf4e1659e97094f787164c00cb0ea94b0f0376c40b"
      "min_cg.cpp|int MinCG::iterate(int maxiter)|dcf75d1e036f6674eabc620b927836d2c79ab8f07956eb87b129ac4b6f5dde87"
      "min_sd.cpp|static constexpr double EPS_ENERGY|f9ebfd218267513581b06ccf4e1659e97094f787164c00cb0ea94b0f0376c40b"
      "min_sd.cpp|int MinSD::iterate(int maxiter)|01ffe2786456695ba01845d649fad60e8df3597966179b3b9ffce249e4ac31c6"
      "min_quickmin.cpp|static constexpr double EPS_ENERGY|387f43641657d2f92bc50868417f095053251c4e2f9b3143bbfdc0a5bb95cabb"
      "min_quickmin.cpp|void MinQuickMin::init()|aa1f5fa4614f0b71b7ff2b1109b76313fc37c51b4f0bd2dc0d9b34c5ba570f58"
      "min_quickmin.cpp|void MinQuickMin::setup_style()|873bd234d36a5bce3186473ce0f16b6e103b3d0644323a6d58941b4e7f0ce15c"
      "min_quickmin.cpp|int MinQuickMin::iterate(int maxiter)|b5fc97d095c33bddd97263cab1107126d04f37ab8d84b4397f4cb92dd0b14d27"
      "min_fire.cpp|static constexpr double EPS_ENERGY|f9ebfd218267513581b06ccf4e1659e97094f787164c00cb0ea94b0f0376c40b"
      "min_fire.cpp|void MinFire::init()|7ee10c2d0f05a51e7d95b8dc48254252072afd02765e8f0777cf57bdd4c189c2"
      "min_fire.cpp|void MinFire::setup_style()|a6683bd075b94a173e188e706e8de2e14b7bf72850ce99bca789cdb8cffa2341"
      "min_fire.cpp|template <int INTEGRATOR, bool ABCFLAG> int MinFire::run_iterate(int maxiter)|93c7b3d8af8ff72eb21079760eb54b90fe9006513d4b98cb18a7bd2f8d599d3d"
      "min_linesearch.cpp|static constexpr double ALPHA_MAX|3e6caceaaae7212f1cbc5692026ed425e0026838415b74da4ae0c8fa492d36d5"
      "min_linesearch.cpp|void MinLineSearch::setup_style()|4cf88e9ce0166531678ca3368f23e6bd5fc55807637f554078a0cd30a1e394b5"
      "min_linesearch.cpp|void MinLineSearch::reset_vectors()|2e18a6ed22868b6a2ffd9d9f796bc6c17b7fb46f102235b2bee379faac267743"
      "min_linesearch.cpp|int MinLineSearch::linemin_backtrack(double eoriginal, double &alpha)|2fd14428b96abebd0f3030accdbd21c9be8e27c3dbd72c5821b94251ce54fb05"
      "min_linesearch.cpp|int MinLineSearch::linemin_quadratic(double eoriginal, double &alpha)|a8987d00bc636d552cb937d8f76c9957bd411bdffd65c2fc516ca12f62896488"
      "min_linesearch.cpp|int MinLineSearch::linemin_forcezero(double eoriginal, double &alpha)|982b9ddfc97440be131e3b0583b1550997a1fed801b7eca22b7a3dce3d8ef2ea"
      "min_linesearch.cpp|double MinLineSearch::alpha_step(double alpha, int resetflag)|a8639e0885ca117f86342a4a86dc13b512986d92a970eaff945afbb0a3163590"
      "min_linesearch.cpp|double MinLineSearch::compute_dir_deriv(double &ff)|4465a6b98838297d2cc72aa52f1d20f3638c5d443604ab24e1c8937357bc63aa"
      "min_hftn.cpp|static const double  MIN_ETOL_MAG|c571dcb7bba95dc61437bd818d4ffbce5dcf382fb5a08bd2d2f7bc9314133b28"
      "min_hftn.cpp|void MinHFTN::init()|b84287e1ffeadcb93749f6f4db8ca1393b0c3346a14b41a315a13d3d4a46396f"
      "min_hftn.cpp|void MinHFTN::setup_style()|749eaf1a11468185aa08008720f6c8f15509530d1540eded3d92ff100866c48c"
      "min_hftn.cpp|void MinHFTN::reset_vectors()|4736f3f8a9fca4fff7ecfd4d896da9fce961539092bd7a1ef6dea8e81b1f848f"
      "min_hftn.cpp|int MinHFTN::iterate(int)|ac2db5638ac55c98347a4bd9a1d55085c8d4fd8c25e13766c4a99e47700433cc,fbf1b82a1ef196f2b2d8c78d6058c1cf70325b21b32de044d2f806f8d7f296bc"
      "min_hftn.cpp|int MinHFTN::execute_hftn_(|cb930b50539e7aeaa21eca71f307f7ad20d6b0dc5fff825d6bd7106f79068569"
      "min_hftn.cpp|bool MinHFTN::compute_inner_cg_step_(|fa41ff647688b75a2ba5c0e731aae4e78f937334d4de5e0a9d402066c966487e"
      "min_hftn.cpp|double MinHFTN::calc_xinf_using_mpi_()|d4c98525f539b98fda496d6771e87743ea2afc6fb521f7d24944bee074de5e01"
      "min_hftn.cpp|double MinHFTN::calc_dot_prod_using_mpi_(|470f5155fbb9a2faae8c38a9f1870bf93b19f3dca6180c4f8285fd6838ccaf14"
      "min_hftn.cpp|double MinHFTN::calc_grad_dot_v_using_mpi_(|f2b61e46854f3261e1fdc33ad2e6d0c04bdc82e66288cdc0dc1b8b51674ba5d2"
      "min_hftn.cpp|void MinHFTN::calc_dhd_dd_using_mpi_(|1187afd6c32e9ef3b710a5236b4f79cc552eccac5db507db080c32c0893e1f32"
      "min_hftn.cpp|void MinHFTN::calc_ppnew_pdold_using_mpi_(|6f57772ade37df408d39ecf03d50dd923d65ae6c086994282c1dce67f3856dcf"
      "min_hftn.cpp|void MinHFTN::calc_plengths_using_mpi_(|c41da6c74d2357060eedc636fcdf42bfca98486cd576675eb40b700e6663893d"
      "min_hftn.cpp|bool MinHFTN::step_exceeds_TR_(|cb50c4df27dcfb7086a7e22ea13e854204496172b6a71bb11a0f32a459e154da"
      "min_hftn.cpp|bool MinHFTN::step_exceeds_DMAX_()|3df00e7655f51b228e27c219507d4ec37cb89ee1f02a7d186976ed842670bc12"
      "min_hftn.cpp|void MinHFTN::adjust_step_to_tau_(|3e382106798f5080777969f4a5e4d2a04b9794f2a4d7be77f4f4b87c300018db"
      "min_hftn.cpp|double MinHFTN::compute_to_tr_(|f54cffbd64beb7efc8b5fe9c58596944a7dc55904a9029ec79f38ed32b2081a2"
      "min_hftn.cpp|void MinHFTN::evaluate_dir_der_(|79fa87c48dbc59feebff74e018bec3adba1ea1dc584e7f511e62dccb2eef6213")
    string(REGEX MATCH "^(.*)\\|(.*)\\|(.*)$" known "${known}")
    set(file "${LAMMPS_SOURCE_DIR}/${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    string(REPLACE "," ";" wanted "${CMAKE_MATCH_3}")    # of older and newer releases
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" code)
    string(FIND "${code}" "${name}" begin)
    set(found "")
    if(NOT begin EQUAL -1)
      string(SUBSTRING "${code}" ${begin} -1 body)
      foreach(mark "\n}\n" "\n/* -")    # of a function; of constants
        string(FIND "${body}" "${mark}" end)
        string(SUBSTRING "${body}" 0 ${end} body)
      endforeach()
      string(REGEX REPLACE "//[^\n]*" "" body "${body}")
      string(REGEX REPLACE "[ \t\r\n]" "" body "${body}")
      string(REGEX REPLACE "return\\(([^();]*)\\);" "return\\1;" body "${body}")
      string(SHA256 found "${body}")
    endif()
    if(NOT found IN_LIST wanted)
      tofu_lammps_version(version)
      message(FATAL_ERROR "TOFU: LAMMPS ${version} has changed ${name}, whose stages run_style verlet/threadpool or a "
        "min_style with the suffix threadpool repeats.\n"
        "  file    ${file}\n"
        "Tested releases are 4Feb2025 to 4Jul2026. You can build one of those, or configure with PKG_TOFU=off and "
        "load TOFU as a plug-in (cmake/plugin), which does not have these styles; and please report this message.")
    endif()
  endforeach()
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
      tofu_check_repeated()
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
