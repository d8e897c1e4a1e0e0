// SPDX-License-Identifier: MIT
// Reports: to the observer what ran, and for errors the roles that wait and the operations that are
// in flight.
#include <algorithm>
#include <iterator>

#include "experiments/language/counted.hpp"
#include "training/runtime/op_graph.hpp"
#include "training/runtime/operation_report.hpp"

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

const char* name_of(const Command& command) {
  static constexpr const char* kNames[] = {"the arithmetic", "a delay",   "a transfer",
                                           "a sum",          "an update", "an update",
                                           "a publication",  "a mark",    "an all-reduce",
                                           "an encoding",    "a sum",     "an access to storage",
                                           "a decoding"};
  static_assert(std::size(kNames) == Command::Kinds::kKinds);
  return kNames[command.what.index()];
}

}  // namespace

void OpGraph::report_observed(Stream stream, const Command& command, Instant began, Instant ended,
                              bool whole) {
  if (const auto* mark = command.as<Command::Mark>()) {
    observer_->operation(stream, command, began, ended);
    return report_mark(stream.role, command.work, mark->about, began);
  }
  report_operation(*observer_, workers_, stream, command, began, ended, whole,
                   [this](RoleId worker) { return last_loss(worker); });
}

/// A role came to one of the marks about its input or its checkpoint. A server that scatters a
/// batch waits for it on behalf of all workers.
void OpGraph::report_mark(RoleId role, WorkId work, Command::Mark::About about, Instant at) {
  using About = Command::Mark::About;
  switch (about) {
    case About::nothing:
      return;
    case About::wants_input:
    case About::begins_checkpoint:
      marked_[role] = at;
      return;
    case About::has_input:
      for (RoleId worker = 0; worker < workers_; ++worker) {
        if (role != worker && role < workers_) continue;
        const Instant wanted = marked_[role];
        observer_->span({worker, work.step}, Activity::input, wanted, std::max(wanted, at));
      }
      return;
    case About::ends_checkpoint:
      if (role < workers_) observer_->span({role, -1}, Activity::checkpoint, marked_[role], at);
  }
}

std::string OpGraph::name_of(RoleId role) const {
  return role < workers_ ? "worker " + std::to_string(role)
                         : "shard " + std::to_string(role - workers_);
}

std::string OpGraph::name_of(const Op& op) const {
  if (op.stream.role < 0) return "an arrival";
  std::string name = paceline::name_of(op.command);
  if (op.command.is<Command::StorageRequest>() || op.command.is<Command::Prepare>()) return name;
  name += " of " + name_of(op.stream.role);
  if (op.command.work.worker >= 0) {
    name += " in mini-batch " + std::to_string(op.command.work.step + 1);
  }
  return name;
}

std::string OpGraph::deadlock() const {
  std::vector<std::string> waiting;
  roles_.for_each_waiting([&](RoleId role, Token token) {
    waiting.push_back(name_of(role) + ": " +
                      (complete(token) ? "receive" : name_of(ops_[token.slot()])));
  });
  return "deadlock: " + std::to_string(waiting.size()) + " of " +
         counted(static_cast<int>(roles_.started()), "role") +
         (waiting.size() == 1 ? " is" : " are") + " waiting and nothing is in flight (" +
         first_of(waiting, ", ") + ")";
}

bool OpGraph::is_under_way(const Op& op) const {
  const bool begun = op.state == State::begun || op.state == State::handed_over;
  const bool arrival = op.stream.role < 0;
  return begun && !arrival && !op.command.is_timer();
}

bool OpGraph::has_work_under_way() const {
  for (std::size_t i = 1; i < ops_.size(); ++i) {
    if (is_under_way(ops_[static_cast<OpIndex>(i)])) return true;
  }
  return false;
}

std::string OpGraph::what_is_under_way() const {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < ops_.size(); ++i) {
    const Op& op = ops_[static_cast<OpIndex>(i)];
    if (is_under_way(op)) names.push_back(name_of(op));
  }
  if (names.empty()) return "";
  return first_of(names, " and ") + (names.size() == 1 ? " ends" : " end");
}

}  // namespace paceline
