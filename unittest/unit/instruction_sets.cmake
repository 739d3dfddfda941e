# SPDX-License-Identifier: GPL-2.0-only
# Tests of the kernels for the instruction sets of the vector units of aarch64, one after the other, each on a
# processor that has it; qemu takes the processor from the environment.  NEON and SVE with long vectors are
# always tested, the others with TOFU_ALL_INSTRUCTION_SETS.  Kernels without a test here are only compiled, for
# SVE, whose vectors have no size that the compiler knows: what SVE takes NEON does as well.

# deep potentials without their files
set(deep_sources "")
foreach(name deep_dipole deep_model deep_nets deep_potential embedding_table net_curve type_embedding)
  list(APPEND deep_sources ${TOFU_SOURCE_DIR}/model/${name}.cpp)
endforeach()

set(only_compiled ${kernel_sources})
list(FILTER only_compiled INCLUDE REGEX "/kernels/(charges|cluster|manybody|motion|reaxff|sites)/")
set(tested_sources ${kernel_sources})
list(FILTER only_compiled EXCLUDE REGEX "/eam.cpp$")    # pair_kernels has it
list(REMOVE_ITEM tested_sources ${only_compiled})

# arguments: name, processor, options of the compiler
function(add_kernel_tests name processor)
  add_library(tofu_kernels_${name} STATIC ${tested_sources} ${deep_sources})
  target_include_directories(tofu_kernels_${name} PUBLIC ${TOFU_SOURCE_DIR} ${helpers} ${CMAKE_CURRENT_BINARY_DIR}/include)
  target_compile_definitions(tofu_kernels_${name} PUBLIC HWY_COMPILE_ONLY_STATIC TOFU_EMULATED)
  target_compile_options(tofu_kernels_${name} PUBLIC ${ARGN} PRIVATE -Wall -Wextra)
  foreach(file kernels/neighbor/test_cell_grid model/test_deep_potential kernels/deep/test_dense_net
      kernels/simd/test_find_entries kernels/pair/test_pair_kernels kernels/granular/test_contacts
      kernels/granular/test_grains kernels/bonded/test_bonded_kernels kernels/mesh/test_mesh_charges
      kernels/mesh/test_partial_dft kernels/mesh/test_poisson kernels/ewald/test_ewald_sum)
    string(REGEX REPLACE ".*/test_" "" test ${file})
    add_executable(test_${test}_${name} ${file}.cpp)
    target_link_libraries(test_${test}_${name} PRIVATE tofu_kernels_${name} GTest::gtest_main)
    add_test(NAME ${test}_${name} COMMAND test_${test}_${name})
    set_tests_properties(${test}_${name} PROPERTIES TIMEOUT 600 ENVIRONMENT QEMU_CPU=${processor})
  endforeach()
endfunction()

add_kernel_tests(neon cortex-a72 -march=armv8-a)
add_kernel_tests(sve a64fx -mcpu=a64fx)    # 512 bits
target_sources(tofu_kernels_sve PRIVATE ${only_compiled})
set_property(SOURCE ${only_compiled} APPEND PROPERTY COMPILE_OPTIONS -O0)
if(NOT TOFU_ALL_INSTRUCTION_SETS)
  return()
endif()
add_kernel_tests(sve2_128 max,sve-default-vector-length=16 -march=armv8.5-a+sve2 -msve-vector-bits=128)
add_kernel_tests(sve_256 max,sve256=on,sve512=off -march=armv8.2-a+sve -msve-vector-bits=256)
add_kernel_tests(sve2 max,sve-default-vector-length=256 -march=armv8.5-a+sve2)    # in bytes: the longest vectors that SVE allows
