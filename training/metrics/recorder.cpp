// SPDX-License-Identifier: MIT
#include "training/metrics/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "experiments/value.hpp"

namespace paceline {
namespace {

// Step times beyond so many of a repeat add nothing to their distribution.
constexpr std::size_t kMostSamples = 400'000;

}  // namespace

Recorder::Recorder(const Counting& counting)
    : counting_(counting),
      started_(counting.warmup_gradients == 0),
      laps_(static_cast<std::size_t>(counting.workers)),
      began_(static_cast<std::size_t>(counting.workers), Instant{-1}),
      spent_(static_cast<std::size_t>(counting.workers), 0),
      spent_on_(static_cast<std::size_t>(counting.workers), -1),
      wasted_on_(static_cast<std::size_t>(counting.workers), -1),
      deaths_of_(static_cast<std::size_t>(counting.workers)),
      worker_updated_(static_cast<std::size_t>(counting.workers)),
      replica_waits_(counting.workers, counting.steps_per_gradient) {
  look_ahead();
}

double Recorder::clipped(Instant begin, Instant end) const {
  if (!started_) return 0;
  const Instant from = std::max(begin, start_);
  const Instant to = ended_ ? std::min(end, end_) : end;
  return to > from ? (to - from).value() : 0;
}

double& Recorder::sum_of(Activity activity) {
  switch (activity) {
    case Activity::delay:
      return delay_;
    case Activity::wait:
      return wait_;
    default:
      return compute_;
  }
}

void Recorder::begun(RoleId worker, std::int64_t step, Instant at) {
  if (inside(at) && !(ended_ && at == end_)) ++begun_in_window_;
  begun_then_ = at == last_begin_ ? begun_then_ + 1 : 1;
  last_begin_ = at;
  Instant& last = began_[static_cast<std::size_t>(worker)];
  if (last.ps >= 0 && inside(last) && inside(at) && samples_.steps.size() < kMostSamples) {
    samples_.steps.push_back(static_cast<float>((at - last).value()));
  }
  // the mini-batch that the window's end cuts stays the last: whether another begins hangs on when
  // the worker is told to stop
  if (!counting_.own_pace || !ended_ || at < end_) {
    if (last.ps >= 0 && counting_.own_pace) count({worker, last, at});
    last = at;
  }
  if (counting_.keep_steps) {
    StepRow& row = open_steps_[{worker, step}];
    row.worker = worker;
    row.step = step;
    row.began_s = (at - Instant{}).value();
  }
}

double Recorder::share_in_window(const Lap& lap) const {
  if (lap.end > lap.begin) return clipped(lap.begin, lap.end) / (lap.end - lap.begin).value();
  return inside(lap.end) ? 1 : 0;
}

void Recorder::count(const Lap& lap) {
  Laps& all = laps_[static_cast<std::size_t>(lap.worker)];
  all.last = (lap.end - lap.begin).value();
  laps_near_border_.push_back(lap);
  const double share = share_in_window(lap);
  if (share == 0) return;
  all.share += share;
  all.seconds += all.last;
  ++all.count;
}

/// The share in the window of a worker's last mini-batch, whose end the run did not wait for: it is
/// taken to be as long as the worker's others.
double Recorder::open_lap(std::size_t worker) const {
  const Instant begin = began_[worker];
  if (begin.ps < 0 || begin >= end_) return 0;
  const Laps& laps = laps_[worker];
  double length = laps.count > 0 ? laps.seconds / laps.count : laps.last;
  if (!(length > 0)) length = (end_ - begin).value();
  const auto done = [&](Instant at) {
    return at > begin ? std::min(1.0, (at - begin).value() / length) : 0;
  };
  return done(end_) - done(start_);
}

/// In the window.
double Recorder::mini_batches() const {
  if (counting_.replicas && !counting_.independent) {
    return static_cast<double>(gradients_in_window_);
  }
  if (!counting_.own_pace) return static_cast<double>(begun_in_window_);
  double sum = 0;
  for (std::size_t worker = 0; worker < laps_.size(); ++worker) {
    sum += laps_[worker].share + open_lap(worker);
  }
  return sum;
}

/// The end of a span of work, or when its worker died: a real machine may stop later.
Instant Recorder::last_alive(WorkId work, Instant begin, Instant end) const {
  const Death& death = deaths_of_[static_cast<std::size_t>(work.worker)];
  if (death.begin.ps < 0 || (death.end.ps >= 0 && begin >= death.end)) return end;
  return std::max(begin, std::min(end, death.begin));
}

void Recorder::add(WorkId work, Activity activity, double seconds) {
  sum_of(activity) += seconds;
  if (activity == Activity::wait || work.step < 0) return;
  const auto worker = static_cast<std::size_t>(work.worker);
  if (spent_on_[worker] != work.step) {
    spent_on_[worker] = work.step;
    spent_[worker] = 0;
  }
  spent_[worker] += seconds;
  // a thread may tell of what it was at only after it was told to stop
  if (wasted_on_[worker] == work.step) wasted_ += seconds;
}

void Recorder::span(WorkId work, Activity activity, Instant begin, Instant end) {
  Death& death = deaths_of_[static_cast<std::size_t>(work.worker)];
  if (activity != Activity::wait) {
    end = last_alive(work, begin, end);
  } else if (begin == death.begin) {
    death.end = end;
  }
  add(work, activity, clipped(begin, end));
  if (border_is_next_) near_border_.push_back({work, activity, begin, end});
  if (!counting_.keep_steps || work.step < 0) return;
  StepRow& row = open_steps_[{work.worker, work.step}];
  const double whole = (end - begin).value();
  (activity == Activity::delay  ? row.delay_s
   : activity == Activity::wait ? row.wait_s
                                : row.compute_s) += whole;
  row.end_s = std::max(row.end_s, (end - Instant{}).value());
}

void Recorder::gradient_computed(WorkId work, Instant at, double loss) {
  if (counting_.loss_bound && !(loss <= *counting_.loss_bound)) {
    end_ = at;
    ended_ = true;
    throw Diverged("diverged at update " + std::to_string(last_version_) + " (loss " +
                   print_number(std::isnan(loss) ? std::nan("") : loss) + ")");
  }
  if (!counting_.equals_wait()) return;
  replica_waits_.ready(work, at, [this](WorkId early, Instant begin, Instant end) {
    span(early, Activity::wait, begin, end);
  });
}

void Recorder::accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                        std::int64_t applied) {
  if (counting_.keep_gradients) events_.push_back({worker, step, computed, applied});
  mark_accepted(worker, step);
  if (counting_.changing) {
    const auto place = static_cast<std::size_t>(applied + 1 - first_counted_);
    if (place >= counts_.size()) counts_.resize(place + 1, 0);
    ++counts_[place];
  }
  if (!started_ || ended_) return;
  const auto staleness = static_cast<std::size_t>(applied - computed);
  if (staleness >= staleness_.size()) staleness_.resize(staleness + 1, 0);
  ++staleness_[staleness];
}

