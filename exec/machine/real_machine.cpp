// SPDX-License-Identifier: MIT
#include "exec/machine/real_machine.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace paceline {
namespace {

// Between two looks at a machine that says nothing: a fault is not urgent.
constexpr std::chrono::milliseconds kHealthCheck{200};

/// A process that is lost is nobody's death here.
void rethrow_loss(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ProcessLost&) {
    throw;
  } catch (...) {  // whose it is, others say
  }
}

}  // namespace

RealMachine::RealMachine(const Plan& plan, TimeSource& time, Elsewhere* elsewhere)
    : OpGraph(plan.roles(), plan.workers, plan.workers, plan.observer),
      plan_(plan),
      time_(time),
      elsewhere_(elsewhere),
      losses_(static_cast<std::size_t>(plan.workers), std::numeric_limits<double>::quiet_NaN()),
      causes_of_death_(static_cast<std::size_t>(plan.workers)),
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
    const std::string role = stream.role < plan_.workers
                                 ? "worker" + std::to_string(stream.role)
                                 : "server" + std::to_string(stream.role - plan_.workers);
    thread = std::make_unique<StreamThread>(
        time_, role + "." + kKinds[static_cast<std::size_t>(stream.kind)], core_of(stream));
  }
  return *thread;
}

void RealMachine::give_to_thread(OpIndex op, Stream stream, const Command& command) {
  note_under_way();
  if (elsewhere_ != nullptr && stream.kind == StreamKind::push) line_of(stream).push_back({op, {}});
  const std::atomic<bool>& wanted = wanted_flag(op);
  thread_of(stream).add([this, op, command, &wanted] { do_command(op, command, wanted); });
}

std::atomic<bool>& RealMachine::wanted_flag(OpIndex op) {
  while (wanted_.size() <= op) wanted_.add();
  return wanted_[op];
}

bool RealMachine::given_up(WorkId work) const {
  if (work.worker < 0) return over_.load(std::memory_order_acquire);
  return work.step <=
         given_up_[static_cast<std::size_t>(work.worker)].load(std::memory_order_acquire);
}

/// On a stream's thread: a copy to another process, which ends when that has answered.
void RealMachine::push(OpIndex op, const Command& command) {
  const Ticket ticket{op, time_.now()};
  try {
    elsewhere_->push(command, sent_by(command), ticket);
  } catch (...) {
    note_answer(ticket, std::current_exception());
  }
}

/// On a stream's thread.
void RealMachine::do_command(OpIndex op, const Command& command, const std::atomic<bool>& wanted) {
  const bool given = command.kind == Command::Kind::copy && runs_elsewhere(command.to.role);
  if (given && !(command.work.worker >= 0 && given_up(command.work))) return push(op, command);
  Ended ended;
  ended.op = op;
  ended.began = time_.now();
  try {
    ended.begun = command.work.worker < 0 || !given_up(command.work);
    ended.outcome = ended.begun ? perform(command) : Outcome::cancelled;
    // only the thread that computes may look: others run beside it
    if (command.kind == Command::Kind::compute) {
      ended.loss = loss_of(command.work);
      if (parts_wanted()) ended.borders = borders_of(command.work);
    }
  } catch (...) {
    ended.outcome = Outcome::failed;
    ended.error = std::current_exception();
    give_up(command.work);  // what follows of the mini-batch would work on nothing
  }
  ended.ended = time_.now();
  const bool arrives = command.channel >= 0;  // somewhere, where somebody may wait for it
  if (time_.is_wall() && !ended.error && !arrives) ended.wanted = &wanted;
  note_ended(std::move(ended));  // an error is then the other thread's alone
}

/// On a stream's thread.
Outcome RealMachine::sleep(const Command& command) {
  const auto stop = [this, work = command.work] { return given_up(work); };
  time_.sleep(time_.now() + to_seconds(command.delay_ps), stop);
  return stop() ? Outcome::cancelled : Outcome::done;
}

void RealMachine::note_ended(Ended ended) {
  time_.handed_over();  // to the thread that runs the roles
  const std::atomic<bool>* const wanted = ended.wanted;
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(ended));
  // Waking a thread costs more than many an operation. Who comes to want this one later, on the
  // thread that runs the roles, looks at what has ended before he sleeps.
  const bool quiet = wanted != nullptr && !wanted->load(std::memory_order_relaxed) &&
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

