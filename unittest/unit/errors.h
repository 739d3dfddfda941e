// SPDX-License-Identifier: GPL-2.0-only
//
// Messages of errors, and words that they must have.

#ifndef TOFU_TEST_ERRORS_H
#define TOFU_TEST_ERRORS_H

#include "unit/testing.h"

namespace TOFU_TEST {

/** Message of the exception that an action throws; empty if it throws none. */
template <class Error = std::runtime_error, class Action>
std::string message_of(const Action &action)
{
  try {
    action();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

inline void expect_words(const std::string &text, const std::vector<std::string> &words)
{
  for (const std::string &word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in: " << text;
}

}    // namespace TOFU_TEST

#endif