void Recorder::cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) {
  if (counting_.keep_gradients) events_.push_back({worker, step, version, -1});
  const auto index = static_cast<std::size_t>(worker);
  if (!inside(at)) return;
  wasted_on_[index] = step;
  if (spent_on_[index] == step) wasted_ += spent_[index];
}

void Recorder::updated(RoleId role, std::int64_t version, Instant at) {
  if (counting_.independent) {
    const auto worker = static_cast<std::size_t>(role);
    if (started_ && !ended_ && worker_updated_[worker].ps > 0) {
      samples_.iterations.push_back((at - worker_updated_[worker]).value());
    }
    worker_updated_[worker] = at;
  } else if (!counting_.replicas && role < counting_.workers) {
    return;
  }
  if (!counting_.replicas && role > counting_.workers) return;  // shard 0 speaks for all
  if (counting_.replicas) {
    mark_accepted(role, version * counting_.steps_per_gradient - 1);
    if (++applied_[version] < counting_.workers) return;
    applied_.erase(version);
  }
  model_updated(version, at);
}

void Recorder::died(RoleId worker, Instant at) {
  ++deaths_;
  deaths_of_[static_cast<std::size_t>(worker)] = {at, Instant{-1}};
}

void Recorder::operation(Stream stream, const Command& command, Instant begin, Instant end) {
  const bool sums = command.kind == Command::Kind::reduce || command.kind == Command::Kind::update;
  if (!counting_.served || stream.role < counting_.workers || !sums) return;
  const auto shard = static_cast<std::size_t>(stream.role - counting_.workers);
  if (shard >= server_busy_.size()) server_busy_.resize(shard + 1, 0);
  server_busy_[shard] += clipped(begin, end);
}

void Recorder::mark_accepted(RoleId worker, std::int64_t last_step) {
  if (!counting_.keep_steps) return;
  for (int i = 0; i < counting_.steps_per_gradient; ++i) {
    open_steps_[{worker, last_step - i}].accepted = true;
  }
}

int Recorder::gradients_of_next() {
  if (!counting_.changing) return counting_.gradients_per_update;
  const int count = counts_.front();
  counts_.pop_front();
  ++first_counted_;
  return count;
}

void Recorder::model_updated(std::int64_t version, Instant at) {
  const int gradients = gradients_of_next();
  gradients_ += gradients;
  last_version_ = version;
  if (counting_.keep_versions) {
    reached_.push_back({at, static_cast<double>(gradients_) * counting_.items_per_gradient});
  }
  if (started_ && !ended_) {
    ++updates_in_window_;
    gradients_in_window_ += gradients;
    if (!counting_.independent) samples_.iterations.push_back((at - last_update_).value());
  }
  last_update_ = at;
  if (!started_ && gradients_ >= counting_.warmup_gradients) begin_window(at);
  if (gradients_ >= counting_.gradients && !ended_) end_window(at);
  look_ahead();
}

