// SPDX-License-Identifier: MIT
/// \file
/// Copies between roles: a copy waits for the latency of its path, then for a copy engine where
/// workers share a card's, and is then a flow over the links of its path.
///
/// A card has one engine for both directions, or one for each. An engine does one copy at a time,
/// in the order in which they came. Copies by a host's threads occupy a core and wake up as
/// arithmetic does (HostCores). A copy between processes waits besides for the request that fetches
/// it.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "sim/devices/host_cores.hpp"
#include "sim/devices/paths.hpp"
#include "sim/devices/processor.hpp"

namespace paceline {

class CopyEngine {
 public:
  /// All references must outlive this.
  CopyEngine(const DeviceContext& context, Paths& paths, HostCores& cores)
      : context_(context), paths_(paths), cores_(cores) {}

  /// Whether the copy takes no time at all.
  bool is_free(const Command::Copy& copy) {
    return paths_.between(copy.from.role, copy.to.role).free;
  }
  /// Starts a copy. False: it is free, and has ended.
  bool start(OpIndex op, Stream stream, const Command::Copy& copy);
  /// The latency of the copy's path is over.
  void go_on(OpIndex op);
  /// The copy has ended: its engine begins with the next one.
  void release(OpIndex op);
  std::uint64_t flows() const { return flows_; }

 private:
  struct Engine {
    bool busy = false;
    std::deque<OpIndex> waiting;
  };
  void start_flow(OpIndex op);
  std::int64_t request_ps(const Path& path, Stream stream, const Command::Copy& copy) const;
  const Transfer& transfer(OpIndex op) const {
    return std::get<Transfer>(context_.operations.at(op).work);
  }

  DeviceContext context_;
  Paths& paths_;
  HostCores& cores_;
  std::array<Engine, 2> engines_;  ///< of the shared card
  std::uint64_t flows_ = 0;
};

}  // namespace paceline
