// SPDX-License-Identifier: MIT
/// \file
/// The simulated clock: a kernel is a duration, a copy is a flow through the machine's graph, and
/// time jumps to the next event. The operation graph says when an operation begins; the devices in
/// this folder say how long it takes; the machine keeps the agenda between them. Same commands,
/// same order of decisions as a real machine.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sim/devices/ahead_calls.hpp"
#include "sim/devices/card_memory.hpp"
#include "sim/devices/collective_library.hpp"
#include "sim/devices/copy_engine.hpp"
#include "sim/devices/host_cores.hpp"
#include "sim/devices/host_thread.hpp"
#include "sim/devices/operation_costs.hpp"
#include "sim/devices/own_gpu.hpp"
#include "sim/devices/processor.hpp"
#include "sim/devices/shared_machine.hpp"
#include "training/learning/learning.hpp"
#include "training/runtime/message_pool.hpp"
#include "training/runtime/op_graph.hpp"

namespace paceline {

class SimulatedMachine final : public OpGraph, public DeviceListener {
 public:
  /// \param vertices the machine's vertex of every role
  /// \param workers  roles below this number are workers
  /// \param learning what commands do to weights and gradients; null where only time matters
  /// All references must outlive this.
  SimulatedMachine(const Machine& machine, const Costs& costs, std::vector<int> vertices,
                   int workers, Observer* observer, Learning* learning = nullptr);
  /// The same as job number `job` on a machine that it shares with others.
  SimulatedMachine(SharedMachine& shared, unsigned job, const Machine& machine, const Costs& costs,
                   std::vector<int> vertices, int workers, Observer* observer,
                   Learning* learning = nullptr);
  ~SimulatedMachine() override;

  Instant now() const override { return time_.now(); }
  std::string cause_of_death(RoleId) const override { return "its lifetime was over"; }

  /// Works calls of `schedule` out ahead, but for the copies of disturbed ranks. Role r is rank r,
  /// a rank's links carry no copies of other ranks, and hosts take no time to decide.
  /// `schedule` must outlive this. \param disturbed by rank: whether other flows may cross its
  /// links
  void take_calls_ahead(const CollectiveSchedule& schedule, const ScheduleCosts& costs,
                        const std::vector<bool>& disturbed);
  std::optional<Reduced> whole_call(const CollectiveCall& call, Token ready) override;

  /// Runs all roles to their end and everything they left under way. Throws std::runtime_error at
  /// a deadlock and where the roles have not ended when the clock does. Of a job alone.
  void run();

  // Of the shared machine.
  using OpGraph::run_ready;
  bool stale(const Event& event) const;
  void happen(const Event& event);
  void flow_ended(std::uint32_t payload);
  void check_that_roles_ended() const;

  /// Flows so far, for benchmarks.
  std::uint64_t flows() const {
    return copies_->flows() + collectives_->flows() + (ahead_ ? ahead_->copies() : 0);
  }
  bool has_launches() const { return !launches_.empty(); }
  void start_launches();

 private:
  SimulatedMachine(std::unique_ptr<SharedMachine> shared, const Machine& machine,
                   const Costs& costs, std::vector<int> vertices, int workers, Observer* observer,
                   Learning* learning);

  // Of the operation graph.
  void queued(OpIndex op) override;
  bool begin(OpIndex op, Stream stream, const Command& command) override;
  void interrupt(OpIndex op, const Command& command) override;
  void interrupt_at_once(OpIndex op, const Command& command) override;
  bool is_free(Stream stream, const Command& command) const override;
  void decide(RoleId role) override;
  using OpGraph::forward;
  bool forward(RoleId to, const Message& message) override;
  double last_loss(RoleId worker) const override;

  // Of the devices.
  void ended(OpIndex op, Outcome outcome) override;
  void combine(OpIndex op) override {
    if (learning_ != nullptr) learning_->perform(command(op));
  }
  const Command& command_of(OpIndex op) const override { return command(op); }
  Stream stream_of_operation(OpIndex op) const override { return stream_of(op); }
  Observer* observer_of_parts() const override { return parts_observed() ? observer() : nullptr; }

  void add_processors();
  void note_always_free_commands();
  Processor& processor_of(Stream stream) const {
    return *by_role_[static_cast<std::size_t>(stream.role)];
  }
  bool begin_now(OpIndex op, Stream stream, const Command& command);
  bool begin_arithmetic(OpIndex op, Stream stream, const Command& command);
  bool launch(OpIndex op, Stream stream, const Command& command);
  void start_launch_of(OpIndex op);
  void carry_out(const Command& command);
  void report_layers(WorkId work, const LayerRange& layers, const OperationState& operation,
                     bool cut_short);
  void advance(OpIndex op);

  void go_on_ahead(std::uint32_t subject);
  int computer_of(RoleId role) const;

  std::unique_ptr<SharedMachine> own_;  ///< null: it is shared
  SharedMachine& shared_;
  const Machine& machine_;
  const Costs& costs_;
  Learning* learning_;
  LayerClock layers_;
  std::vector<int> vertices_;
  int workers_;
  OperationCosts lengths_;
  Timeline time_;
  FluidNetwork& network_;
  OperationStates operations_;
  const DeviceContext context_;

  const std::int64_t timer_error_ps_;
  HostThread host_;
  std::vector<OpIndex> launches_;          ///< of arithmetic that begins now
  std::optional<CardMemory> card_memory_;  ///< of a card that is split
  std::unique_ptr<HostCores> cores_;
  std::vector<std::unique_ptr<Processor>> processors_;
  std::vector<Processor*> by_role_;
  OwnGpu* own_gpus_ = nullptr;
  std::unique_ptr<Paths> paths_;
  std::unique_ptr<CopyEngine> copies_;
  std::unique_ptr<CollectiveLibrary> collectives_;
  std::unique_ptr<AheadCalls> ahead_;  ///< in place of the library; null: none
  MessagePool messages_;               ///< between processes, in flight
};

}  // namespace paceline
