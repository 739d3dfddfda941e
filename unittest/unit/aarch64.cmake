# SPDX-License-Identifier: GPL-2.0-only
# Toolchain file: unit tests for aarch64 on another processor, run by qemu.
#
#   cmake -S unittest/unit -B build -D CMAKE_TOOLCHAIN_FILE=aarch64.cmake -D TOFU_WITHOUT_MPI=on

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)    # GoogleTest needs a C compiler
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
