// SPDX-License-Identifier: MIT
// Calls of schedules that the machine carries out as a whole.
#include "sim/devices/simulated_machine.hpp"

namespace paceline {

/// Whether nothing but workers' own GPUs and the links between them takes part in a schedule, and
/// nothing else can use these links.
bool SimulatedMachine::works_ahead() const {
  const bool own_gpus = !cores_->shared() && costs_.shared_card < 0 && !costs_.groups;
  const bool alone = shared_.of_one_job() && static_cast<int>(vertices_.size()) == workers_;
  const bool plain = !host_.handles() && !costs_.processes.several() && !costs_.one_copy_engine;
  const bool observed = observer() != nullptr && observer()->observes_steps();
  return !costs_.by_events && learning_ == nullptr && own_gpus && alone && plain && !observed;
}

std::optional<Reduced> SimulatedMachine::joint_call(const CollectiveCall& call, Token ready) {
  if (call.slices > 1 || call.codec || !call.roles.empty()) return std::nullopt;
  if (!joint_calls_) {
    if (!works_ahead()) return std::nullopt;
    std::vector<double> sum;
    for (RoleId rank = 0; rank < workers_; ++rank)
      sum.push_back(costs_.memory_slowdown_of(rank) * costs_.worker_reduce);
    joint_calls_.emplace(context_, *paths_, workers_, std::move(sum));
  }
  if (call.schedule->ranks() != workers_ || !joint_calls_->suits(*call.schedule))
    return std::nullopt;
  const Stream stream{call.rank, StreamKind::push};
  const Token sent = submit_apart(stream, {{}, Command::Join{}});
  const std::int32_t number = joint_calls_->make(call, sent.slot);
  const Token summed = submit_apart(stream, {{}, Command::Join{number, true}}, ready);
  return Reduced{summed, sent};
}

void SimulatedMachine::wait_for_turn(RoleId role, std::coroutine_handle<> at) {
  OpGraph::wait_for_turn(role, at);
  joint_calls_->await_turn(role);
}

std::uint64_t SimulatedMachine::flows() const {
  const std::uint64_t ahead = joint_calls_ ? joint_calls_->copies() : 0;
  return copies_->flows() + collectives_->flows() + ahead;
}

}  // namespace paceline
