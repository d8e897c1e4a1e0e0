// SPDX-License-Identifier: MIT
// The static C++ library and Expat of a new system read random numbers by functions that older C
// libraries lack (glibc 2.36). Portable programs have their own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

extern "C" [[gnu::visibility("hidden")]] void arc4random_buf(void* bytes, std::size_t count) {
  constexpr std::size_t kWhole = 256;  // as many bytes as this come whole (getrandom(2))
  for (auto* next = static_cast<char*>(bytes); count > 0;) {
    const std::size_t piece = std::min(count, kWhole);
    if (getrandom(next, piece, 0) != static_cast<ssize_t>(piece)) std::abort();
    next += piece;
    count -= piece;
  }
}

extern "C" [[gnu::visibility("hidden")]] std::uint32_t arc4random() {
  std::uint32_t number = 0;
  arc4random_buf(&number, sizeof number);
  return number;
}
