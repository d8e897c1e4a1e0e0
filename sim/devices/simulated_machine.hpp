// SPDX-License-Identifier: MIT
/// \file
/// The simulated clock: a kernel is a duration, a copy is a flow through the machine's graph, and
/// time jumps to the next event. Same commands, same order of decisions as a real machine.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sim/devices/card_groups.hpp"
#include "sim/devices/copy_engines.hpp"
#include "sim/devices/layer_clock.hpp"
#include "sim/devices/letters.hpp"
#include "sim/devices/native_ring.hpp"
#include "sim/devices/paths.hpp"
#include "sim/engine/event_queue.hpp"
#include "training/learning/learning.hpp"
#include "training/roles/op_graph.hpp"

namespace paceline {

class SimulatedMachine final : public OpGraph {
 public:
  /// \param places  the machine's vertex of every role
  /// \param workers roles below this number are workers
  /// \param learning what commands do to weights and gradients; null where only time matters
  /// All references must outlive this.
  SimulatedMachine(const Machine& machine, const Costs& costs, std::vector<int> places, int workers,
                   Observer* observer, Learning* learning = nullptr);
  ~SimulatedMachine() override;

  Instant now() const override { return now_; }
  std::string cause_of_death(RoleId) const override { return "its lifetime was over"; }

  /// Runs all roles to their end and everything they left under way. Throws std::runtime_error at
  /// a deadlock and where the roles have not ended when the clock does.
  void run();

  /// Flows so far, for benchmarks.
  std::uint64_t flows() const { return flows_; }

 private:
  // A flow's payload below this is an operation; above it, a collective.
  static constexpr std::uint32_t kCollectiveFlow = 0x80000000;

  enum What : std::uint8_t {
    timer,
    flow_start,
    flow_end,
    core_start,
    decision,
    collective_start,
    letter,
    hand_over
  };
  /// An operation under way, by its index.
  struct Running {
    std::uint32_t generation = 0;  ///< of the event that counts
    bool handed_over = true;       ///< the roles' thread has got round to it
    std::int64_t handed_ps = 0;    ///< when it does
    bool on_core = false;          ///< counted in `on_cores_`
    bool stopping = false;         ///< cancelled arithmetic on its way to the next layer's border
    bool by_layer = false;         ///< layers on a group of a card, one at a time
    std::int64_t began_ps = 0;
    std::int64_t since_ps = 0;   ///< when `left_ps` was true
    double total_ps = 0;         ///< of arithmetic, at full speed
    double left_ps = 0;          ///< likewise; of a copy: its bytes
    std::int64_t layers_ps = 0;  ///< of layers cut short: of an undisturbed worker, up to there
    Path* path = nullptr;
    FlowId flow;
  };
  /// Layers on a group of a card, one after another; by the index of their operation.
  struct LayerWalk {
    std::int32_t begun = 0;          ///< layers; one more: what comes after the last
    double pace = 1;                 ///< of their times and bytes: the step's variation
    std::int64_t layer_ps = 0;       ///< when the one under way began
    std::int64_t not_before_ps = 0;  ///< they end no sooner: launches
  };
  /// One call of the machine's own all-reduce: it begins when all ranks have.
  struct Collective {
    std::vector<OpIndex> ops;
    int flows_left = 0;
    double bytes = 0;
  };

  void queued(OpIndex op) override;
  bool begin(OpIndex op, Stream stream, const Command& command) override;
  bool begin_now(OpIndex op, Stream stream, const Command& command);
  void interrupt(OpIndex op, const Command& command) override;
  void interrupt_at_once(OpIndex op, const Command& command) override;
  bool is_free(Stream stream, const Command& command) const override;
  void decide(RoleId role) override;
  using OpGraph::forward;
  bool forward(RoleId to, const Message& message) override;
  double last_loss(RoleId worker) const override;

