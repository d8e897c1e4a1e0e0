// SPDX-License-Identifier: MIT
#include "exec/processes/remote_roles.hpp"

#include "training/results/metrics/recorder.hpp"

namespace paceline {

RemoteRoles::RemoteRoles(const Plan& plan, const Aggregation& aggregation, Group& group)
    : plan_(plan),
      aggregation_(aggregation),
      group_(group),
      streams_(group),
      on_acknowledged_([this](Ticket ticket, std::exception_ptr error) {
        acknowledged(ticket, std::move(error));
      }) {
  group_.listen(this);
}

RemoteRoles::~RemoteRoles() {
  group_.listen(nullptr);
}

void RemoteRoles::open_streams() {
  const auto open = [&](RoleId role, StreamKind kind, RoleId other) {
    const int process = plan_.process_of(other);
    if (!runs(role) && process != group_.rank()) streams_.open({role, kind}, process);
  };
  for (RoleId worker = 0; worker < plan_.workers; ++worker) {
    for (int shard = 0; shard < plan_.shards; ++shard) {
      open(worker, StreamKind::push, plan_.server(shard));
      open(worker, StreamKind::fetch, plan_.server(shard));
    }
    // in rings data goes to the next worker; other patterns open their connections on first use
    if (plan_.shards == 0) open(worker, StreamKind::push, (worker + 1) % plan_.workers);
  }
}

void RemoteRoles::begin(std::uint32_t run, RealMachine& machine, EventLog& log, Buffers& buffers,
                        MakeStaging staging) {
  streams_.lend(buffers, this, std::move(staging));
  const std::lock_guard lock(mutex_);
  run_ = run;
  machine_ = &machine;
  log_ = &log;
  for (int process = 0; process < group_.size(); ++process) {
    if (group_.is_lost(process)) machine.note_lost(process, group_.loss_of(process));
  }
}

void RemoteRoles::end() {
  const std::lock_guard lock(mutex_);
  machine_ = nullptr;
  log_ = nullptr;
}

void RemoteRoles::stop_others(const Verdict& why) {
  FrameWriter stop(FrameKind::stop);
  group_.send_to_all(stop.put(run_).put(why.kind).put_text(why.text));
}

// ---- from the roles of this process

void RemoteRoles::restart(FrameKind kind) {
  frame_.restart(kind);
  frame_.put(run_).put(log_->stamp());
}

void RemoteRoles::send(RoleId to, const Message& message) {
  restart(FrameKind::message);
  group_.send(plan_.process_of(to), frame_.put(to).put(message));
}

void RemoteRoles::report_death(RoleId worker, const std::string& cause) {
  restart(FrameKind::death);
  group_.send_to_all(frame_.put(worker).put_text(cause));
}

void RemoteRoles::cancel(WorkId work) {
  restart(FrameKind::cancel);
  group_.send(plan_.process_of(work.worker), frame_.put(work.worker).put(work.step));
}

void RemoteRoles::push(const Command::Copy& copy, std::span<const float> from, Ticket ticket) {
  streams_.push({copy.from.role, StreamKind::push}, plan_.process_of(copy.to.role), copy, from,
                ticket, on_acknowledged_);
}

void RemoteRoles::acknowledged(Ticket ticket, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) machine_->note_acknowledged(ticket, std::move(error));
}

void RemoteRoles::fetch(const Command::Copy& copy, std::span<float> into) {
  streams_.fetch({copy.to.role, StreamKind::fetch}, plan_.process_of(copy.from.role), copy, into);
}

// ---- from other processes

void RemoteRoles::on_frame(int from, FrameKind kind, FrameReader frame) {
  const std::lock_guard lock(mutex_);
  if (frame.take<std::uint32_t>() != run_ || machine_ == nullptr) return;
  if (kind == FrameKind::stop) {
    const auto how = frame.take<Verdict::Kind>();
    const std::string why = frame.take_line();
    return machine_->note_stop(how == Verdict::Kind::diverged
                                   ? std::make_exception_ptr(Diverged(why))
                                   : std::make_exception_ptr(std::runtime_error(why)));
  }
  log_->follow(frame.take<std::int64_t>());
  if (kind == FrameKind::cancel) {
    const RoleId worker = take_worker_of(group_.rank(), frame, "a cancel");
    return machine_->note_cancel({worker, frame.take<std::int64_t>()});
  }
  if (kind == FrameKind::death) {
    const RoleId worker = take_worker_of(from, frame, "a death");
    return machine_->note_remote_death(worker, frame.take_line());
  }
  take_message(from, frame);
}

/// The next value of a frame: a worker that `process` runs.
RoleId RemoteRoles::take_worker_of(int process, FrameReader& frame, const char* what) const {
  const auto worker = frame.take<RoleId>();
  if (worker < 0 || worker >= plan_.workers || plan_.process_of(worker) != process) {
    throw ProtocolError("received " + std::string(what) + " for worker " + std::to_string(worker) +
                        ", which process " + std::to_string(process) + " does not run");
  }
  return worker;
}

void RemoteRoles::take_message(int from, FrameReader& frame) {
  const auto to = frame.take<RoleId>();
  const auto message = frame.take<Message>();
  if (!is_sound(from, to, message)) {
    throw ProtocolError("received an invalid message of kind " + std::to_string(message.kind) +
                        " from role " + std::to_string(message.from) + " to role " +
                        std::to_string(to));
  }
  machine_->note_message(to, message);
}

/// Roles use the values of a message as indices without a check.
bool RemoteRoles::is_sound(int sender, RoleId to, const Message& message) const {
  const auto exists = [this](RoleId role) { return role >= 0 && role < plan_.roles(); };
  if (!exists(to) || runs(to) || !exists(message.from)) return false;
  if (plan_.process_of(message.from) != sender) return false;
  return aggregation_.is_sound(plan_, to, message);
}

/// `to` is a role of this process, since it has the buffer that was copied to.
void RemoteRoles::arrived(RoleId to, RoleId from) {
  if (from >= plan_.workers) {
    throw ProtocolError("received a copy that role " + std::to_string(from) +
                        " announces, expected one below " + std::to_string(plan_.workers));
  }
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) machine_->note_arrival(to, from);
}

void RemoteRoles::wake() {
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) machine_->wake_up();
}

void RemoteRoles::on_lost(int process) {
  streams_.shut_down(process);
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) machine_->note_lost(process, group_.loss_of(process));
}

void RemoteRoles::on_stream(int from, Connection connection) {
  streams_.serve(from, std::move(connection));
}

}  // namespace paceline
