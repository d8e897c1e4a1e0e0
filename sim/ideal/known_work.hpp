// SPDX-License-Identifier: MIT
/// \file
/// Work of a role, with its begin and end, which are known as soon as it is queued; until it is
/// reported.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "training/runtime/command.hpp"

namespace paceline {

struct KnownWork {
  enum class Kind : std::uint8_t { layers, delay, link_delay };

  std::int64_t begin_ps = 0, end_ps = 0;
  std::int32_t step = -1;                        ///< the mini-batch; -1: of none
  std::int32_t first_layer = 0, last_layer = 0;  ///< of layers: [first, last)
  Pass pass = Pass::forward;                     ///< of layers
  Kind kind = Kind::layers;

  bool takes_time() const { return end_ps > begin_ps; }
  LayerRange layers() const { return {pass, first_layer, last_layer}; }
  /// As it was queued by `worker`.
  Command command(RoleId worker) const {
    if (kind == Kind::layers) return {{worker, step}, Command::Compute{layers()}};
    return {{worker, step}, Command::Delay{end_ps - begin_ps}};
  }
};

static_assert(sizeof(KnownWork) == 32, "of a hundred thousand workers each has up to three");

/// The works of a role, in the order in which they were queued.
using KnownWorks = std::vector<KnownWork>;

/// The place of the last work before place `before` that takes time and ends at `end_ps`.
inline std::optional<std::size_t> ends_at(const KnownWorks& works, std::int64_t end_ps,
                                          std::size_t before) {
  for (std::size_t i = before; i-- > 0;) {
    if (works[i].takes_time() && works[i].end_ps == end_ps) return i;
  }
  return std::nullopt;
}

}  // namespace paceline
