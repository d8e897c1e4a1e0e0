// SPDX-License-Identifier: MIT
/// \file
/// The checkpoints of a role that holds weights: of every N-th version it writes the weights
/// and the optimizer's state to storage. Its stream waits for the write; or, asynchronously, it
/// waits for a copy in the host's memory, which a writer writes beside training, and the next
/// checkpoint waits for that.
#pragma once
#include "training/strategies/plan.hpp"

namespace paceline {

class Checkpoints {
 public:
  /// The arguments must outlive this.
  Checkpoints(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me) {}

  /// Queues the checkpoint of `version` on the role's compute stream if one is due and the role
  /// holds weights. Returns the end of what the role itself does for it; else `updated`.
  /// \param updated the version is made
  Token queue(std::int64_t version, Token updated);

 private:
  Token copy(const Slice& part, Token updated);

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  Token written_;  ///< the last checkpoint, by the writer
};

}  // namespace paceline
