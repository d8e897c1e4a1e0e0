// SPDX-License-Identifier: MIT
/// \file
/// The coroutines of the roles that a process runs, with their mailboxes.
#pragma once
#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "training/runtime/message.hpp"
#include "training/runtime/ring_queue.hpp"
#include "training/runtime/task.hpp"

namespace paceline {

class RunningRoles {
 public:
  explicit RunningRoles(int roles) : roles_(static_cast<std::size_t>(roles)) {}

  /// Makes `program` the coroutine of `role`; it starts with the next `run_ready`.
  void start(RoleId role, Task<> program);
  /// Resumes roles until none is ready. Rethrows an exception of a role.
  void run_ready();
  void wake(RoleId role) { ready_.push(role); }
  std::size_t started() const { return started_; }
  std::size_t done() const { return done_; }

  /// Puts a message into the mailbox of `role`. True: the role was waiting for one.
  bool deliver(RoleId role, const Message& message);
  bool has_message(RoleId role) const {
    const Role& receiver = of(role);
    return receiver.has_first || !receiver.mailbox.empty();
  }
  Message take_message(RoleId role) {
    Role& receiver = of(role);
    return std::exchange(receiver.has_first, false) ? receiver.first : receiver.mailbox.pop();
  }
  void wait_for_message(RoleId role, std::coroutine_handle<> at) {
    of(role).at = at;
    of(role).awaits_message = true;
  }
  void wait_for(RoleId role, Token token, std::coroutine_handle<> at);

  /// The addresses of what a role needs to receive a message, and the frame of its program.
  std::array<const void*, 2> lines_of(RoleId role) const { return {&of(role), &of(role).first}; }
  std::span<const std::byte> frame_of(RoleId role) const {
    return {static_cast<const std::byte*>(of(role).program.handle().address()),
            of(role).frame_bytes};
  }

  /// Calls `visit(role, token)` for every role that has not ended; the token is the one that the
  /// role waits for, the default one if it waits for a message.
  template <class Visit>
  void for_each_waiting(const Visit& visit) const {
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const Role& role = roles_[i];
      if (role.program.done()) continue;
      visit(static_cast<RoleId>(i), role.awaits_message ? Token{} : role.awaited);
    }
  }

 private:
  /// All but the message that it waited for in one cache line.
  struct alignas(64) Role {
    std::coroutine_handle<> at;
    Task<> program;
    Token awaited;                  ///< the last one
    std::uint32_t frame_bytes = 0;  ///< of the program, in the memory that it was given
    bool awaits_message = false;
    bool has_first = false;
    RingQueue<Message> mailbox;  ///< but for the first message
    alignas(64) Message first;   ///< that came while the role waited for one
  };
  Role& of(RoleId role) { return roles_[static_cast<std::size_t>(role)]; }
  const Role& of(RoleId role) const { return roles_[static_cast<std::size_t>(role)]; }

  std::vector<Role> roles_;
  RingQueue<RoleId> ready_;
  std::size_t started_ = 0;
  std::size_t done_ = 0;
};

}  // namespace paceline
