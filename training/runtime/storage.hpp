// SPDX-License-Identifier: MIT
/// \file
/// The storage of a computer: it serves one request after another, in the order in which they come.
#pragma once
#include <algorithm>

#include "training/runtime/instant.hpp"

namespace paceline {

class Storage {
 public:
  /// The end of a request that comes at `now` and takes `ps` by itself. Its answer is `latency_ps`
  /// on its way, in which others are served.
  Instant serve(Instant now, std::int64_t ps, std::int64_t latency_ps) {
    free_ = Instant{later_ps(std::max(free_, now).ps, ps)};
    return Instant{later_ps(free_.ps, latency_ps)};
  }

 private:
  Instant free_;  ///< from when on
};

}  // namespace paceline
