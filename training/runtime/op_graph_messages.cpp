// SPDX-License-Identifier: MIT
// Messages between roles. One that waits for a single operation lies beside it as long as nothing
// else waits for that; else it is an operation of its own, with its place among the others.
#include <utility>

#include "training/runtime/op_graph.hpp"

namespace paceline {

void OpGraph::send(RoleId to, const Message& message, const After& after, WorkId work) {
  Token only;
  const bool of_one = follows_one({}, after, only);
  if (only.slot() == 0) {
    MessagePool::Entry now{to, message, work};
    return send_now(now);
  }
  const std::uint32_t number = messages_.reserve();
  MessagePool::Entry& entry = messages_[number];
  entry.to = to;
  entry.message = message;
  // as they are read: a processor waits for a read of parts of what was written as a whole
  entry.work.worker = work.worker;
  entry.work.step = work.step;
  Op& before = ops_[only.slot()];
  if (of_one && before.first_edge == kNone && before.message == kNone) {
    before.message = number;
    awaited(only.slot());
    return;
  }
  const OpIndex index = allocate_message(number);
  for (const Token dependency : after) depend(index, dependency, State::ended);
}

/// Unless its mini-batch is cancelled; the message takes along the loss.
void OpGraph::send_now(MessagePool::Entry& sent) {
  if (is_cancelled(sent.work)) return;
  if (sent.work.worker >= 0) sent.message.loss = static_cast<float>(last_loss(sent.work.worker));
  if (!forward(sent.to, sent.message)) put_in_mailbox(sent.to, sent.message);
}

OpGraph::OpIndex OpGraph::allocate_message(std::uint32_t message) {
  const MessagePool::Entry& entry = messages_[message];
  const OpIndex index = allocate({entry.message.from, StreamKind::compute});
  ops_[index].sends = true;
  ops_[index].message = message;
  ops_[index].command.work = entry.work;
  return index;
}

/// More than the message waits for `op`: it becomes an operation, the first of these.
void OpGraph::detach_message(OpIndex op) {
  add_edge(allocate_message(std::exchange(ops_[op].message, kNone)), op, State::ended);
}

void OpGraph::put_in_mailbox(RoleId to, const Message& message) {
  if (roles_.deliver(to, message)) decide(to);
}

}  // namespace paceline
