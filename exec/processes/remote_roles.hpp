// SPDX-License-Identifier: MIT
/// \file
/// The access of this process's machine to the roles of a group's other processes: messages travel
/// as frames on the control connections, copies on those of their streams.
#pragma once
#include "exec/machine/real_machine.hpp"
#include "exec/processes/event_log.hpp"
#include "exec/processes/streams.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {

class RemoteRoles final : public RemotePeer, public GroupListener, private Arrivals {
 public:
  /// `plan`, of `aggregation`, says which process runs which role. All must outlive this.
  RemoteRoles(const Plan& plan, const Aggregation& aggregation, Group& group);
  ~RemoteRoles() override;

  /// Opens the connections that the streams of this process's roles will need. All processes must
  /// have made their RemoteRoles.
  void open_streams();

  /// Starts run number `run` of the group: from now on `machine` receives what others send in it,
  /// and they copy to and from `buffers`. Frames of other runs are late, and dropped.
  void begin(std::uint32_t run, RealMachine& machine, EventLog& log, Buffers& buffers,
             MakeStaging staging);
  /// Ends the use of the machine; others may still copy.
  void end();
  /// After the machine's end: waits until all of its pushes are acknowledged.
  void await_acknowledgements() { streams_.await_acknowledgements(); }
  /// Ends the use of the buffers.
  void take_buffers_back() { streams_.take_back(); }
  /// Ends the run on the other processes, too.
  void stop_others(const Verdict& why);

  bool runs(RoleId role) const override { return plan_.process_of(role) != group_.rank(); }
  void send(RoleId to, const Message& message) override;
  void report_death(RoleId worker, const std::string& cause) override;
  void cancel(WorkId work) override;
  void push(const Command::Copy& copy, std::span<const float> from, Ticket ticket) override;
  void fetch(const Command::Copy& copy, std::span<float> into) override;

  void on_frame(int from, FrameKind kind, FrameReader frame) override;
  void on_lost(int process) override;
  void on_stream(int from, Connection connection) override;

 private:
  void restart(FrameKind kind);
  RoleId take_worker_of(int process, FrameReader& frame, const char* what) const;
  void take_message(int from, FrameReader& frame);
  bool is_sound(int sender, RoleId to, const Message& message) const;
  void arrived(RoleId to, RoleId from) override;
  void wake() override;
  void acknowledged(Ticket ticket, std::exception_ptr error);

  const Plan& plan_;
  const Aggregation& aggregation_;
  Group& group_;
  Streams streams_;
  Streams::Acknowledged on_acknowledged_;
  FrameWriter frame_{FrameKind::message};  ///< of the thread that runs the roles
  std::mutex mutex_;                       ///< of the members of a run
  std::uint32_t run_ = 0;
  RealMachine* machine_ = nullptr;
  EventLog* log_ = nullptr;
};

}  // namespace paceline
