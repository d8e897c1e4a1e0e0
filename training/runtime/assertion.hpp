// SPDX-License-Identifier: MIT
/// \file
/// The check for mistakes of the programmer: always on, since a wrong simulation is worse than a
/// stopped one. The user's mistakes are SpecErrors, never assertions.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace paceline::detail {
[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}
}  // namespace paceline::detail

#define PACELINE_ASSERT(condition)    \
  ((condition) ? static_cast<void>(0) \
               : paceline::detail::assertion_failed(#condition, __FILE__, __LINE__))
