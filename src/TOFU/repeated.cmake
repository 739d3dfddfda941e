# SPDX-License-Identifier: GPL-2.0-only
# Functions of LAMMPS whose stages, terms or constants styles of the package repeat, with the check sums of those that they
# were made from.  The builds of the package and of the plug-in compare them: if LAMMPS has changed more than comments,
# layout and parentheses of return there, results could differ from LAMMPS' own without a word, so the style is left out.

option(TOFU_STRICT "Stop where a style of TOFU would be left out, since LAMMPS has changed what it repeats" OFF)
mark_as_advanced(TOFU_STRICT)

# release date of this LAMMPS, such as 4Feb2025
function(tofu_lammps_version variable)
  file(STRINGS "${LAMMPS_SOURCE_DIR}/version.h" line REGEX "LAMMPS_VERSION")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" date "${line}")
  string(REPLACE " " "" date "${date}")
  set(${variable} "${date}" PARENT_SCOPE)
endfunction()

# Check sum of the text from ${name} to the end of the function, or of constants to the next comment above a function;
# empty if there is none
function(tofu_text_sum variable file name)
  file(READ "${file}" code)
  string(FIND "${code}" "${name}" begin)
  set(sum "")
  if(NOT begin EQUAL -1)
    string(SUBSTRING "${code}" ${begin} -1 body)
    set(marks "\n}\n" "\n/* -")
    if(name MATCHES "^  ")    # in a class
      set(marks "\n  }\n")
    endif()
    foreach(mark IN LISTS marks)
      string(FIND "${body}" "${mark}" end)
      string(SUBSTRING "${body}" 0 ${end} body)
    endforeach()
    string(REGEX REPLACE "//[^\n]*" "" body "${body}")
    string(REGEX REPLACE "[ \t\r\n]" "" body "${body}")
    string(REGEX REPLACE "return\\(([^();]*)\\);" "return\\1;" body "${body}")
    string(SHA256 sum "${body}")
  endif()
  set(${variable} "${sum}" PARENT_SCOPE)
endfunction()

# What users call a style, and the name of its files without ending
#   words   kind and name: "min cg", "run verlet", "fix langevin"
function(tofu_names_of words called file)
  string(REGEX MATCH "^([a-z]+) (.*)$" words "${words}")
  set(command "${CMAKE_MATCH_1}_style ")
  if(CMAKE_MATCH_1 STREQUAL "fix")
    set(command "fix ")
  endif()
  set(${called} "${command}${CMAKE_MATCH_2}/threadpool" PARENT_SCOPE)
  string(REGEX REPLACE "^run_" "" name "${CMAKE_MATCH_1}_${CMAKE_MATCH_2}_threadpool")
  set(${file} "${name}" PARENT_SCOPE)
endfunction()

# Leave something out and remember why
#   called   by users
#   reason   what LAMMPS has changed
#   ARGN     names of its files without ending
function(tofu_leave_out called reason)
  tofu_lammps_version(version)
  if(TOFU_STRICT)
    message(FATAL_ERROR "TOFU: ${called} would be left out: LAMMPS ${version} has changed ${reason}")
  endif()
  set_property(GLOBAL APPEND PROPERTY TOFU_LEFT_OUT "${called}: ${reason}")
  set_property(GLOBAL APPEND PROPERTY TOFU_LEFT_OUT_FILES ${ARGN})
endfunction()

# Take headers and sources of what is left out from a list of paths
function(tofu_without_left_out variable)
  get_property(names GLOBAL PROPERTY TOFU_LEFT_OUT_FILES)
  foreach(name IN LISTS names)
    list(FILTER ${variable} EXCLUDE REGEX "/${name}\\.(h|cpp)$")
  endforeach()
  set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()

# Tell what is left out, here and in the log of each run
function(tofu_tell_left_out)
  get_property(lines GLOBAL PROPERTY TOFU_LEFT_OUT)
  if(lines)
    tofu_lammps_version(version)
    string(REPLACE ";" "\n  " listed "${lines}")
    message(WARNING "TOFU: left out, since LAMMPS ${version} has changed what they repeat or need:\n  ${listed}\n"
      "All else is built. Tested releases are 4Feb2025 to 4Jul2026; please report this message.")
    string(REPLACE ";" "\\n  " listed "${lines}")
    set_property(SOURCE "${TOFU_SOURCE_DIR}/lammps/io/version_line.cpp" APPEND PROPERTY COMPILE_DEFINITIONS
      "TOFU_LEFT_OUT=\"${listed}\"")
  endif()
endfunction()

