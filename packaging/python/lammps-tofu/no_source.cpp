// SPDX-License-Identifier: GPL-2.0-only
//
// CMake needs a source for a library that consists of other libraries.
