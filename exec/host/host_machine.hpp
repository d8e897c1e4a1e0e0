// SPDX-License-Identifier: MIT
/// \file
/// The host clock: every stream is a thread, a kernel is real arithmetic, a copy is a memcpy, a
/// delay is waited for. A worker's arithmetic stays on its core, a server's threads on the cores of
/// their socket, as the placement says.
#pragma once
#include <utility>
#include <vector>

#include "exec/machine/real_machine.hpp"
#include "training/learning/learning.hpp"
#include "training/workload/placement.hpp"

namespace paceline {

class HostMachine final : public RealMachine {
 public:
  /// `servers`: where the servers run, as the experiment says. All references must outlive this.
  HostMachine(const Plan& plan, Learning& learning, TimeSource& time, RemotePeer* remote = nullptr,
              ServerPlacement servers = ServerPlacement::cpu);
  /// Ends what is under way and joins all threads.
  ~HostMachine() override { end_threads(); }

 private:
  bool begin(OpIndex op, Stream stream, const Command& command) override;
  Outcome perform(Stream stream, const Command& command) override;
  Outcome compute(WorkId work, const Command::Compute& what);
  std::span<const float> sent_by(const Command::Copy& copy) override {
    return learning_.buffers().lend(copy.from, copy.slice).floats;
  }
  double loss_of(WorkId work) const override { return learning_.last_loss(work.worker); }
  ThreadPlace place_of(Stream stream) const override;

  std::vector<Instant> borders_of(WorkId work) override {
    return std::move(borders_[static_cast<std::size_t>(work.worker)]);
  }

  Learning& learning_;
  const std::vector<int> sockets_;             ///< by core
  const Placement placement_;                  ///< workers on cores, servers on sockets
  std::vector<std::vector<Instant>> borders_;  ///< by worker, of its own thread
};

}  // namespace paceline
