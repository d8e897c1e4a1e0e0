// SPDX-License-Identifier: MIT
/// \file
/// The roles that other processes run, as a machine sees them: it sends them messages, copies to
/// and from their buffers, and is told of what they send.
#pragma once
#include <span>
#include <stdexcept>
#include <string>

#include "training/roles/command.hpp"

namespace paceline {

/// A process that others need has gone: "process 2 (HOST) was lost: no heartbeat for 5 s".
struct ProcessLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An operation that has begun, for whoever says that it has ended.
struct Ticket {
  std::uint32_t op = 0;
  Instant began;
};

class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  /// Whether another process runs the role.
  virtual bool runs(RoleId role) const = 0;

  // On the thread that runs the roles.

  /// Messages to one process arrive in their order. `cause`: of a worker's death, where it tells of
  /// one.
  virtual void send(RoleId to, const Message& message, const std::string& cause) = 0;
  virtual void cancel(WorkId work) = 0;

  // On the thread of a stream; they throw ProcessLost.

  /// Returns once `from` is on its way to `command.to` and may be written again. The machine is
  /// told of `ticket` when it has arrived, and its channel was told: what follows in the stream
  /// need not wait for that.
  virtual void push(const Command& command, std::span<const float> from, Ticket ticket) = 0;
  /// Fills `into` with the floats at `command.from`.
  virtual void fetch(const Command& command, std::span<float> into) = 0;
};

}  // namespace paceline
