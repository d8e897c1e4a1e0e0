// SPDX-License-Identifier: MIT
#include "training/results/metrics/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "experiments/language/value.hpp"

namespace paceline {
namespace {

// Step times beyond this number per repeat add nothing to their distribution.
constexpr std::size_t kMostSamples = 400'000;
}  // namespace

Recorder::Recorder(const Counting& counting)
    : counting_(counting),
      window_(counting.warmup_gradients == 0),
      begun_(counting.workers, counting.pace()),
      wasted_(counting.wastes ? counting.workers : 0),
      positions_(counting.lengths, counting.data_seed),
      replica_waits_(counting.workers, counting.steps_per_gradient) {
  expect_next_update();
}

void Recorder::begun(RoleId worker, std::int64_t step, Instant at) {
  const Instant last = begun_.last_begin(worker);
  if (last.ps >= 0 && window_.contains(last) && window_.contains(at) &&
      samples_.steps.size() < kMostSamples) {
    const auto more = static_cast<std::size_t>(weight_);
    const std::size_t most = std::min(samples_.steps.size() + more, kMostSamples);
    samples_.steps.resize(most, static_cast<float>((at - last).value()));
  }
  begun_.begun(worker, at, window_, weight_);
  if (counting_.bus_factor) collectives_.begun(step, at);
  if (counting_.keep_steps) steps_.of(worker, step).began_s = (at - Instant{}).value();
}

/// The end of a span of work, but not after the worker's death: a real machine may stop later.
Instant Recorder::last_alive(WorkId work, Instant begin, Instant end) const {
  if (deaths_ == 0) return end;
  const Death& death = deaths_of_[static_cast<std::size_t>(work.worker)];
  if (death.begin.ps < 0 || (death.end.ps >= 0 && begin >= death.end)) return end;
  return std::max(begin, std::min(end, death.begin));
}

void Recorder::add(WorkId work, Activity activity, std::int64_t length_ps, int workers) {
  times_[static_cast<std::size_t>(activity)].add(length_ps, workers);
  const bool works = activity == Activity::compute || activity == Activity::delay ||
                     activity == Activity::validation;
  if (counting_.wastes && works && work.step >= 0) wasted_.spent(work, length_ps);
}

void Recorder::span(WorkId work, Activity activity, Instant begin, Instant end) {
  add_span(work, activity, begin, end, weight_);
}

void Recorder::add_span(WorkId work, Activity activity, Instant begin, Instant end, int workers) {
  if (activity != Activity::wait) {
    end = last_alive(work, begin, end);
  } else if (deaths_ > 0) {
    Death& death = of_worker(deaths_of_, work.worker);
    if (begin == death.begin) death.end = end;
  }
  add(work, activity, window_.clipped_ps(begin, end), workers);
  if (border_is_next_ && !counting_.in_order)
    spans_since_update_.push_back({work, activity, begin, end, workers});
  if (!counting_.keep_steps || work.step < 0) return;
  StepRow& row = steps_.of(work.worker, work.step);
  const double whole = (end - begin).value();
  (activity == Activity::delay        ? row.delay_s
   : activity == Activity::wait       ? row.wait_s
   : activity == Activity::input      ? row.input_s
   : activity == Activity::validation ? row.validation_s
                                      : row.compute_s) += whole;
  row.end_s = std::max(row.end_s, (end - Instant{}).value());
}

void Recorder::gradient_computed(WorkId work, Instant at, double loss) {
  if (counting_.loss_bound && !(loss <= *counting_.loss_bound)) {
    if (!window_.closed()) window_.close(at);
    throw Diverged("diverged at update " + std::to_string(last_version_) + " (loss " +
                   print_number(loss) + ")");
  }
  if (!counting_.equals_wait()) return;
  replica_waits_.ready(work, at, weight_,
                       [this](WorkId early, int workers, Instant begin, Instant end) {
                         add_span(early, Activity::wait, begin, end, workers);
                       });
}

void Recorder::accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                        std::int64_t applied) {
  if (counting_.keep_gradients) events_.push_back({worker, step, computed, applied});
  mark_accepted(worker, step);
  if (counting_.wastes) wasted_.accepted(worker, step);
  if (counting_.changing) {
    const auto place = static_cast<std::size_t>(applied + 1 - first_open_version_);
    if (place >= accepted_.size()) accepted_.resize(place + 1, 0);
    ++accepted_[place];
  }
  if (!window_.in_progress()) return;
  if (!counting_.by_version()) count_positions(worker, step);
  const auto staleness = static_cast<std::size_t>(applied - computed);
  if (staleness >= staleness_.size()) staleness_.resize(staleness + 1, 0);
  ++staleness_[staleness];
}

void Recorder::cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) {
  if (counting_.keep_gradients) events_.push_back({worker, step, version, -1});
  const bool is_over = window_.closed() && at > window_.end();
  if (counting_.wastes && !is_over) wasted_.cancelled(worker, step);
}

void Recorder::updated(RoleId role, std::int64_t version, Instant at) {
  if (counting_.independent) end_own_update(role, version, at);
  if (counting_.bus_factor) collectives_.ended(version - 1, at);
  if (completes_version(role, version)) model_updated(version, at);
}

