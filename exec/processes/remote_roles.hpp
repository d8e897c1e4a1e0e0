// SPDX-License-Identifier: MIT
/// \file
/// The roles that the other processes of a group run, for the machine that runs those of this one:
/// messages as frames on the control connections, copies on the streams' own.
#pragma once
#include "exec/machine/real_machine.hpp"
#include "exec/processes/event_log.hpp"
#include "exec/processes/streams.hpp"

namespace paceline {

class RemoteRoles final : public Elsewhere, public GroupListener, private Arrivals {
 public:
  /// `plan` says which process runs which role. Both must outlive this.
  RemoteRoles(const Plan& plan, Group& group);
  ~RemoteRoles() override;

  /// Opens the connections that the streams of this process's roles will need. All processes must
  /// have made their RemoteRoles.
  void open_streams();

  /// Run number `run` of the group begins: from now on what others say of it goes to `machine`, and
  /// they copy to and from `buffers`. What they say of other runs comes too late and is dropped.
  void begin(std::uint32_t run, RealMachine& machine, EventLog& log, Buffers& buffers);
  /// The machine hears no more; others may still copy.
  void end();
  /// The machine has gone: waits until all that it has pushed has been answered.
  void settle() { streams_.settle(); }
  /// Nor do they.
  void take_buffers_back() { streams_.take_back(); }
  /// The run has ended here before its time: so it does elsewhere.
  void stop_others(const Verdict& why);

  bool runs(RoleId role) const override { return plan_.process_of(role) != group_.rank(); }
  void send(RoleId to, const Message& message, const std::string& cause) override;
  void cancel(WorkId work) override;
  void push(const Command& command, std::span<const float> from, Ticket ticket) override;
  void fetch(const Command& command, std::span<float> into) override;

  void on_frame(int from, FrameKind kind, FrameReader frame) override;
  void on_lost(int process) override;
  void on_stream(int from, Connection connection) override;

 private:
  bool is_sound(int sender, RoleId to, const Message& message) const;
  void note(std::int32_t channel) override;
  void deal_with_it() override;
  void answered(Ticket ticket, std::exception_ptr error);

  const Plan& plan_;
  Group& group_;
  Streams streams_;
  Streams::Answered on_answer_;
  FrameWriter frame_{FrameKind::message};  ///< of the thread that runs the roles
  std::mutex mutex_;                       ///< of what a run brings
  std::uint32_t run_ = 0;
  RealMachine* machine_ = nullptr;
  EventLog* log_ = nullptr;
};

}  // namespace paceline
