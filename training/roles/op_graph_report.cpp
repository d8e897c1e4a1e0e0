// SPDX-License-Identifier: MIT
// Reports for errors: the roles that wait, and the operations that are in flight.
#include <algorithm>

#include "experiments/counted.hpp"
#include "training/roles/op_graph.hpp"

namespace paceline {
namespace {

/// The first names of a list that may be long.
std::string first_of(const std::vector<std::string>& names, const char* separator) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) {
    text += (i == 0 ? "" : separator) + names[i];
  }
  if (names.size() > kNamed) {
    text += separator + std::to_string(names.size() - kNamed) + " more";
  }
  return text;
}

const char* name_of(Command::Kind kind) {
  switch (kind) {
    case Command::Kind::compute:
      return "the arithmetic";
    case Command::Kind::delay:
      return "a delay";
    case Command::Kind::copy:
      return "a transfer";
    case Command::Kind::reduce:
      return "a sum";
    case Command::Kind::update:
    case Command::Kind::assign:
      return "an update";
    case Command::Kind::publish:
      return "a publication";
    case Command::Kind::collective:
      return "an all-reduce";
    case Command::Kind::send:
      return "a message";
  }
  return "";
}

}  // namespace

std::string OpGraph::name_of(RoleId role) const {
  const auto workers = static_cast<RoleId>(running_.size());
  return role < workers ? "worker " + std::to_string(role)
                        : "shard " + std::to_string(role - workers);
}

std::string OpGraph::name_of(const Op& op) const {
  if (op.stream.role < 0) return "an arrival";
  std::string name = paceline::name_of(op.command.kind);
  name += " of " + name_of(op.stream.role);
  if (op.command.work.worker >= 0) {
    name += " in mini-batch " + std::to_string(op.command.work.step + 1);
  }
  return name;
}

std::string OpGraph::deadlock() const {
  std::vector<std::string> waiting;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const RoleState& role = roles_[i];
    if (role.program.done()) continue;
    const bool receives = role.awaits_message || complete(role.awaited);
    waiting.push_back(name_of(static_cast<RoleId>(i)) + ": " +
                      (receives ? "receive" : name_of(ops_[role.awaited.slot])));
  }
  return "deadlock: " + std::to_string(waiting.size()) + " of " +
         counted(static_cast<int>(roles_started_), "role") +
         (waiting.size() == 1 ? " is" : " are") + " waiting and nothing is in flight (" +
         first_of(waiting, ", ") + ")";
}

std::string OpGraph::what_is_under_way() const {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < ops_.size(); ++i) {
    const Op& op = ops_[static_cast<OpIndex>(i)];
    const bool begun = op.state == State::running || op.state == State::handed_over;
    const bool timer = op.command.kind == Command::Kind::delay && op.command.work.worker < 0;
    if (begun && !timer && op.stream.role >= 0) names.push_back(name_of(op));
  }
  if (names.empty()) return "";
  return first_of(names, " and ") + (names.size() == 1 ? " ends" : " end");
}

}  // namespace paceline
