# -*- CMake -*- packages of TOFU by CPack: what those of the plug-in and of libtofu_rdma have in common; see doc/manual/TOFU_packages.rst
# SPDX-License-Identifier: GPL-2.0-only
#
# A project that includes this file sets what is its own (CPACK_PACKAGE_NAME, descriptions, sections), and includes CPack.

get_filename_component(TOFU_CHECKOUT .. ABSOLUTE BASE_DIR "${CMAKE_CURRENT_LIST_DIR}")
file(STRINGS "${TOFU_CHECKOUT}/src/TOFU/base/tofu_version.h" CPACK_PACKAGE_VERSION REGEX "TOFU_VERSION \"")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" CPACK_PACKAGE_VERSION "${CPACK_PACKAGE_VERSION}")
set(CPACK_PACKAGE_VENDOR "The TOFU developers")
set(CPACK_PACKAGE_CONTACT "The TOFU developers <developers@tofu.invalid>" CACHE STRING "Maintainer of the packages: name <address>")
set(CPACK_PACKAGE_HOMEPAGE_URL "https://www.lammps.org/")
set(CPACK_RESOURCE_FILE_LICENSE "${TOFU_CHECKOUT}/LICENSE")
set(CPACK_RESOURCE_FILE_README "${TOFU_CHECKOUT}/README.md")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)

# Debian packages state the libraries that they need by themselves, if Debian's tool for it is there
set(CPACK_GENERATOR "TGZ")
find_program(TOFU_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(TOFU_SHLIBDEPS)
if(TOFU_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR "DEB")
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Install the license where Debian expects it
function(tofu_install_license package)
  install(FILES "${CPACK_RESOURCE_FILE_LICENSE}" DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package} RENAME copyright
    ${ARGN})
endfunction()
