// SPDX-License-Identifier: GPL-2.0-only
//
// Headers that most unit tests need: GoogleTest, and containers, numbers and strings of the
// standard library.  They are compiled once for all tests.

#ifndef TOFU_TEST_TESTING_H
#define TOFU_TEST_TESTING_H

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#endif
