// SPDX-License-Identifier: MIT
/// \file
/// The host clock: every stream is a thread, a kernel is real arithmetic, a copy is a memcpy, a
/// delay is waited for. All roles run on the one thread that calls `run`.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "exec/host/stream_thread.hpp"
#include "training/learning/learning.hpp"
#include "training/roles/op_graph.hpp"

namespace paceline {

class HostMachine final : public OpGraph {
 public:
  /// All references must outlive this.
  HostMachine(const Plan& plan, Learning& learning, TimeSource& time);
  /// Ends what is under way and joins all threads.
  ~HostMachine() override;

  Instant now() const override { return time_.now(); }
  std::string cause_of_death(RoleId worker) const override;

  /// Runs all roles to their end and everything they left under way. Rethrows what a thread throws.
  void run();

 private:
  struct Ended {
    OpIndex op = 0;
    Outcome outcome = Outcome::done;
    bool begun = true;  ///< false: it was cancelled before its turn
    Instant began, ended;
    double loss = 0;  ///< of the worker's mini-batch, as far as it is known
    std::exception_ptr error;
  };

  bool keeps_stream_order() const override { return true; }
  bool begin(OpIndex op, Stream stream, const Command& command) override;
  void interrupt(OpIndex op, const Command& command) override;
  bool is_free(Stream, const Command&) const override { return false; }
  void decide(RoleId role) override { wake(role); }
  double last_loss(RoleId worker) const override {
    return losses_[static_cast<std::size_t>(worker)];
  }

  void do_command(OpIndex op, Stream stream, const Command& command);
  Outcome perform(const Command& command);
  bool given_up(WorkId work) const;
  void give_up(WorkId work);
  StreamThread& thread_of(Stream stream);
  void note_ended(Ended ended);
  void deal_with(const Ended& ended);
  void let_worker_die(const Ended& ended);
  void call_off_timers();
  bool take_ended(std::vector<Ended>& taken);

  const Plan& plan_;
  Learning& learning_;
  TimeSource& time_;
  std::vector<double> losses_;                ///< by worker
  std::vector<std::string> causes_of_death_;  ///< by worker; empty: its time had come
  std::atomic<bool> over_{false};             ///< all roles are done: nobody waits for timers
  std::vector<std::atomic<std::int64_t>> given_up_;  ///< by worker: mini-batches up to this one
  std::int64_t under_way_ = 0;                       ///< operations handed to threads
  std::mutex mutex_;
  std::condition_variable something_ended_;
  std::vector<Ended> ended_;
  std::vector<std::unique_ptr<StreamThread>>
      threads_;  ///< by stream; last: they use all of the above
};

}  // namespace paceline
