// SPDX-License-Identifier: MIT
/// \file
/// The host clock: every stream is a thread, a kernel is real arithmetic, a copy is a memcpy, a
/// delay is waited for.
#pragma once
#include <utility>
#include <vector>

#include "exec/machine/real_machine.hpp"
#include "training/learning/learning.hpp"

namespace paceline {

class HostMachine final : public RealMachine {
 public:
  /// All references must outlive this.
  HostMachine(const Plan& plan, Learning& learning, TimeSource& time,
              Elsewhere* elsewhere = nullptr);
  /// Ends what is under way and joins all threads.
  ~HostMachine() override { end_threads(); }

 private:
  bool begin(OpIndex op, Stream stream, const Command& command) override;
  Outcome perform(const Command& command) override;
  bool fetch_from_elsewhere(const Command& command);
  std::span<const float> sent_by(const Command& copy) override {
    return learning_.buffers().lend(copy.from).floats;
  }
  double loss_of(WorkId work) const override { return learning_.last_loss(work.worker); }
  /// Workers take turns at the cores, so that each has the same share of them.
  std::optional<int> core_of(Stream stream) const override;

  std::vector<Instant> borders_of(WorkId work) override {
    return std::move(borders_[static_cast<std::size_t>(work.worker)]);
  }

  Learning& learning_;
  int cores_;
  std::vector<std::vector<Instant>> borders_;  ///< by worker, of its own thread
};

}  // namespace paceline
