// SPDX-License-Identifier: MIT
#include "training/runtime/running_roles.hpp"

#include <malloc.h>

namespace paceline {

void RunningRoles::start(RoleId role, Task<> program) {
  ++started_;
  Role& fresh = of(role);
  fresh.program = std::move(program);
  fresh.at = fresh.program.handle();
  fresh.frame_bytes = static_cast<std::uint32_t>(malloc_usable_size(fresh.at.address()));
  wake(role);
}

void RunningRoles::run_ready() {
  while (!ready_.empty()) {
    Role& role = of(ready_.pop());
    const std::coroutine_handle<> at = role.at;
    at.resume();
    if (role.program.handle().done()) {
      ++done_;
      role.program.rethrow();
    }
  }
}

bool RunningRoles::deliver(RoleId role, const Message& message) {
  Role& receiver = of(role);
  if (receiver.awaits_message) {  // then the mailbox is empty
    receiver.first = message;
    receiver.has_first = true;
    receiver.awaits_message = false;
    return true;
  }
  receiver.mailbox.push(message);
  return false;
}

void RunningRoles::wait_for(RoleId role, Token token, std::coroutine_handle<> at) {
  of(role).at = at;
  of(role).awaited = token;
}

}  // namespace paceline
