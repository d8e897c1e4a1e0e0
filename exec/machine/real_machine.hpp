// SPDX-License-Identifier: MIT
/// \file
/// What every real clock has in common: all roles run on the one thread that calls `run`, which
/// learns of ended work from other threads; streams of the computer's own are threads. A machine
/// derives from it and says what its operations do.
#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/host/stream_thread.hpp"
#include "exec/machine/elsewhere.hpp"
#include "training/roles/op_graph.hpp"
#include "training/roles/stable_vector.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

class RealMachine : public OpGraph {
 public:
  /// `elsewhere`: the roles of other processes; null: all run here. All references must outlive
  /// this.
  RealMachine(const Plan& plan, TimeSource& time, Elsewhere* elsewhere = nullptr);

  Instant now() const override { return time_.now(); }
  std::string cause_of_death(RoleId worker) const override;

  /// Runs all roles to their end and everything they left under way. Rethrows what a thread throws.
  void run();

  // From any thread: what comes from other processes, dealt with in the order in which it came.

  void note_message(RoleId to, const Message& message, const std::string& cause);
  void note_cancel(WorkId work);
  void note_arrival(std::int32_t channel);  ///< wakes nobody
  void look();                              ///< wakes the thread that runs the roles
  /// What was pushed has arrived, or else `error` says why not.
  void note_answer(Ticket ticket, std::exception_ptr error);
  /// A process was lost: its workers die where the strategy survives that, else the run ends.
  void note_lost(int process, const std::string& why);
  /// The run has ended in another process, and so it ends here: `error` is thrown.
  void note_stop(std::exception_ptr error);

 protected:
  /// What another thread tells of an operation.
  struct Ended {
    OpIndex op = 0;
    Outcome outcome = Outcome::done;
    bool begun = true;  ///< false: it was cancelled before its turn
    Instant began, ended;
    double loss = 0;               ///< of the worker's mini-batch, as far as it is known
    std::vector<Instant> borders;  ///< of arithmetic that is traced: as `borders_of`
    std::exception_ptr error;
    int lane = -1;  ///< of a device's queue, which has come further; -1: a thread did the operation
    const std::atomic<bool>* wanted = nullptr;  ///< whether anything waits for it; null: maybe
  };

  bool forward(RoleId to, const Message& message) override;
  bool forward(WorkId work) override;
  bool keeps_stream_order() const override { return true; }
  bool is_free(Stream, const Command& command) const override {
    return command.kind == Command::Kind::delay && command.delay_ps == 0;
  }
  void queued(OpIndex op) override { wanted_flag(op).store(false, std::memory_order_relaxed); }
  void wanted(OpIndex op) override { wanted_flag(op).store(true, std::memory_order_relaxed); }
  void decide(RoleId role) override { wake(role); }
  void interrupt(OpIndex op, const Command& command) override;
  double last_loss(RoleId worker) const override {
    return losses_[static_cast<std::size_t>(worker)];
  }

  /// On a stream's thread: does a command and says how it ended. May throw.
  virtual Outcome perform(const Command& command) = 0;
  /// On a stream's thread: the floats that a copy to another process sends.
  virtual std::span<const float> sent_by(const Command& /*copy*/) { return {}; }
  /// On a stream's thread, after arithmetic: the loss of the mini-batch.
  virtual double loss_of(WorkId /*work*/) const { return 0; }
  /// Likewise: when each layer that it ran began, and when the last one ended where that was
  /// noted; kept only where parts are wanted.
  virtual std::vector<Instant> borders_of(WorkId /*work*/) { return {}; }
  /// A device's queue has come further.
  virtual void on_progress(const Ended& /*ended*/) {}
  /// Asked now and then while nothing ends; may throw, which ends the run.
  virtual void check_health() {}

  /// Gives an operation to the thread of its stream.
  void give_to_thread(OpIndex op, Stream stream, const Command& command);
  /// Sleeps on a stream's thread; ends early when the work is given up.
  Outcome sleep(const Command& command);
  /// The computer's core that a stream's thread shall stay on; none: where the system puts it.
  virtual std::optional<int> core_of(Stream /*stream*/) const { return std::nullopt; }
  /// From any thread.
  void note_ended(Ended ended);
  /// An operation that `begin` has accepted has ended.
  void complete(const Ended& ended);
  /// `begin` has accepted an operation; `complete` will tell its end.
  void note_under_way() { ++under_way_; }
  bool given_up(WorkId work) const;
  virtual void give_up(WorkId work);
  /// Ends delays and arithmetic, and joins all threads. Every destructor of a derived class calls
  /// it first.
  void end_threads();
  const Plan& plan() const { return plan_; }
  Elsewhere* elsewhere() { return elsewhere_; }
  bool runs_elsewhere(RoleId role) const { return elsewhere_ != nullptr && elsewhere_->runs(role); }
  TimeSource& time() { return time_; }

 private:
  /// What another process has said.
  struct Heard {
    enum class What : std::uint8_t { message, cancel, arrival, lost, stop };
    What what = What::message;
    RoleId to = 0;
    std::int32_t channel = -1;
    int process = 0;
    WorkId work;
    Message message;
    std::string text;
    std::exception_ptr error;
  };
  void note_heard(Heard heard, bool wakes = true);
  void deal_with(const Heard& heard);
  bool note_dead(RoleId worker);
  void let_process_die(int process, const std::string& why);
  void push(OpIndex op, const Command& command);
  void do_command(OpIndex op, const Command& command, const std::atomic<bool>& wanted);
  std::atomic<bool>& wanted_flag(OpIndex op);
  StreamThread& thread_of(Stream stream);
  /// An operation of a push stream that is under way, or has ended before one that precedes it.
  struct Pushed {
    OpIndex op = 0;
    std::optional<Ended> ended;
  };
  std::deque<Pushed>& line_of(Stream stream);
  void complete_now(const Ended& ended);
  void deal_with(const Ended& ended);
  void report_layers(const Command& command, const Ended& ended);
  void let_worker_die(const Ended& ended);
  void call_off_timers();
  bool take_news();

  const Plan& plan_;
  TimeSource& time_;
  Elsewhere* elsewhere_;
  std::vector<double> losses_;                ///< by worker
  std::vector<std::string> causes_of_death_;  ///< by worker; empty: its time had come
  std::vector<bool> dead_elsewhere_;          ///< by worker, of those of other processes
  std::atomic<bool> over_{false};             ///< all roles are done: nobody waits for timers
  std::vector<std::atomic<std::int64_t>> given_up_;  ///< by worker: mini-batches up to this one
  std::vector<std::deque<Pushed>> lines_;  ///< by role, of pushes to several processes, in order
  std::int64_t under_way_ = 0;             ///< operations begun and not ended
  StableVector<std::atomic<bool>> wanted_{0};  ///< by operation: something waits for its end
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Ended> ended_, taken_;     ///< by other threads; by the one that runs the roles
  std::vector<Heard> heard_, listened_;  ///< likewise
  std::vector<std::unique_ptr<StreamThread>>
      threads_;  ///< by stream; last: they use all of the above
};

}  // namespace paceline
