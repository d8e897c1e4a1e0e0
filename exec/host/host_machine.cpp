// SPDX-License-Identifier: MIT
#include "exec/host/host_machine.hpp"

#include <limits>
#include <stdexcept>

namespace paceline {

HostMachine::HostMachine(const Plan& plan, HostMemory& memory,
                         std::vector<std::unique_ptr<WorkerArithmetic>>& arithmetic,
                         TimeSource& time)
    : OpGraph(plan.roles(), plan.workers, plan.workers, plan.observer),
      plan_(plan),
      memory_(memory),
      arithmetic_(arithmetic),
      time_(time),
      given_up_(static_cast<std::size_t>(plan.workers)),
      threads_(static_cast<std::size_t>(plan.roles()) * kStreamKinds) {
  for (auto& step : given_up_) step.store(-1);
}

HostMachine::~HostMachine() {
  // a failed run leaves work behind: let delays and arithmetic end before joining
  for (auto& step : given_up_) step.store(std::numeric_limits<std::int64_t>::max());
  time_.wake();
  threads_.clear();
}

StreamThread& HostMachine::thread_of(Stream stream) {
  std::unique_ptr<StreamThread>& thread =
      threads_[static_cast<std::size_t>(stream.role) * kStreamKinds +
               static_cast<std::size_t>(stream.kind)];
  if (thread == nullptr) {
    static constexpr const char* kKinds[kStreamKinds] = {"compute", "push", "fetch", "input"};
    const std::string role = stream.role < plan_.workers
                                 ? "worker" + std::to_string(stream.role)
                                 : "server" + std::to_string(stream.role - plan_.workers);
    thread = std::make_unique<StreamThread>(
        time_, role + "." + kKinds[static_cast<std::size_t>(stream.kind)]);
  }
  return *thread;
}

bool HostMachine::begin(OpIndex op, Stream stream, const Command& command) {
  if (command.kind == Command::Kind::collective) {
    throw std::runtime_error("the host has no all-reduce of its own");
  }
  ++under_way_;
  thread_of(stream).add([this, op, stream, command] { do_command(op, stream, command); });
  return false;
}

bool HostMachine::given_up(WorkId work) const {
  return work.worker >= 0 && work.step <= given_up_[static_cast<std::size_t>(work.worker)].load(
                                              std::memory_order_acquire);
}

/// On a stream's thread.
void HostMachine::do_command(OpIndex op, Stream, const Command& command) {
  Ended ended;
  ended.op = op;
  ended.began = time_.now();
  try {
    ended.outcome = given_up(command.work) ? Outcome::cancelled : perform(command);
  } catch (...) {
    ended.outcome = Outcome::failed;
    ended.error = std::current_exception();
  }
  ended.ended = time_.now();
  note_ended(ended);
}

/// On a stream's thread.
Outcome HostMachine::perform(const Command& command) {
  const auto stop = [this, work = command.work] { return given_up(work); };
  switch (command.kind) {
    case Command::Kind::delay:
      time_.sleep(time_.now() + to_seconds(command.delay_ps), stop);
      break;
    case Command::Kind::compute: {
      WorkerArithmetic& mine = *arithmetic_[static_cast<std::size_t>(command.work.worker)];
      mine.compute(command.layers, command.work.step, memory_.weights(command.work.worker),
                   memory_.gradient(command.work.worker), stop);
      break;
    }
    case Command::Kind::copy:
      memory_.copy(command.from, command.to);
      return Outcome::done;  // one in flight finishes
    case Command::Kind::reduce:
      memory_.reduce(command.to, command.from);
      break;
    case Command::Kind::update:
      memory_.update(command.to, command.from, command.scale);
      break;
    case Command::Kind::publish:
      memory_.publish(command.to);
      break;
    default:
      break;
  }
  return stop() ? Outcome::cancelled : Outcome::done;
}

void HostMachine::note_ended(const Ended& ended) {
  time_.handed_over();  // to the thread that runs the roles
  const std::lock_guard lock(mutex_);
  ended_.push_back(ended);
  something_ended_.notify_one();
}

void HostMachine::interrupt(OpIndex, const Command& command) {
  given_up_[static_cast<std::size_t>(command.work.worker)].store(command.work.step,
                                                                 std::memory_order_release);
  time_.wake();
}

/// Waits for ended operations; false when none is under way.
bool HostMachine::take_ended(std::vector<Ended>& taken) {
  taken.clear();
  if (under_way_ == 0) return false;
  std::unique_lock lock(mutex_);
  something_ended_.wait(lock, [this] { return !ended_.empty(); });
  taken.swap(ended_);
  return true;
}

void HostMachine::run() {
  time_.handed_over();  // the roles' own start
  run_ready();
  time_.dealt_with();
  std::vector<Ended> taken;
  while (take_ended(taken)) {
    for (const Ended& ended : taken) {
      --under_way_;
      if (ended.error) std::rethrow_exception(ended.error);
      report(stream_of(ended.op), command(ended.op), ended.began, ended.ended,
             ended.outcome == Outcome::done);
      finish(ended.op, ended.outcome);
      run_ready();
      time_.dealt_with();
    }
  }
  if (!all_roles_done())
    throw std::runtime_error("the roles of this strategy wait for each other for ever");
}

}  // namespace paceline
