// SPDX-License-Identifier: MIT
#include "exec/machine/real_machine.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "exec/machine/patient_wait.hpp"
#include "experiments/language/failure.hpp"

namespace paceline {
namespace {

// Between two checks of a machine that reports nothing: a fault is not urgent.
constexpr std::chrono::milliseconds kHealthCheck{200};

/// Rethrows ProcessLost; other errors are reported by the process that they are of.
void rethrow_loss(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ProcessLost&) {
    throw;
  } catch (...) {
  }
}

}  // namespace

RealMachine::RealMachine(const Plan& plan, TimeSource& time, RemotePeer* remote, DeviceOrder order)
    : OpGraph(plan.roles(), plan.workers, plan.observer, order),
      plan_(plan),
      time_(time),
      remote_(remote),
      losses_(static_cast<std::size_t>(plan.workers), std::numeric_limits<double>::quiet_NaN()),
      causes_of_death_(static_cast<std::size_t>(plan.workers)),
      remote_deaths_(static_cast<std::size_t>(plan.workers)),
      given_up_(static_cast<std::size_t>(plan.workers)),
      threads_(static_cast<std::size_t>(plan.roles()) * kStreamKinds) {
  for (auto& step : given_up_) step.store(-1);
}

void RealMachine::end_threads() {
  // a failed run leaves work behind: let delays and arithmetic end before joining
  for (auto& step : given_up_) step.store(std::numeric_limits<std::int64_t>::max());
  call_off_timers();
  threads_.clear();
}

void RealMachine::call_off_timers() {
  over_.store(true, std::memory_order_release);
  time_.wake();
}

StreamThread& RealMachine::thread_of(Stream stream) {
  std::unique_ptr<StreamThread>& thread =
      threads_[static_cast<std::size_t>(stream.role) * kStreamKinds +
               static_cast<std::size_t>(stream.kind)];
  if (thread == nullptr) {
    static constexpr const char* kKinds[kStreamKinds] = {"compute", "push", "fetch", "input"};
    const std::string role = stream.role < plan_.workers ? "worker" + std::to_string(stream.role)
                             : plan_.is_loader(stream.role)
                                 ? "loader" + std::to_string(stream.role - plan_.programs())
                             : stream.role < plan_.programs()
                                 ? "server" + std::to_string(stream.role - plan_.workers)
                                 : "writer" + std::to_string(stream.role - plan_.first_writer());
    thread = std::make_unique<StreamThread>(
        time_, role + "." + kKinds[static_cast<std::size_t>(stream.kind)], place_of(stream));
  }
  return *thread;
}

void RealMachine::give_to_thread(OpIndex op, Stream stream, const Command& command) {
  note_under_way();
  if (remote_ != nullptr && stream.kind == StreamKind::push) line_of(stream).push_back({op, {}});
  const std::atomic<bool>& awaited = awaited_flag(op);
  thread_of(stream).add(
      [this, op, stream, command, &awaited] { do_command(op, stream, command, awaited); });
}

std::atomic<bool>& RealMachine::awaited_flag(OpIndex op) {
  while (awaited_.size() <= op) awaited_.add();
  return awaited_[op];
}

bool RealMachine::given_up(WorkId work) const {
  if (work.worker < 0) return all_done();
  return work.step <=
         given_up_[static_cast<std::size_t>(work.worker)].load(std::memory_order_acquire);
}

/// On a stream's thread: a copy to another process, which ends when that has answered.
void RealMachine::push(OpIndex op, const Command::Copy& copy) {
  const Ticket ticket{op, time_.now()};
  try {
    remote_->push(copy, sent_by(copy), ticket);
  } catch (...) {
    note_acknowledged(ticket, std::current_exception());
  }
}

/// On a stream's thread.
void RealMachine::do_command(OpIndex op, Stream stream, const Command& command,
                             const std::atomic<bool>& awaited) {
  const auto* copy = command.as<Command::Copy>();
  const bool to_remote = copy != nullptr && is_remote(copy->to.role);
  if (to_remote && !(command.work.worker >= 0 && given_up(command.work))) return push(op, *copy);
  Ended ended;
  ended.op = op;
  ended.began = time_.now();
  try {
    ended.begun = command.work.worker < 0 || !given_up(command.work);
    ended.outcome = ended.begun ? perform(stream, command) : Outcome::cancelled;
    // only on the thread that computes: others run beside it
    if (command.is<Command::Compute>()) {
      ended.loss = loss_of(command.work);
      if (parts_observed()) ended.borders = borders_of(command.work);
    }
  } catch (...) {
    ended.outcome = Outcome::failed;
    ended.error = std::current_exception();
    give_up(command.work);  // what follows of the mini-batch would work on nothing
  }
  ended.ended = time_.now();
  const bool arrives = copy != nullptr && copy->announced;  // a role may wait for it
  if (time_.is_wall() && !ended.error && !arrives) ended.awaited = &awaited;
  note_ended(std::move(ended));  // an error is then the other thread's alone
}

/// On a stream's thread.
void RealMachine::request(const Command::StorageRequest& request) {
  Instant end;
  {
    const std::lock_guard lock(storage_mutex_);
    end = (request.writes ? checkpoints_ : records_)
              .serve(time_.now(), request.ps, request.latency_ps);
  }
  time_.sleep(end, [this] { return all_done(); });
}

/// On a stream's thread.
void RealMachine::prepare(const Command::Prepare& prepare) {
  if (!all_done()) time_.work(to_seconds(prepare.ps), [this] { return all_done(); });
}

/// On a stream's thread.
Outcome RealMachine::sleep(WorkId work, const Command::Delay& delay) {
  const auto stop = [this, work] { return given_up(work); };
  time_.sleep(time_.now() + to_seconds(delay.ps), stop);
  return stop() ? Outcome::cancelled : Outcome::done;
}