void Recorder::begin_window(Instant at) {
  started_ = true;
  start_ = at;
  // a replica that updates first has gone on before the last one makes the version
  if (last_begin_ == at) begun_in_window_ += begun_then_;
  // on real clocks what ended after this update may have been told before it
  for (const Told& one : near_border_) {
    if (one.end > at) add(one.work, one.activity, clipped(one.begin, one.end));
  }
  for (const Lap& lap : laps_near_border_) {
    laps_[static_cast<std::size_t>(lap.worker)].share += share_in_window(lap);
  }
}

void Recorder::end_window(Instant at) {
  for (const Lap& lap : laps_near_border_) {  // cut by the end, as those that have not ended are
    const double share = share_in_window(lap);
    if (lap.end < at || share == 0) continue;
    const auto worker = static_cast<std::size_t>(lap.worker);
    laps_[worker].share -= share;
    laps_[worker].seconds -= (lap.end - lap.begin).value();
    --laps_[worker].count;
    began_[worker] = std::min(began_[worker], lap.begin);
  }
  ended_ = true;
  end_ = at;
  if (last_begin_ == at && at > start_) begun_in_window_ -= begun_then_;
  for (const Told& one : near_border_) {
    const Instant from = std::max(one.begin, at);
    if (one.end > from) add(one.work, one.activity, -(one.end - from).value());
  }
}

void Recorder::look_ahead() {
  near_border_.clear();
  std::erase_if(laps_near_border_, [this](const Lap& lap) { return lap.end < last_update_; });
  const int most =
      std::max(counting_.gradients_per_update, counting_.changing ? counting_.workers : 1);
  const std::int64_t then = gradients_ + most;
  const std::int64_t border = started_ ? counting_.gradients : counting_.warmup_gradients;
  border_is_next_ = !ended_ && then >= border;
}

std::optional<Recorder::Reached> Recorder::reached(std::int64_t version) const {
  if (version == 0) return Reached{};
  if (version > static_cast<std::int64_t>(reached_.size())) return std::nullopt;
  return reached_[static_cast<std::size_t>(version - 1)];
}

namespace {

double histogram_quantile(const std::vector<std::int64_t>& counts, std::int64_t total, double q) {
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (static_cast<double>(seen) >= q * static_cast<double>(total)) return static_cast<double>(i);
  }
  return 0;
}

}  // namespace

Measurement Recorder::result() const {
  Measurement result;
  const double window = started_ ? (end_ - start_).value() : 0;
  const auto workers = static_cast<double>(counting_.workers);
  const auto updates = static_cast<double>(updates_in_window_);
  result.updates = updates;
  result.total = (end_ - Instant{}).value();
  result.failures = static_cast<double>(deaths_);
  if (updates_in_window_ == 0) return result;  // it did not come so far
  const double counted = mini_batches();
  const double begun = counted > 0 ? counted : 1;
  auto applied = static_cast<double>(gradients_in_window_);
  result.iteration_mean = window / updates;
  if (counting_.own_pace && counting_.applies_all && counted > 0) {
    *result.iteration_mean *= applied / counted;
    applied = counted;
  }
  result.step_mean = workers * window / begun;
  result.compute = compute_ / begun;
  result.delay = delay_ / begun;
  double wait = wait_;
  for (const Death& death : deaths_of_) {  // the dead until the end
    if (death.begin.ps >= 0 && death.end.ps < 0) wait += clipped(death.begin, end_);
  }
  result.wait = wait / begun;
  result.input = 0;  // no input pipeline is modelled or executed
  result.wasted = wasted_ / begun;
  result.exposed_comm = std::max(
      0.0, *result.step_mean - *result.compute - *result.delay - *result.wait - *result.input);
  if (window > 0) {
    result.throughput = applied * counting_.items_per_gradient / window;
    result.utilization = compute_ / (workers * window);
    if (!server_busy_.empty()) {
      result.server_busy =
          std::min(1.0, *std::max_element(server_busy_.begin(), server_busy_.end()) / window);
    }
  }
  std::int64_t total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < staleness_.size(); ++i) {
    total += staleness_[i];
    sum += static_cast<double>(i) * static_cast<double>(staleness_[i]);
  }
  if (total > 0) {
    result.staleness_mean = sum / static_cast<double>(total);
    result.staleness_p95 = histogram_quantile(staleness_, total, 0.95);
    result.staleness_max = static_cast<double>(staleness_.size()) - 1;
    result.staleness.assign(staleness_.begin(), staleness_.end());
  } else if (counting_.replicas) {
    result.staleness_mean = result.staleness_p95 = result.staleness_max = 0;
  }
  for (const auto& [key, row] : open_steps_) {
    if (row.end_s > 0) result.steps.push_back(row);
  }
  return result;
}

}  // namespace paceline