/// Waits for news; false when nothing is under way, here or elsewhere.
bool RealMachine::take_news() {
  taken_.clear();
  listened_.clear();
  if (under_way_ == 0 && (elsewhere_ == nullptr || all_roles_done())) return false;
  std::unique_lock lock(mutex_);
  const auto any = [this] { return !ended_.empty() || !heard_.empty(); };
  while (!news_.wait_for(lock, kHealthCheck, any)) {
    lock.unlock();
    check_health();
    lock.lock();
  }
  taken_.swap(ended_);
  listened_.swap(heard_);
  return true;
}

void RealMachine::run() {
  time_.handed_over();  // the roles' own start
  run_ready();
  time_.dealt_with();
  const auto go_on = [this] {
    run_ready();
    if (all_roles_done()) call_off_timers();
    time_.dealt_with();
  };
  while (take_news()) {
    for (const Ended& ended : taken_) {
      if (ended.lane >= 0) {
        on_progress(ended);
      } else {
        complete(ended);
      }
      go_on();
    }
    for (const Heard& heard : listened_) {
      deal_with(heard);
      go_on();
    }
  }
  if (!all_roles_done()) throw std::runtime_error(deadlock());
}

void RealMachine::complete(const Ended& ended) {
  const Stream stream = stream_of(ended.op);
  if (elsewhere_ == nullptr || stream.kind != StreamKind::push) return complete_now(ended);
  // Answers come from several processes, but a stream's operations end in its order: whoever waits
  // for the last relies on all.
  std::deque<Pushed>& line = line_of(stream);
  const auto place = std::find_if(line.begin(), line.end(),
                                  [&](const Pushed& pushed) { return pushed.op == ended.op; });
  place->ended = ended;
  while (!line.empty() && line.front().ended) {
    const Ended first = *line.front().ended;
    line.pop_front();
    complete_now(first);
  }
}

void RealMachine::complete_now(const Ended& ended) {
  --under_way_;
  deal_with(ended);
}

std::deque<RealMachine::Pushed>& RealMachine::line_of(Stream stream) {
  if (lines_.empty()) lines_.resize(static_cast<std::size_t>(plan_.roles()));
  return lines_[static_cast<std::size_t>(stream.role)];
}

void RealMachine::deal_with(const Ended& ended) {
  const Command& done = command(ended.op);
  if (ended.begun && done.work.worker >= 0 && stream_of(ended.op).kind == StreamKind::compute) {
    note_begun(done.work, ended.began);
  }
  if (ended.error) return let_worker_die(ended);
  if (done.kind == Command::Kind::compute) {
    losses_[static_cast<std::size_t>(done.work.worker)] = ended.loss;
    report_layers(done, ended);
  }
  if (ended.begun) {
    report(stream_of(ended.op), done, ended.began, ended.ended, ended.outcome == Outcome::done);
  }
  finish(ended.op, ended.outcome);
}

void RealMachine::report_layers(const Command& command, const Ended& ended) {
  const LayerRange& range = command.layers;
  const auto layers = static_cast<std::size_t>(range.last - range.first);
  const std::vector<Instant>& borders = ended.borders;
  for (std::size_t i = 0; i < std::min(layers, borders.size()); ++i) {
    const auto turn = static_cast<std::int32_t>(i);
    const std::int32_t layer =
        range.pass == Pass::forward ? range.first + turn : range.last - 1 - turn;
    observer()->part(command.work, {range.pass, layer, layer + 1}, borders[i],
                     i + 1 < borders.size() ? borders[i + 1] : ended.ended);
  }
}

/// A worker's thread has thrown. Where the strategy has an answer to that, it is a death like any
/// other.
void RealMachine::let_worker_die(const Ended& ended) {
  const WorkId work = command(ended.op).work;
  if (elsewhere_ != nullptr) rethrow_loss(ended.error);
  if (work.worker < 0 || !plan_.survives_deaths()) std::rethrow_exception(ended.error);
  if (is_cancelled(work)) return finish(ended.op, Outcome::cancelled);  // nobody wants it now
  std::string& cause = causes_of_death_[static_cast<std::size_t>(work.worker)];
  try {
    std::rethrow_exception(ended.error);
  } catch (const std::exception& error) {
    cause = error.what();
  }
  finish(ended.op, Outcome::failed);
  let_die(work);
}