/// The iteration of an independent worker lasts from its update to its next one.
void Recorder::end_own_update(RoleId worker, std::int64_t version, Instant at) {
  Instant& last = of_worker(own_update_, worker);
  if (window_.contains(at) && at > window_.begin()) {
    if (last.ps > 0) samples_.iterations.push_back((at - last).value());
    count_positions(worker, version - 1);
  }
  last = at;
  begun_.ended(worker, at, window_);
  // the model that is evaluated is that of worker 0
  if (worker == 0) note_reached(version * counting_.gradients_per_update, at);
}

/// True if the update that `role` has applied makes `version` the model's. With servers, this is
/// the update of shard 0, the first role after the workers: workers update copies of the model, and
/// the other shards report the same versions again.
bool Recorder::completes_version(RoleId role, std::int64_t version) {
  if (!counting_.replicas) return role == counting_.workers;
  mark_accepted(role, version * counting_.steps_per_gradient - 1);
  return counting_.independent ? version > last_version_ : applied_by_all(version);
}

/// Notes that one more worker has applied `version`; true for the last worker.
bool Recorder::applied_by_all(std::int64_t version) {
  int& appliers = appliers_[version];
  appliers += weight_;
  if (appliers < counting_.workers) return false;
  appliers_.erase(version);
  return true;
}

void Recorder::died(RoleId worker, Instant at) {
  ++deaths_;
  of_worker(deaths_of_, worker) = {at, Instant{-1}};
}

void Recorder::operation(Stream stream, const Command& command, Instant begin, Instant end) {
  const bool sums = command.is<Command::Reduce>() || command.is<Command::Decode>() ||
                    command.is<Command::Update>();
  if (!counting_.served || stream.role < counting_.workers || !sums) return;
  const auto shard = static_cast<std::size_t>(stream.role - counting_.workers);
  if (shard >= server_busy_.size()) server_busy_.resize(shard + 1, 0);
  server_busy_[shard] += window_.clipped(begin, end);
}

void Recorder::mark_accepted(RoleId worker, std::int64_t last_step) {
  if (!counting_.keep_steps) return;
  for (int i = 0; i < counting_.steps_per_gradient; ++i) {
    steps_.of(worker, last_step - i).accepted = true;
  }
}

/// Counts the positions of a gradient's mini-batches, the last of which is `last_step`.
void Recorder::count_positions(RoleId worker, std::int64_t last_step) {
  if (counting_.lengths == nullptr) return;
  for (int i = 0; i < counting_.steps_per_gradient; ++i) positions_.add({worker, last_step - i});
}

int Recorder::gradients_of_next_version() {
  if (!counting_.changing) return counting_.gradients_per_update;
  const int count = accepted_.front();
  accepted_.pop_front();
  ++first_open_version_;
  return count;
}

void Recorder::model_updated(std::int64_t version, Instant at) {
  const int gradients = gradients_of_next_version();
  gradients_ += gradients;
  last_version_ = version;
  if (!counting_.independent) note_reached(gradients_, at);
  const double length =
      counting_.bus_factor ? collectives_.take(version - 1) : (at - last_update_).value();
  if (window_.in_progress()) {
    ++updates_in_window_;
    gradients_in_window_ += gradients;
    if (counting_.bus_factor) collective_seconds_ += length;
    if (!counting_.independent) samples_.iterations.push_back(length);
    for (RoleId worker = 0; counting_.by_version() && worker < counting_.workers; ++worker)
      count_positions(worker, version * counting_.steps_per_gradient - 1);
  }
  last_update_ = at;
  if (!window_.opened() && gradients_ >= counting_.warmup_gradients) open_window(at);
  if (gradients_ >= counting_.gradients && !window_.closed()) close_window(at);
  expect_next_update();
}

void Recorder::note_reached(std::int64_t gradients, Instant at) {
  if (!counting_.keep_versions) return;
  reached_.push_back({at, static_cast<double>(gradients) * counting_.items_per_gradient});
}

void Recorder::open_window(Instant at) {
  window_.open(at);
  begun_.window_opened(window_);
  for (const ReportedSpan& one : spans_since_update_) {
    if (one.end > at)
      add(one.work, one.activity, window_.clipped_ps(one.begin, one.end), one.workers);
  }
}

void Recorder::close_window(Instant at) {
  begun_.window_closes(at, window_);
  window_.close(at);
  for (const ReportedSpan& one : spans_since_update_) {
    const Instant from = std::max(one.begin, at);
    if (one.end > from) add(one.work, one.activity, from.ps - one.end.ps, one.workers);
  }
}

/// Works out whether the next update may open or close the window, and drops the records that
/// only a border at the last update could need.
void Recorder::expect_next_update() {
  spans_since_update_.clear();
  begun_.forget_before(last_update_);
  const int most =
      std::max(counting_.gradients_per_update, counting_.changing ? counting_.workers : 1);
  const std::int64_t border = window_.opened() ? counting_.gradients : counting_.warmup_gradients;
  border_is_next_ = !window_.closed() && gradients_ + most >= border;
}

std::optional<Recorder::Reached> Recorder::reached(std::int64_t version) const {
  if (version == 0) return Reached{};
  if (version > static_cast<std::int64_t>(reached_.size())) return std::nullopt;
  return reached_[static_cast<std::size_t>(version - 1)];
}

}  // namespace paceline
