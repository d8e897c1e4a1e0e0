// SPDX-License-Identifier: MIT
/// \file
/// The buffers that the roles of a strategy declare. Real training allocates them, and the check of
/// a GPU's memory counts them.
#pragma once
#include <vector>

#include "training/runtime/command.hpp"

namespace paceline {

/// The buffers of a role. All hold the same part of the parameters, but for those of another size.
struct RoleBuffers {
  struct Slots {
    Buffer buffer = Buffer::weights;
    std::int32_t count = 1;  ///< arrays; of weights that are published: versions at a time. A
                             ///< snapshot is no array of its own, it refers to a version
    std::int64_t size = 0;   ///< parameters of an array; 0: those of `part`
  };

  Slice part;
  std::vector<Slots> slots;
  bool optimizes = false;  ///< updates its weights by the optimizer, which keeps its state beside

  /// Parameters of an array.
  std::int64_t size(const Slots& one) const { return one.size > 0 ? one.size : part.size(); }
  /// Parameters of all arrays, the optimizer's not included.
  std::int64_t parameters() const {
    std::int64_t sum = 0;
    for (const Slots& one : slots)
      sum += one.buffer == Buffer::snapshot ? 0 : one.count * size(one);
    return sum;
  }
  std::int32_t count(Buffer buffer) const {
    for (const Slots& one : slots) {
      if (one.buffer == buffer) return one.count;
    }
    return 0;
  }
  /// Parameters of each array of a buffer.
  std::int64_t size_of(Buffer buffer) const {
    for (const Slots& one : slots) {
      if (one.buffer == buffer) return size(one);
    }
    return part.size();
  }
  /// Whether others read the weights as snapshots: an update then writes another version.
  bool publishes() const { return count(Buffer::snapshot) > 0; }
};

struct BufferPlan {
  std::vector<RoleBuffers> roles;  ///< without slots where another process runs the role
  std::vector<RoleId> model;       ///< the roles with the model's weights, one part after another
  std::int64_t updates = 0;        ///< the model's last version

  /// Of all arrays of all roles, the optimizers' not included.
  std::int64_t parameters() const {
    std::int64_t sum = 0;
    for (const RoleBuffers& role : roles) sum += role.parameters();
    return sum;
  }
};

}  // namespace paceline
