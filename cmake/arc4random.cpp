// SPDX-License-Identifier: MIT
// The static C++ library of a new system reads random numbers by a function that older C libraries
// lack (glibc 2.36). Portable programs have their own.
#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

extern "C" [[gnu::visibility("hidden")]] std::uint32_t arc4random() {
  std::uint32_t number = 0;
  // as many bytes as this come whole (getrandom(2))
  if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) std::abort();
  return number;
}
