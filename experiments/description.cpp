// SPDX-License-Identifier: MIT
#include "experiments/description.hpp"

namespace paceline {

void check_unknown_keys(const Tree& map, std::vector<std::string> known, std::string_view skip,
                        Diagnostics& diagnostics) {
  if (!skip.empty()) known.insert(known.begin(), std::string(skip));
  for (const Member& member : map.members) {
    if (diagnostics.full()) return;  // a suggestion takes time, and nobody would see it
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    diagnostics.error(member.key_at, unknown_name("key", member.key, known));
  }
}

}  // namespace paceline
