// SPDX-License-Identifier: MIT
#include "exec/processes/remote_roles.hpp"

#include "training/metrics/recorder.hpp"

namespace paceline {

RemoteRoles::RemoteRoles(const Plan& plan, Group& group)
    : plan_(plan),
      group_(group),
      streams_(group),
      on_answer_(
          [this](Ticket ticket, std::exception_ptr error) { answered(ticket, std::move(error)); }) {
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
    // among equals, data goes round; what goes another way opens its connection when it does
    if (plan_.shards == 0) open(worker, StreamKind::push, (worker + 1) % plan_.workers);
  }
}

void RemoteRoles::begin(std::uint32_t run, RealMachine& machine, EventLog& log, Buffers& buffers) {
  streams_.lend(buffers, this);
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

// ---- what our roles ask for

void RemoteRoles::send(RoleId to, const Message& message, const std::string& cause) {
  frame_.restart(FrameKind::message);
  frame_.put(run_).put(log_->stamp()).put(to).put(message).put_text(cause);
  group_.send(plan_.process_of(to), frame_);
}

void RemoteRoles::cancel(WorkId work) {
  frame_.restart(FrameKind::cancel);
  frame_.put(run_).put(log_->stamp()).put(work);
  group_.send(plan_.process_of(work.worker), frame_);
}

void RemoteRoles::push(const Command& command, std::span<const float> from, Ticket ticket) {
  streams_.push({command.from.role, StreamKind::push}, plan_.process_of(command.to.role), command,
                from, ticket, on_answer_);
}

void RemoteRoles::answered(Ticket ticket, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) machine_->note_answer(ticket, std::move(error));
}

void RemoteRoles::fetch(const Command& command, std::span<float> into) {
  streams_.fetch({command.to.role, StreamKind::fetch}, plan_.process_of(command.from.role), command,
                 into);
}

// ---- what others say

void RemoteRoles::on_frame(int from, FrameKind kind, FrameReader frame) {
  const std::lock_guard lock(mutex_);
  if (frame.take<std::uint32_t>() != run_ || machine_ == nullptr) return;
  if (kind == FrameKind::stop) {
    const auto how = frame.take<Verdict::Kind>();
    const std::string why = frame.take_text();
    return machine_->note_stop(how == Verdict::Kind::diverged
                                   ? std::make_exception_ptr(Diverged(why))
                                   : std::make_exception_ptr(std::runtime_error(why)));
  }
  log_->follow(frame.take<std::int64_t>());
  if (kind == FrameKind::cancel) {
    const auto work = frame.take<WorkId>();
    if (work.worker < 0 || work.worker >= plan_.workers || runs(work.worker)) {
      throw ProtocolError("received a cancel for worker " + std::to_string(work.worker) +
                          ", which this process does not run");
    }
    return machine_->note_cancel(work);
  }
  const auto to = frame.take<RoleId>();
  const auto message = frame.take<Message>();
  if (!is_sound(from, to, message)) {
    throw ProtocolError("received an invalid message of kind " +
                        std::to_string(static_cast<int>(message.kind)) + " from role " +
                        std::to_string(message.from) + " to role " + std::to_string(to));
  }
  machine_->note_message(to, message, frame.take_text());
}

/// What roles take for granted of a message: they use what is in it as places in tables.
bool RemoteRoles::is_sound(int sender, RoleId to, const Message& message) const {
  using Kind = Message::Kind;
  const auto exists = [this](RoleId role) { return role >= 0 && role < plan_.roles(); };
  if (!exists(to) || runs(to) || !exists(message.from) || message.kind > Kind::stop) return false;
  if (plan_.process_of(message.from) != sender) return false;
  const bool by_server = message.from >= plan_.workers;
  if (message.kind == Kind::weights && !by_server) return false;
  if (message.kind == Kind::fetch && by_server) return false;
  return message.worker >= 0 && message.worker < plan_.workers;
}

void RemoteRoles::note(std::int32_t channel) {
  if (channel >= plan_.workers) {
    throw ProtocolError("received an arrival on channel " + std::to_string(channel) +
                        ", expected one below " + std::to_string(plan_.workers));
  }
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) machine_->note_arrival(channel);
}

void RemoteRoles::deal_with_it() {
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) machine_->look();
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