  void carry_out(const Command& command);
  bool begin_copy(OpIndex op, const Command& command);
  bool begin_arithmetic(OpIndex op, Stream stream, const Command& command, double ps);
  bool begin_on_group(OpIndex op, Stream stream, const Command& command);
  void begin_group_work(OpIndex op);
  void begin_next_layer(OpIndex op);
  void stop_layers(OpIndex op);
  static std::int32_t layer_of(const LayerRange& layers, std::int32_t turn);
  void report_layer(OpIndex op);
  void begin_flow(OpIndex op);
  void begin_collective(OpIndex op, Stream stream, const Command& command);
  void lay_rings(int ranks);
  void start_collective(std::size_t ordinal);
  void finish_collective(std::size_t ordinal);
  void set_gpu_speed(double speed);

  double arithmetic_ps(Stream stream, const Command& command) const;
  double compute_ps(const Command& command) const;
  bool goes_straight_on(Stream stream) const;
  bool cores_are_busy(Stream stream) const;
  Seconds take_core(Running& run, Stream stream);
  void leave_core(Running& run, Stream stream);
  Seconds after_sleep(Seconds slept) const;
  Seconds passing_on(Stream stream) const;
  std::int64_t start_latency_ps(Stream stream) const;
  static std::size_t index_of(Stream stream) {
    return static_cast<std::size_t>(stream.role) * kStreamKinds +
           static_cast<std::size_t>(stream.kind);
  }
  ResourceId share_cores();
  ResourceId share_card_time();
  /// Whether the stream's arithmetic is on the card that is split into groups.
  bool on_group(Stream stream) const {
    return groups_ && places_[static_cast<std::size_t>(stream.role)] == costs_.shared_card;
  }
  /// Some of an operation is done: a layer on a group, or else all of it.
  void advanced(OpIndex op);
  /// Whether the stream's arithmetic shares processors with that of others.
  bool shares_cores(Stream stream) const;
  std::int64_t& roles_free_ps(RoleId role) {
    return roles_free_ps_[static_cast<std::size_t>(costs_.processes.of(role))];
  }
  std::int64_t talk_ps(const Path& way, Stream stream, const Command& command) const;
  FlowId start_on_cores(OpIndex op, Stream stream, double ps);
  Running& running(OpIndex op);
  void schedule(OpIndex op, std::int64_t at_ps);
  /// So much later than now.
  std::int64_t in_ps(std::int64_t length_ps) const { return later_ps(now_.ps, length_ps); }
  double arithmetic_left_ps(OpIndex op) const;
  double stretch_of(OpIndex op) const;
  void ended(OpIndex op, Outcome outcome);
  void report_layers(const Command& command, const Running& run, bool cut_short);
  void on_flow_done(std::uint32_t payload);
  bool stale(const Event& event) const;
  void happen(const Event& event);
  void settle();

  const Machine& machine_;
  const Costs& costs_;
  Learning* learning_;
  LayerClock layers_;
  std::vector<int> places_;
  int workers_;
  Instant now_;
  EventQueue agenda_;
  std::uint64_t flows_ = 0;

  FluidNetwork network_;
  std::vector<int> on_cores_;  ///< operations that use them or are about to, by computer
  std::vector<std::vector<std::int64_t>> idle_since_ps_;  ///< of idle cores, by computer
  std::vector<RouteId> cores_;            ///< of threads that run where there is room, by computer
  std::vector<RouteId> workers_cores_;    ///< of threads that stay on a core, by computer and core
  std::optional<RouteId> server_memory_;  ///< of arithmetic of servers on the host's CPUs
  std::optional<CardGroups> groups_;      ///< of the shared card
  CopyEngines engines_;                   ///< of the shared card
  std::unique_ptr<Paths> paths_;

  std::vector<Running> running_;
  std::vector<LayerWalk> walks_;           ///< as long as needed: empty without groups
  std::vector<std::int64_t> last_end_ps_;  ///< by stream
  std::int64_t dispatcher_free_ps_ = 0;
  std::vector<std::int64_t> roles_free_ps_;  ///< by process: when the thread that runs its roles
                                             ///< has nothing left to do
  Letters letters_;
  double gpu_speed_ = 1;
  std::vector<OpIndex> on_gpus_;  ///< workers' arithmetic under way

  std::vector<Collective> collectives_;        ///< by ordinal
  std::vector<std::size_t> collective_count_;  ///< by rank: how many it has joined
  NativeRing ring_;
  std::vector<const Path*> ring_edges_;
};

}  // namespace paceline
