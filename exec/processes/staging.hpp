// SPDX-License-Identifier: MIT
/// \file
/// Copies between connections and buffers that the CPU may not reach, such as a GPU's memory.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "training/runtime/command.hpp"

namespace paceline {

/// Each thread that copies has its own.
class Staging {
 public:
  virtual ~Staging() = default;
  /// Writes all of `to`, which belongs to a role of this process: `fill` provides the floats, in
  /// parts from first to last. Returns once they are there.
  using Fill = std::function<void(std::span<float> part)>;
  virtual void write(RoleId role, std::span<float> to, const Fill& fill) = 0;
  /// Reads all of `from`; `take` receives the floats, in parts from first to last, each of which it
  /// may use only during the call.
  using Take = std::function<void(std::span<const float> part)>;
  virtual void read(RoleId role, std::span<const float> from, const Take& take) = 0;
};

using MakeStaging = std::function<std::unique_ptr<Staging>()>;

/// Of buffers that the CPU reaches: in one part, without a copy.
class NoStaging final : public Staging {
 public:
  void write(RoleId, std::span<float> to, const Fill& fill) override { fill(to); }
  void read(RoleId, std::span<const float> from, const Take& take) override { take(from); }
};

}  // namespace paceline