std::string RealMachine::cause_of_death(RoleId worker) const {
  const std::string& cause = causes_of_death_[static_cast<std::size_t>(worker)];
  return cause.empty() ? "its lifetime was over" : cause;
}

// ---- other processes

bool RealMachine::forward(RoleId to, const Message& message) {
  if (!runs_elsewhere(to)) return false;
  const bool tells_cause = message.kind == Message::Kind::lost && !runs_elsewhere(message.worker);
  elsewhere_->send(to, message, tells_cause ? cause_of_death(message.worker) : std::string());
  return true;
}

bool RealMachine::forward(WorkId work) {
  if (!runs_elsewhere(work.worker)) return false;
  elsewhere_->cancel(work);
  return true;
}

void RealMachine::note_heard(Heard heard, bool wakes) {
  time_.handed_over();
  const std::lock_guard lock(mutex_);
  heard_.push_back(std::move(heard));
  if (wakes) news_.notify_one();
}

void RealMachine::look() {
  const std::lock_guard lock(mutex_);
  news_.notify_one();
}

void RealMachine::note_message(RoleId to, const Message& message, const std::string& cause) {
  Heard heard;
  heard.to = to;
  heard.message = message;
  heard.text = cause;
  note_heard(std::move(heard));
}

void RealMachine::note_cancel(WorkId work) {
  Heard heard;
  heard.what = Heard::What::cancel;
  heard.work = work;
  note_heard(std::move(heard));
}

void RealMachine::note_arrival(std::int32_t channel) {
  Heard heard;
  heard.what = Heard::What::arrival;
  heard.channel = channel;
  note_heard(std::move(heard), false);
}

void RealMachine::note_answer(Ticket ticket, std::exception_ptr error) {
  Ended ended;
  ended.op = ticket.op;
  ended.began = ticket.began;
  ended.ended = time_.now();
  ended.outcome = error ? Outcome::failed : Outcome::done;
  ended.error = std::move(error);
  note_ended(std::move(ended));
}

void RealMachine::note_lost(int process, const std::string& why) {
  Heard heard;
  heard.what = Heard::What::lost;
  heard.process = process;
  heard.text = why;
  note_heard(std::move(heard));
}

void RealMachine::note_stop(std::exception_ptr error) {
  Heard heard;
  heard.what = Heard::What::stop;
  heard.error = std::move(error);
  note_heard(std::move(heard));
}

void RealMachine::deal_with(const Heard& heard) {
  switch (heard.what) {
    case Heard::What::message:
      if (!heard.text.empty()) {
        causes_of_death_[static_cast<std::size_t>(heard.message.worker)] = heard.text;
      }
      if (heard.message.kind == Message::Kind::lost) note_dead(heard.message.worker);
      return deliver_from_elsewhere(heard.to, heard.message);
    case Heard::What::cancel:
      return cancel(heard.work);
    case Heard::What::arrival:
      return arrived_from_elsewhere(heard.channel);
    case Heard::What::lost:
      return let_process_die(heard.process, heard.text);
    case Heard::What::stop:
      std::rethrow_exception(heard.error);
  }
}

/// Of another process's workers: whether that is news.
bool RealMachine::note_dead(RoleId worker) {
  if (dead_elsewhere_.empty()) dead_elsewhere_.resize(causes_of_death_.size());
  const auto index = static_cast<std::size_t>(worker);
  if (dead_elsewhere_[index]) return false;
  dead_elsewhere_[index] = true;
  return true;
}

/// Its workers die like any other, and shard 0 is told in their stead.
void RealMachine::let_process_die(int process, const std::string& why) {
  if (!plan_.survives_loss_of(process)) throw ProcessLost(why);
  const RoleId shard = plan_.server(0);
  for (RoleId worker = 0; worker < plan_.workers; ++worker) {
    if (plan_.process_of(worker) != process) continue;
    if (!note_dead(worker)) continue;
    causes_of_death_[static_cast<std::size_t>(worker)] = why;
    if (runs_elsewhere(shard)) continue;
    if (plan_.observer != nullptr) plan_.observer->died(worker, now());
    Message lost;
    lost.kind = Message::Kind::lost;
    lost.from = lost.worker = worker;
    lost.step = -1;  // what it was at, nobody knows
    deliver_from_elsewhere(shard, lost);
  }
}

}  // namespace paceline