void RealMachine::note_ended(Ended ended) {
  time_.note_busy();  // to the thread that runs the roles
  const std::atomic<bool>* const awaited = ended.awaited;
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(ended));
  // Waking a thread costs more than many an operation. The thread that runs the roles, on which an
  // operation becomes awaited, takes the ended ones before it sleeps.
  const bool quiet = awaited != nullptr && !awaited->load(std::memory_order_relaxed) &&
                     !over_.load(std::memory_order_relaxed);
  if (!quiet) news_.notify_one();
}

void RealMachine::give_up(WorkId work) {
  if (work.worker < 0) return;
  // a thread that fails and the thread that runs the roles may both be here: the last step counts
  std::atomic<std::int64_t>& until = given_up_[static_cast<std::size_t>(work.worker)];
  std::int64_t seen = until.load(std::memory_order_relaxed);
  while (seen < work.step &&
         !until.compare_exchange_weak(seen, work.step, std::memory_order_release)) {
  }
}

void RealMachine::interrupt(OpIndex, const Command& command) {
  give_up(command.work);
  time_.wake();
}

/// Waits for reports; false when nothing is under way in any process.
bool RealMachine::take_news() {
  taken_.clear();
  handled_.clear();
  if (under_way_ == 0 && (remote_ == nullptr || all_roles_done())) return false;
  std::unique_lock lock(mutex_);
  const auto any = [this] { return !ended_.empty() || !reports_.empty(); };
  look_again(lock, time_.patience(), any);
  while (!news_.wait_for(lock, kHealthCheck, any)) {
    lock.unlock();
    check_health();
    lock.lock();
  }
  taken_.swap(ended_);
  handled_.swap(reports_);
  return true;
}

void RealMachine::run_roles() {
  do {
    run_ready();
  } while (begin_held_back());
}

void RealMachine::run() {
  time_.note_busy();  // the roles' own start
  run_roles();
  time_.note_idle();
  const auto go_on = [this] {
    run_roles();
    if (all_roles_done()) call_off_timers();
    time_.note_idle();
  };
  while (take_news()) {
    for (const Ended& ended : taken_) {
      if (ended.lane >= 0) {
        on_progress(ended);
      } else {
        finish_ended(ended);
      }
      go_on();
    }
    for (const Report& report : handled_) {
      report();
      go_on();
    }
  }
  if (!all_roles_done()) throw std::runtime_error(deadlock());
}

void RealMachine::finish_ended(const Ended& ended) {
  const Stream stream = stream_of(ended.op);
  if (remote_ == nullptr || stream.kind != StreamKind::push) return handle(ended);
  complete_in_order(ended);
}

/// Acknowledgements come from several processes, but a stream's operations end in its order: a wait
/// for the last one is a wait for all.
void RealMachine::complete_in_order(const Ended& ended) {
  const Stream stream = stream_of(ended.op);
  std::deque<Pushed>& line = line_of(stream);
  const auto place = std::find_if(line.begin(), line.end(),
                                  [&](const Pushed& pushed) { return pushed.op == ended.op; });
  if (place == line.end()) return handle(ended);  // of a device, which no push overtakes
  place->ended = ended;
  while (!line.empty() && line.front().ended) {
    const Ended first = *line.front().ended;
    line.pop_front();
    handle(first);
  }
}

std::deque<RealMachine::Pushed>& RealMachine::line_of(Stream stream) {
  if (lines_.empty()) lines_.resize(static_cast<std::size_t>(plan_.roles()));
  return lines_[static_cast<std::size_t>(stream.role)];
}

void RealMachine::handle(const Ended& ended) {
  --under_way_;
  const Command& done = command(ended.op);
  const WorkId work = done.work;
  if (ended.begun && work.worker >= 0 && stream_of(ended.op).kind == StreamKind::compute) {
    note_begun(work, ended.began);
  }
  if (ended.error) return let_worker_die(ended);
  if (const auto* compute = done.as<Command::Compute>()) {
    losses_[static_cast<std::size_t>(work.worker)] = ended.loss;
    report_layers(work, compute->layers, ended);
  }
  if (ended.begun) {
    report(stream_of(ended.op), done, ended.began, ended.ended, ended.outcome == Outcome::done);
  }
  finish(ended.op, ended.outcome);
}

void RealMachine::report_layers(WorkId work, const LayerRange& layers, const Ended& ended) {
  const std::vector<Instant>& borders = ended.borders;
  const auto count = std::min(static_cast<std::size_t>(layers.count()), borders.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t layer = nth_layer(layers, static_cast<std::int32_t>(i));
    observer()->part(work, {layers.pass, layer, layer + 1}, borders[i],
                     i + 1 < borders.size() ? borders[i + 1] : ended.ended);
  }
}

/// A worker's thread has thrown. Where the strategy survives deaths, this is one.
void RealMachine::let_worker_die(const Ended& ended) {
  const WorkId work = command(ended.op).work;
  if (remote_ != nullptr) rethrow_loss(ended.error);
  if (work.worker < 0 || !plan_.survives_deaths()) std::rethrow_exception(ended.error);
  if (is_cancelled(work)) return finish(ended.op, Outcome::cancelled);  // its result is not needed
  std::string& cause = causes_of_death_[static_cast<std::size_t>(work.worker)];
  try {
    std::rethrow_exception(ended.error);
  } catch (const std::exception& error) {
    cause = in_plain_words(error);
  }
  finish(ended.op, Outcome::failed);
  let_die(work);
}

std::string RealMachine::cause_of_death(RoleId worker) const {
  const std::string& cause = causes_of_death_[static_cast<std::size_t>(worker)];
  return cause.empty() ? "its lifetime was over" : cause;
}

}  // namespace paceline
