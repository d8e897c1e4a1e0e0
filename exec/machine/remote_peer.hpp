// SPDX-License-Identifier: MIT
/// \file
/// A machine's access to the roles that other processes run: it sends them messages and copies to
/// and from their buffers. RealMachine's `note_*` functions receive what they send.
#pragma once
#include <span>
#include <stdexcept>
#include <string>

#include "training/runtime/message.hpp"

namespace paceline {

/// A process that the run needs is gone: "process 2 (HOST) was lost: no heartbeat for 5 s".
struct ProcessLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An operation that has started, to be completed by its acknowledgement.
struct Ticket {
  std::uint32_t op = 0;
  Instant began;
};

class RemotePeer {
 public:
  virtual ~RemotePeer() = default;
  /// Whether another process runs the role.
  virtual bool runs(RoleId role) const = 0;

  // On the thread that runs the roles.

  /// Messages and deaths arrive at a process in their order.
  virtual void send(RoleId to, const Message& message) = 0;
  /// Reports the death of a worker of this process, for `cause`, to all others.
  virtual void report_death(RoleId worker, const std::string& cause) = 0;
  virtual void cancel(WorkId work) = 0;

  // On the thread of a stream; these throw ProcessLost.

  /// Returns once `from` is on its way to `copy.to` and may be overwritten, so that the stream
  /// can continue. The acknowledgement completes `ticket`; before it, the floats have arrived and
  /// the receiver has noted their channel.
  virtual void push(const Command::Copy& copy, std::span<const float> from, Ticket ticket) = 0;
  /// Fills `into` with the floats at `copy.from`.
  virtual void fetch(const Command::Copy& copy, std::span<float> into) = 0;
};

}  // namespace paceline
