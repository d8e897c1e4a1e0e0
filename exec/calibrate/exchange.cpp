// SPDX-License-Identifier: MIT
#include "exec/calibrate/exchange.hpp"

#include <algorithm>

#include <unistd.h>

#include "exec/calibrate/timing.hpp"
#include "exec/host/execute.hpp"
#include "exec/host/host_machine.hpp"
#include "exec/machine/execution_plan.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/experiment/setting.hpp"
#include "training/experiment/trainer.hpp"
#include "training/results/metrics/measurement.hpp"
#include "training/strategies/start_roles.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

// A rank's buffer, in powers of 4: from what a first-level cache holds to what no cache does.
constexpr std::int64_t kSmallest = std::int64_t{32} << 10;
constexpr std::int64_t kLargest = std::int64_t{128} << 20;
constexpr double kMostOfAll = 512 * 1024 * 1024;  // of all ranks, without landings
// Runs of one kind, between those of others: a slow period of the computer affects all kinds.
constexpr int kRounds = 5;
constexpr int kQuickRounds = 3;
// Ranks that keep the roles' thread busy, and their buffer: it is handled rather than moved.
constexpr int kCrowd = 8;
constexpr std::int64_t kLeast = std::int64_t{4} * kCrowd;
constexpr Seconds kRun{0.03};
constexpr BytesPerSecond kAboutAsFast{5e9};
constexpr Seconds kAboutAnOperation{2e-6};

/// Durations per byte of the copies and sums of a run, and the gaps before them.
class ExchangeObserver final : public Observer {
 public:
  explicit ExchangeObserver(int ranks) : last_end_(static_cast<std::size_t>(ranks)) {}
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    ++operations_;
    const double length = (end - begin).value();
    const double gap = (begin - last_end(stream.role)).value();
    last_end(stream.role) = end;
    if (const auto* copy = command.as<Command::Copy>()) {
      before_copies_.push_back(gap);
      if (copy->slice.bytes > 0) copies_.push_back(length / copy->slice.bytes);
      last_end(copy->to.role) = end;
    } else if (const auto* sum = command.as<Command::Reduce>()) {
      before_sums_.push_back(gap);
      if (sum->slice.bytes > 0) sums_.push_back(length / sum->slice.bytes);
    }
  }
  double copy() const { return middle_mean(copies_).value(); }
  double sum() const { return middle_mean(sums_).value(); }
  double before_copy() const { return middle_mean(before_copies_).value(); }
  double before_sum() const { return middle_mean(before_sums_).value(); }
  std::int64_t operations() const { return operations_; }

 private:
  Instant& last_end(RoleId role) { return last_end_[static_cast<std::size_t>(role)]; }

  std::vector<double> copies_, sums_, before_copies_, before_sums_;
  std::int64_t operations_ = 0;
  std::vector<Instant> last_end_;  ///< of the operations of a role or to it
};

/// Seconds; per byte where it is a copy or a sum.
struct ExchangeParts {
  double touched = 0;  ///< bytes
  double copy = 0, sum = 0;
  double before_copy = 0, before_sum = 0;
  double operation = 0;  ///< of the whole time, per operation
};

/// A collective alone, repeated.
ExperimentFile collective_file(const char* operation, int ranks, std::int64_t bytes) {
  const double operations = 3.0 * ranks * ranks;  // of a ring
  const Seconds round = kAboutAnOperation * operations +
                        Bytes{4.0 * ranks * static_cast<double>(bytes)} / kAboutAsFast;
  const auto rounds = std::clamp(static_cast<int>(kRun / round), 5, 500);
  return load_experiment_text("exchange",
                              "name: exchange\nmachine: this\nworkers: " + std::to_string(ranks) +
                                  "\nworkload: {kind: collective, op: " + operation +
                                  ", size: " + std::to_string(bytes) +
                                  " B}\nsteps: " + std::to_string(rounds) + "\nwarmup: 2\n",
                              {});
}

ExchangeParts run_collective(const char* operation, int ranks, std::int64_t bytes) {
  const ExperimentFile file = collective_file(operation, ranks, bytes);
  const ExperimentPoint& point = file.points.front();
  const Aggregation& aggregation = *point.experiment.aggregation;
  const Setting setting = make_setting(point);
  Trainer trainer(setting, ranks);
  ExchangeObserver observer(ranks);
  const Plan plan = plan_of_execution(setting, 0, &observer);
  Learning learning = trainer.start(plan, 0);
  WallTime time(patience_of(point));
  HostMachine machine(plan, learning, time);
  start_roles(aggregation, plan, machine);
  const Instant began = time.now();
  machine.run();
  const Seconds whole = time.now() - began;
  const auto floats = static_cast<double>(buffers_of(aggregation, plan).parameters());
  return {kBytesPerParameter * floats,
          observer.copy(),
          observer.sum(),
          observer.before_copy(),
          observer.before_sum(),
          whole.value() / static_cast<double>(observer.operations())};
}

/// The median of each part over runs of one kind.
double middle(const std::vector<ExchangeParts>& runs, double ExchangeParts::*part) {
  std::vector<double> values;
  for (const ExchangeParts& run : runs) values.push_back(run.*part);
  return quantile_of(values, 0.5);
}

double free_memory() {
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

ExchangeProfile measure_exchange(int cores, Effort effort) {
  const int ranks = std::max(2, cores);
  const double room = std::min(kMostOfAll, free_memory() / 8) / ranks;
  const std::int64_t most = std::clamp(static_cast<std::int64_t>(room), kSmallest, kLargest);
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kSmallest; size <= most; size *= 4) sizes.push_back(size);
  std::vector<std::vector<ExchangeParts>> alone(sizes.size()), together(sizes.size());
  std::vector<ExchangeParts> crowd;
  for (int round = 0; round < (effort == Effort::quick ? kQuickRounds : kRounds); ++round) {
    crowd.push_back(run_collective("all-gather", kCrowd, kLeast));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      // one rank sends, then the other adds
      alone[i].push_back(run_collective("reduce", 2, sizes[i]));
      together[i].push_back(run_collective("all-reduce", ranks, sizes[i]));
    }
  }
  const auto rate = [](const std::vector<ExchangeParts>& runs, double ExchangeParts::*part) {
    return BytesPerSecond{1 / middle(runs, part)};
  };
  ExchangeProfile profile;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    profile.memory.push_back(
        {Bytes{middle(together[i], &ExchangeParts::touched)}, rate(alone[i], &ExchangeParts::copy),
         rate(alone[i], &ExchangeParts::sum), rate(together[i], &ExchangeParts::copy),
         rate(together[i], &ExchangeParts::sum)});
  }
  const Seconds gap{middle(alone.front(), &ExchangeParts::before_sum)};
  const Seconds decided{middle(alone.front(), &ExchangeParts::before_copy)};
  profile.handling = Seconds{middle(crowd, &ExchangeParts::operation)};
  profile.start = std::max(Seconds{}, gap - profile.handling);
  profile.decision = std::max(Seconds{}, decided - gap);
  return profile;
}

}  // namespace paceline
