// SPDX-License-Identifier: MIT
// Announced copies from role to role, and the arrivals that roles wait for.
#include "training/runtime/op_graph.hpp"

namespace paceline {

/// A role has few neighbours in any collective.
OpGraph::Channel& OpGraph::channel(RoleId to, RoleId from) {
  std::vector<Channel>& all = channels_[static_cast<std::size_t>(to)];
  for (Channel& one : all)
    if (one.from == from) return one;
  all.emplace_back().from = from;
  return all.back();
}

Token OpGraph::arrival(RoleId to, RoleId from) {
  Channel& line = channel(to, from);
  if (line.early > 0) {
    --line.early;
    return {};
  }
  if (!line.coming.empty()) return line.coming.pop();
  const OpIndex index = allocate({-1, StreamKind::push});
  ops_[index].command = Command{};
  ops_[index].state = State::begun;
  line.expected.push(index);
  return token_of(index);
}

void OpGraph::arrived(RoleId to, RoleId from) {
  Channel& line = channel(to, from);
  if (!line.expected.empty()) return end(line.expected.pop());
  ++line.early;
}

/// An arrival on a channel is known once its copy is handed over: the copies of a channel are those
/// of one stream, so they end in that order.
void OpGraph::bring(OpIndex copy) {
  const auto* copied = ops_[copy].command.as<Command::Copy>();
  Channel& line = channel(copied->to.role, copied->from.role);
  const Token token = token_of(copy);
  if (sources_.size() < ops_.size()) {
    sources_.resize(ops_.size());
    arrivals_.resize(ops_.size());
  }
  if (line.expected.empty()) return line.coming.push(token);
  const OpIndex arrival = line.expected.pop();
  sources_[arrival] = token;
  arrivals_[copy] = token_of(arrival);
  note_reached(arrival, State::handed_over);
}

}  // namespace paceline
