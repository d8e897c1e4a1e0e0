// SPDX-License-Identifier: MIT
// Several processes: reports to the others, and reports from them.
#include <utility>

#include "exec/machine/real_machine.hpp"

namespace paceline {

bool RealMachine::forward(RoleId to, const Message& message) {
  if (!is_remote(to)) return false;
  remote_->send(to, message);
  return true;
}

bool RealMachine::forward(WorkId work) {
  if (!is_remote(work.worker)) return false;
  remote_->cancel(work);
  return true;
}

void RealMachine::note_death(RoleId worker) {
  if (remote_ != nullptr) remote_->report_death(worker, cause_of_death(worker));
}

void RealMachine::note_report(Report report, bool wakes) {
  time_.note_busy();
  const std::lock_guard lock(mutex_);
  reports_.push_back(std::move(report));
  if (wakes) news_.notify_one();
}

void RealMachine::wake_up() {
  const std::lock_guard lock(mutex_);
  news_.notify_one();
}

void RealMachine::note_message(RoleId to, const Message& message) {
  note_report([this, to, message] { put_in_mailbox(to, message); });
}

void RealMachine::note_remote_death(RoleId worker, const std::string& cause) {
  note_report([this, worker, cause] {
    causes_of_death_[static_cast<std::size_t>(worker)] = cause;
    remote_deaths_[static_cast<std::size_t>(worker)] = true;
  });
}

void RealMachine::note_cancel(WorkId work) {
  note_report([this, work] { cancel(work); });
}

void RealMachine::note_arrival(RoleId to, RoleId from) {
  note_report([this, to, from] { note_arrival_from_remote(to, from); }, false);
}

void RealMachine::note_acknowledged(Ticket ticket, std::exception_ptr error) {
  Ended ended;
  ended.op = ticket.op;
  ended.began = ticket.began;
  ended.ended = time_.now();
  ended.outcome = error ? Outcome::failed : Outcome::done;
  ended.error = std::move(error);
  note_ended(std::move(ended));
}

void RealMachine::note_lost(int process, const std::string& why) {
  note_report([this, process, why] { let_process_die(process, why); });
}

void RealMachine::note_stop(std::exception_ptr error) {
  note_report([error = std::move(error)] { std::rethrow_exception(error); });
}

/// The workers of a lost process die, and the servers that run here learn of it: also of a worker
/// that reported its death before, since the servers may not have that report.
void RealMachine::let_process_die(int process, const std::string& why) {
  if (!plan_.survives_loss_of(process)) throw ProcessLost(why);
  for (RoleId worker = 0; worker < plan_.workers; ++worker) {
    if (plan_.process_of(worker) != process) continue;
    const auto index = static_cast<std::size_t>(worker);
    if (!remote_deaths_[index]) {
      remote_deaths_[index] = true;
      causes_of_death_[index] = why;
      const bool reports = plan_.observer != nullptr && !is_remote(plan_.server(0));
      if (reports) plan_.observer->died(worker, now());
    }
    for (int shard = 0; shard < plan_.shards; ++shard) {
      if (is_remote(plan_.server(shard))) continue;
      put_in_mailbox(plan_.server(shard), MachineMessages::make(kMachine, WorkerLost{worker}));
    }
  }
}

}  // namespace paceline
