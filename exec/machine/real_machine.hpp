// SPDX-License-Identifier: MIT
/// \file
/// The common part of all real clocks: all roles run on the one thread that calls `run`, to which
/// other threads report ended work; streams of the computer's own are threads. A machine derives
/// from it and says what its operations do.
#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/machine/remote_peer.hpp"
#include "exec/machine/stream_thread.hpp"
#include "training/runtime/op_graph.hpp"
#include "training/runtime/stable_vector.hpp"
#include "training/runtime/storage.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

class RealMachine : public OpGraph {
 public:
  /// `remote`: the roles of other processes; null: all run here. `order`: that of the devices. All
  /// references must outlive this.
  RealMachine(const Plan& plan, TimeSource& time, RemotePeer* remote = nullptr,
              DeviceOrder order = DeviceOrder::each_stream);

  Instant now() const override { return time_.now(); }
  std::string cause_of_death(RoleId worker) const override;

  /// The time source begins at another time than before. Call it before run().
  virtual void note_clock_set() {}
  /// Runs all roles to their end and everything they left under way. Rethrows a thread's exception.
  void run();

  // From any thread: reports from other processes, handled in the order in which they came.

  void note_message(RoleId to, const Message& message);
  void note_remote_death(RoleId worker, const std::string& cause);
  void note_cancel(WorkId work);
  void note_arrival(RoleId to, RoleId from);  ///< wakes no thread
  void wake_up();                             ///< wakes the thread that runs the roles
  /// A push has arrived, or `error` says why not.
  void note_acknowledged(Ticket ticket, std::exception_ptr error);
  /// A process was lost: its workers die where the strategy survives that, else the run ends.
  void note_lost(int process, const std::string& why);
  /// The run has ended in another process, and so it ends here: `error` is thrown.
  void note_stop(std::exception_ptr error);

 protected:
  /// Another thread's report of an operation.
  struct Ended {
    OpIndex op = 0;
    Outcome outcome = Outcome::done;
    bool begun = true;  ///< false: it was cancelled before its turn
    Instant began, ended;
    double loss = 0;               ///< of the worker's mini-batch, as far as it is known
    std::vector<Instant> borders;  ///< of arithmetic that is traced: as `borders_of`
    std::exception_ptr error;
    int lane = -1;  ///< of a device's queue, which has come further; -1: a thread did the operation
    const std::atomic<bool>* awaited = nullptr;  ///< whether anything waits for it; null: maybe
  };

  bool forward(RoleId to, const Message& message) override;
  bool forward(WorkId work) override;
  bool is_free(Stream, const Command& command) const override {
    const auto* delay = command.as<Command::Delay>();
    return delay != nullptr && delay->ps == 0;
  }
  void note_death(RoleId worker) override;
  void queued(OpIndex op) override { awaited_flag(op).store(false, std::memory_order_relaxed); }
  void awaited(OpIndex op) override { awaited_flag(op).store(true, std::memory_order_relaxed); }
  void decide(RoleId role) override { wake(role); }
  void interrupt(OpIndex op, const Command& command) override;
  double last_loss(RoleId worker) const override {
    return losses_[static_cast<std::size_t>(worker)];
  }

  /// On a stream's thread: carries out a command and returns how it ended. May throw.
  virtual Outcome perform(Stream stream, const Command& command) = 0;
  /// On a stream's thread: the floats that a copy to another process sends.
  virtual std::span<const float> sent_by(const Command::Copy& /*copy*/) { return {}; }
  /// On a stream's thread, after arithmetic: the loss of the mini-batch.
  virtual double loss_of(WorkId /*work*/) const { return 0; }
  /// On a stream's thread, after arithmetic: when each of its layers began, and when the last one
  /// ended where that was noted; kept only where parts are observed.
  virtual std::vector<Instant> borders_of(WorkId /*work*/) { return {}; }
  /// A device's queue has come further.
  virtual void on_progress(const Ended& /*ended*/) {}
  /// No role can go on for now, so that what was held back for more to come must begin. True if
  /// something did.
  virtual bool begin_held_back() { return false; }
  /// Called now and then while nothing ends; may throw, which ends the run.
  virtual void check_health() {}

