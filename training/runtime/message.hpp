// SPDX-License-Identifier: MIT
/// \file
/// Control messages between roles: small, plain, delivered in order. Each strategy has a list of
/// its own kinds of message, which are plain structs; the machine carries them without reading
/// them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "training/runtime/command.hpp"

namespace paceline {

/// The sender of the machine's own messages, MachineMessages.
inline constexpr RoleId kMachine = -1;

struct Message {
  static constexpr std::size_t kPayload = 24;  ///< bytes

  RoleId from = 0;
  float loss = 0;         ///< of the mini-batch that it was sent with, known once it has arrived
  std::uint8_t kind = 0;  ///< the place of the payload's type in the list of kinds
  alignas(8) std::array<std::byte, kPayload> payload{};
};

/// A list of kinds of message, and what converts between them and a Message.
template <class... Kinds>
struct MessageKinds {
  static_assert(((sizeof(Kinds) <= Message::kPayload && std::is_trivially_copyable_v<Kinds>)&&...),
                "a kind of message is small and plain");

  template <class Kind>
  static constexpr std::uint8_t number_of() {
    static_assert((std::is_same_v<Kind, Kinds> || ...), "no kind of this list");
    std::uint8_t number = 0;
    const bool found = ((std::is_same_v<Kind, Kinds> || (++number, false)) || ...);
    return found ? number : sizeof...(Kinds);
  }
  template <class Kind>
  static Message make(RoleId from, const Kind& kind) {
    Message message;
    message.from = from;
    message.kind = number_of<Kind>();
    ::new (message.payload.data()) Kind(kind);
    return message;
  }
  /// Calls `visit` with the struct that the message holds. False: it holds none of this list.
  template <class Visit>
  static bool read(const Message& message, const Visit& visit) {
    return ((message.kind == number_of<Kinds>() && (visit(payload_of<Kinds>(message)), true)) ||
            ...);
  }

 private:
  template <class Kind>
  static Kind payload_of(const Message& message) {
    Kind kind;
    std::memcpy(&kind, message.payload.data(), sizeof kind);
    return kind;
  }
};

/// To a worker: its arithmetic failed in `work`, which is cancelled.
struct ArithmeticFailed {
  WorkId work;
};
/// To every server: the process that runs `worker` is lost.
struct WorkerLost {
  RoleId worker = 0;
};
using MachineMessages = MessageKinds<ArithmeticFailed, WorkerLost>;

/// Calls `role.on(kind, message)` with the struct that the message holds, one of `Kinds` or of the
/// machine's, if the role takes it.
template <class Kinds, class Role>
void deliver_to(Role& role, const Message& message) {
  const auto visit = [&](const auto& kind) {
    if constexpr (requires { role.on(kind, message); }) role.on(kind, message);
  };
  message.from == kMachine ? MachineMessages::read(message, visit) : Kinds::read(message, visit);
}

}  // namespace paceline