# Leave styles out if LAMMPS has another text than that which they repeat.
#   styles   as in tofu_names_of
#   ARGN     file in LAMMPS' src, begin of the text, check sums of older and newer releases: "file|name|sum,sum"
function(tofu_compare styles)
  set(changed "")
  foreach(known ${ARGN})
    string(REGEX MATCH "^(.*)\\|(.*)\\|(.*)$" known "${known}")
    set(file "${LAMMPS_SOURCE_DIR}/${CMAKE_MATCH_1}")
    set(place "${CMAKE_MATCH_2} in ${CMAKE_MATCH_1}")
    string(REPLACE "," ";" wanted "${CMAKE_MATCH_3}")
    set(found "")
    if(EXISTS "${file}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
      tofu_text_sum(found "${file}" "${CMAKE_MATCH_2}")
    endif()
    if(NOT found IN_LIST wanted)
      string(STRIP "${place}" place)
      list(APPEND changed "${place}")
    endif()
  endforeach()
  if(changed)
    string(REPLACE ";" ", " changed "${changed}")
    foreach(words IN LISTS styles)
      tofu_names_of("${words}" called name)
      tofu_leave_out("${called}" "${changed}" "${name}")
    endforeach()
  endif()
endfunction()

# the stages of a step and of an iteration; random numbers, drag and energies of fix langevin; sums and forces of meam
function(tofu_compare_repeated)
  if("verlet-stages" IN_LIST TOFU_HOOKS)
    tofu_compare("run verlet" ${TOFU_STAGES})
  else()
    tofu_compare("run verlet"
      "verlet.cpp|void Verlet::run(int n)|9807dd266d197497b096ce7d6a5ec9ba2d102a4700c8cbc0bb682441cf4f3dde"
      "verlet.cpp|void Verlet::force_clear()|cc1054965f1bfa7f61c9b892d77bfea87e2293d6cb03edf14b641b456eacd601")
  endif()
  tofu_compare("min cg;min sd;min quickmin;min fire"
    "min.cpp|double Min::energy_force(int resetflag)|c83804ebe1d4e27825eea75df38a235715822a830b7fbc7c2e469ca0f570b606"
    "min.cpp|void Min::force_clear()|898bce83e18f344e78443cd580d923b4090ccc550ce31f8cd0934f95cd04d9f4"
    "min.cpp|double Min::fnorm_sqr()|678a5832cb06a534d0de756d044a0f199f6634797de6f34d29f034a469448c4c"
    "min.cpp|double Min::fnorm_inf()|efa6d259ab27d47c491078fc30123b024c0a3d41d9be46b5dee41a0246afa125"
    "min.cpp|double Min::fnorm_max()|96e27eb4d3c91713a6fe6527fff2d0b2f844b882baef3729209650b248f1f7d0")
  tofu_compare("min cg;min sd"
    "min_linesearch.cpp|static constexpr double ALPHA_MAX|3e6caceaaae7212f1cbc5692026ed425e0026838415b74da4ae0c8fa492d36d5"
    "min_linesearch.cpp|void MinLineSearch::setup_style()|4cf88e9ce0166531678ca3368f23e6bd5fc55807637f554078a0cd30a1e394b5"
    "min_linesearch.cpp|void MinLineSearch::reset_vectors()|2e18a6ed22868b6a2ffd9d9f796bc6c17b7fb46f102235b2bee379faac267743"
    "min_linesearch.cpp|int MinLineSearch::linemin_backtrack(double eoriginal, double &alpha)|2fd14428b96abebd0f3030accdbd21c9be8e27c3dbd72c5821b94251ce54fb05"
    "min_linesearch.cpp|int MinLineSearch::linemin_quadratic(double eoriginal, double &alpha)|a8987d00bc636d552cb937d8f76c9957bd411bdffd65c2fc516ca12f62896488"
    "min_linesearch.cpp|int MinLineSearch::linemin_forcezero(double eoriginal, double &alpha)|982b9ddfc97440be131e3b0583b1550997a1fed801b7eca22b7a3dce3d8ef2ea"
    "min_linesearch.cpp|double MinLineSearch::alpha_step(double alpha, int resetflag)|a8639e0885ca117f86342a4a86dc13b512986d92a970eaff945afbb0a3163590"
    "min_linesearch.cpp|double MinLineSearch::compute_dir_deriv(double &ff)|4465a6b98838297d2cc72aa52f1d20f3638c5d443604ab24e1c8937357bc63aa")
  tofu_compare("min cg"
    "min_cg.cpp|static constexpr double EPS_ENERGY|f9ebfd218267513581b06ccf4e1659e97094f787164c00cb0ea94b0f0376c40b"
    "min_cg.cpp|int MinCG::iterate(int maxiter)|dcf75d1e036f6674eabc620b927836d2c79ab8f07956eb87b129ac4b6f5dde87")
  tofu_compare("min sd"
    "min_sd.cpp|static constexpr double EPS_ENERGY|f9ebfd218267513581b06ccf4e1659e97094f787164c00cb0ea94b0f0376c40b"
    "min_sd.cpp|int MinSD::iterate(int maxiter)|01ffe2786456695ba01845d649fad60e8df3597966179b3b9ffce249e4ac31c6")
  tofu_compare("min quickmin"
    "min_quickmin.cpp|static constexpr double EPS_ENERGY|387f43641657d2f92bc50868417f095053251c4e2f9b3143bbfdc0a5bb95cabb"
    "min_quickmin.cpp|void MinQuickMin::init()|aa1f5fa4614f0b71b7ff2b1109b76313fc37c51b4f0bd2dc0d9b34c5ba570f58"
    "min_quickmin.cpp|void MinQuickMin::setup_style()|873bd234d36a5bce3186473ce0f16b6e103b3d0644323a6d58941b4e7f0ce15c"
    "min_quickmin.cpp|int MinQuickMin::iterate(int maxiter)|b5fc97d095c33bddd97263cab1107126d04f37ab8d84b4397f4cb92dd0b14d27")
  tofu_compare("min fire"
    "min_fire.cpp|static constexpr double EPS_ENERGY|f9ebfd218267513581b06ccf4e1659e97094f787164c00cb0ea94b0f0376c40b"
    "min_fire.cpp|void MinFire::init()|7ee10c2d0f05a51e7d95b8dc48254252072afd02765e8f0777cf57bdd4c189c2"
    "min_fire.cpp|void MinFire::setup_style()|a6683bd075b94a173e188e706e8de2e14b7bf72850ce99bca789cdb8cffa2341"
    "min_fire.cpp|template <int INTEGRATOR, bool ABCFLAG> int MinFire::run_iterate(int maxiter)|93c7b3d8af8ff72eb21079760eb54b90fe9006513d4b98cb18a7bd2f8d599d3d")
  tofu_compare("fix langevin"
    "fix_langevin.cpp|void FixLangevin::post_force(int /*vflag*/)|42ae5c67193e957ec0b649e3fd42bf2a4ef7db9669474cf98e9550d005c8a0b9,5b09df26f6e004fc18bcbfcd677887a06da5bbdc8666e75d694eb91897989d4c"
    "fix_langevin.cpp|void FixLangevin::post_force_templated()|42c626662395b8388a55bb4be515c8f0c615fcc60ce1f3d09b949cb9bd73a41b,517d57264a3c91315f1cfaa18628baa143e2318ef9068f710dbf357e8d913bee"
    "fix_langevin.cpp|double FixLangevin::compute_scalar()|55f196981ad4cd7e9f6972b54486de8383ea2980c242b05d1058c2b0d6719dac,e5423bdc53d2624d4c0c0e277b46e8748a4ab6f45c83065b31603bcb12dd998e"
    "fix_langevin.cpp|void FixLangevin::reset_dt()|ed2fee63fcc1a759fc57a785dc74a9f75ab638360c82944199d7bed08e41cc08,ad850fcc86f4ef41da1c71308212539096363c5488ccd94b977bc93adcddc409"
    "fix_langevin.cpp|void FixLangevin::end_of_step()|b08b93a8887751260180b2847365b8508a8c71dfb3a582275f0435dbf0a23a8e,a4044e28a9592632b095b97393e66affde471dbe5656ce194d75f37ea1d813ff")
  if(PKG_MEAM OR "MEAM" IN_LIST LAMMPS_PACKAGES)
    tofu_compare("pair meam"
      "MEAM/meam.h|  static double fcut(const double xi)|9ce4588b7140dc46a0f42925be5dd1c3fdf7ee490da234fae41fa1dfc89ebade"
      "MEAM/meam.h|  static double dfcut(const double xi, double &dfc)|b18592ee5ab79a3f9d3525f3f3b001ef67a7ac4652c47c801edf69615eb1444f"
      "MEAM/meam.h|  static double dCfunc(|df227072c01c4121cd111d6154cb417085ae1c1ce7412d044d4c955e02e39033"
      "MEAM/meam.h|  static void dCfunc2(|e18e8ef87d82fb0738e81ad8889996ecbef05f3102203da11cf615dbe78aa75d"
      "MEAM/meam_dens_init.cpp|void MEAM::getscreen(|43137e1c2186908a763acee533d2b8247e031d7ec3aba6c21fc8a7b08be84b31"
      "MEAM/meam_dens_init.cpp|void MEAM::calc_rho1(|c0a99dd08e2c2fd0c020814d84be86891a256d6b1b66f2ba4fdb386a8dea4fc9"
      "MEAM/meam_dens_final.cpp|void MEAM::meam_dens_final(|91fbd8a3aa7fabbd3cf3c93a27063d733e8cd9d01482e31927b1e6bf968982e5"
      "MEAM/meam_force.cpp|void MEAM::meam_force(|65aa30310801995b70d8dd37980550ab37ec4f8dc0acf7929cc9abfa453c9740"
      "MEAM/pair_meam.cpp|void PairMEAM::compute(int eflag, int vflag)|7a9634e248b3aabd446d570b3cd2c8450299bf03eaefdac36de8c4d4d031ccac")
  endif()
endfunction()
