// SPDX-License-Identifier: MIT
// Calls of a schedule that are worked out ahead.
#include "sim/devices/simulated_machine.hpp"

namespace paceline {

void SimulatedMachine::take_calls_ahead(const CollectiveSchedule& schedule,
                                        const ScheduleCosts& costs,
                                        const std::vector<bool>& disturbed) {
  ahead_ = std::make_unique<AheadCalls>(schedule, costs, disturbed, context_, *paths_);
}

/// An operation on the rank's stream stands for the call as long as that is busy, and an arrival
/// for what else comes to an end.
std::optional<Reduced> SimulatedMachine::whole_call(const CollectiveCall& call, Token ready) {
  if (ahead_ == nullptr || !ahead_->takes(call)) return std::nullopt;
  const Token other = arrival(call.rank, call.rank);
  const Command::Collective all{call.slice, call.schedule->ranks()};
  const Token stream = collective({call.rank, StreamKind::push}, all, {ready});
  return ahead_->ends_with_sum() ? Reduced{stream, other} : Reduced{other, stream};
}

void SimulatedMachine::go_on_ahead(std::uint32_t subject) {
  const RoleId rank = AheadCalls::rank_of(subject);
  switch (AheadCalls::what(subject)) {
    case AheadCalls::What::copy_begins:
      return ahead_->copy_begins(rank);
    case AheadCalls::What::flow_begins:
      return ahead_->flow_begins(rank);
    case AheadCalls::What::stream_is_free:
      return finish(ahead_->operation_of(rank), Outcome::done);
    case AheadCalls::What::other_end:
      return note_arrival_from_remote(rank, rank);
  }
}

}  // namespace paceline