  /// Gives an operation to the thread of its stream.
  void give_to_thread(OpIndex op, Stream stream, const Command& command);
  /// Queues a job on the thread of a stream.
  void add_to_thread(Stream stream, StreamThread::Job job) {
    thread_of(stream).add(std::move(job));
  }
  /// Sleeps on a stream's thread; ends early when the work is given up.
  Outcome sleep(WorkId work, const Command::Delay& delay);
  /// On a stream's thread: waits for the storage, or works on items. Nothing once all roles are
  /// done.
  void request(const Command::StorageRequest& request);
  void prepare(const Command::Prepare& prepare);
  /// Where the thread of a stream runs.
  virtual ThreadPlace place_of(Stream /*stream*/) const { return {}; }
  /// From any thread.
  void note_ended(Ended ended);
  /// An operation that `begin` has accepted has ended.
  void finish_ended(const Ended& ended);
  /// `begin` has accepted an operation; `finish_ended` will report its end.
  void note_under_way() { ++under_way_; }
  bool given_up(WorkId work) const;
  virtual void give_up(WorkId work);
  /// Ends delays and arithmetic, and joins all threads. Every destructor of a derived class calls
  /// it first.
  void end_threads();
  const Plan& plan() const { return plan_; }
  RemotePeer* remote() { return remote_; }
  bool is_remote(RoleId role) const { return remote_ != nullptr && remote_->runs(role); }
  TimeSource& time() const { return time_; }

 private:
  /// A report from another process: what this one does about it.
  using Report = std::function<void()>;
  bool all_done() const { return over_.load(std::memory_order_acquire); }
  void note_report(Report report, bool wakes = true);
  void let_process_die(int process, const std::string& why);
  void push(OpIndex op, const Command::Copy& copy);
  void do_command(OpIndex op, Stream stream, const Command& command,
                  const std::atomic<bool>& awaited);
  std::atomic<bool>& awaited_flag(OpIndex op);
  StreamThread& thread_of(Stream stream);
  /// An operation of a push stream that is under way, or has ended before one that precedes it.
  struct Pushed {
    OpIndex op = 0;
    std::optional<Ended> ended;
  };
  std::deque<Pushed>& line_of(Stream stream);
  void complete_in_order(const Ended& ended);
  void handle(const Ended& ended);
  void report_layers(WorkId work, const LayerRange& layers, const Ended& ended);
  void let_worker_die(const Ended& ended);
  void call_off_timers();
  void run_roles();
  bool take_news();

  const Plan& plan_;
  TimeSource& time_;
  RemotePeer* remote_;
  std::vector<double> losses_;                ///< by worker
  std::vector<std::string> causes_of_death_;  ///< by worker; empty: its lifetime was over
  std::vector<bool> remote_deaths_;           ///< by worker, of those of other processes
  std::atomic<bool> over_{false};             ///< all roles are done: no role waits for timers
  std::vector<std::atomic<std::int64_t>> given_up_;  ///< by worker: mini-batches up to this one
  std::vector<std::deque<Pushed>> lines_;  ///< by role, of pushes to several processes, in order
  std::int64_t under_way_ = 0;             ///< operations begun and not ended
  StableVector<std::atomic<bool>> awaited_{0};  ///< by operation: something waits for its end
  std::mutex storage_mutex_;
  Storage records_, checkpoints_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Ended> ended_, taken_;       ///< by other threads; by the one that runs the roles
  std::vector<Report> reports_, handled_;  ///< by other threads; by the one that runs the roles
  std::vector<std::unique_ptr<StreamThread>>
      threads_;  ///< by stream; last: they use all of the above
};

}  // namespace paceline
