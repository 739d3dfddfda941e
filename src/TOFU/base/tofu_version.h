// SPDX-License-Identifier: GPL-2.0-only
//
// Version of TOFU; tools/tofu and CMake read it here.

#ifndef TOFU_BASE_TOFU_VERSION_H
#define TOFU_BASE_TOFU_VERSION_H

#define TOFU_VERSION "1.0"

#endif
