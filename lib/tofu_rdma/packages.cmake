# -*- CMake -*- packages of libtofu_rdma: one TGZ with everything; DEBs for programs that use it (runtime, fortran) and for
# those who compile such programs (development)
# SPDX-License-Identifier: GPL-2.0-only

include(${CMAKE_CURRENT_LIST_DIR}/../../packaging/cpack.cmake)
set(CPACK_PACKAGE_NAME libtofu-rdma)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Put with notice between the ranks of an MPI program")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_CURRENT_BINARY_DIR}")
set(tofu_rdma_about "A rank writes into memory of another rank by shared memory, libfabric or MPI, and a notice arrives with \
the bytes. For C, C++ and Fortran.")

# packages are for one MPI library, whose headers and wrappers the development package needs
set(tofu_rdma_mpi mpi-default-dev)
foreach(name openmpi mpich)
  if("${MPI_C_INCLUDE_DIRS} ${MPI_C_COMPILER_INCLUDE_DIRS} ${MPI_C_HEADER_DIR}" MATCHES "${name}")
    set(tofu_rdma_mpi lib${name}-dev)
  endif()
endforeach()

set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Shared library.\n${tofu_rdma_about}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libtofu-rdma${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)

set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Header, static library, and files for pkg-config and CMake.\n${tofu_rdma_about}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtofu-rdma-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${tofu_rdma_mpi})

if(TOFU_RDMA_FORTRAN)
  list(APPEND CPACK_COMPONENTS_ALL fortran)
  list(APPEND CPACK_COMPONENT_DEVELOPMENT_DEPENDS fortran)
  set(CPACK_COMPONENT_FORTRAN_DEPENDS runtime)
  set(CPACK_COMPONENT_FORTRAN_DESCRIPTION "Shared library of the Fortran module.\n${tofu_rdma_about}")
  set(CPACK_DEBIAN_FORTRAN_PACKAGE_NAME libtofu-rdma-fortran${PROJECT_VERSION_MAJOR})
  set(CPACK_DEBIAN_FORTRAN_PACKAGE_SECTION libs)
endif()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  tofu_install_license(${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()
include(CPack)
