// SPDX-License-Identifier: MIT
// One program, another clock: on one card, every strategy must accept and cancel the gradients that
// the simulator says, at the same versions, in the same order, wherever delays decide the order;
// and then the losses are the CPU's, but for the rounding of another order of sums.
#include <optional>

#include "exec/cuda/cuda_execution.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline::cuda {
namespace {

constexpr int kWorkers = 4;
constexpr Seconds kLate{16e-3};  ///< by which one worker may be late in each mini-batch

struct Pair {
  std::string aggregation;
  std::string update;
  Split split = Split::streams;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.aggregation << " " << pair.update
       << (pair.split == Split::green ? ", green contexts" : "");
}

/// Every update that every aggregation serves, from the table itself, and variants of placement.
/// Without NCCL, which has no two ranks on one card.
std::vector<Pair> legal_pairs() {
  std::vector<Pair> pairs;
  for (const auto& row : table_of(static_cast<const Aggregation*>(nullptr)).rows) {
    for (const std::string& update : updates_served(row.name)) pairs.push_back({row.name, update});
    if (updates_served(row.name).empty()) pairs.push_back({row.name, ""});
  }
  for (const char* update : {"sync", "k-sync", "async", "ssp", "downpour"}) {
    pairs.push_back({"{kind: parameter-server, placement: gpu}", update});
  }
  pairs.push_back({"{kind: parameter-server, placement: sharded-gpus, bucket: 200 B}", "k-sync"});
  pairs.push_back({"{kind: parameter-server, shards: 2}", "{kind: k-batch-sync, k: 3}"});
  pairs.push_back({"{kind: replicated, placement: gpu, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: allreduce, algorithm: ring, bucket: 200 B}", "sync"});
  for (const char* update : {"sync", "k-sync", "async"}) {
    pairs.push_back({"{kind: parameter-server, placement: gpu}", update, Split::green});
  }
  pairs.push_back({"parameter-server", "k-async", Split::green});
  pairs.push_back({"{kind: allreduce, algorithm: ring, bucket: 200 B}", "sync", Split::green});
  return pairs;
}

/// `late`: a worker whose arithmetic takes three times as long, or -1.
ExperimentFile experiment(const Pair& pair, int seed, int late) {
  std::string text = "name: order\nseed: " + std::to_string(seed) +
                     "\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
                     "batch: 4\nsteps: 2\nwarmup: 1\ntrain: {evaluate: 1, held_out: 64}\n"
                     "stragglers:\n"
                     "  compute: {kind: shifted-exponential, shift: 10 ms, mean: 300 ms}\n";
  if (late >= 0) text += "  workers: {" + std::to_string(late) + ": {slowdown: 3}}\n";
  text += "workers: " + std::to_string(kWorkers) + "\naggregation: " + pair.aggregation + "\n";
  if (!pair.update.empty()) text += "update: " + pair.update + "\n";
  return load_experiment_text("order.yaml", text, {});
}

/// The order on a computer where a mini-batch takes so long.
ClockRun simulated(const ExperimentFile& file, Seconds arithmetic) {
  Profile profile = free_computer(file.points.front());
  profile.networks.front().forward.front() = arithmetic;
  Setting setting = make_setting(file.points.front(), &profile);
  setting.counting.keep_gradients = true;
  return on_simulator(setting);
}

/// What the simulator says, if neither a slower computer nor one slower worker changes the order.
std::optional<ClockRun> decided_by_delays(const Pair& pair, int seed) {
  const ClockRun base = simulated(experiment(pair, seed, -1), Seconds{0});
  const auto same = [&](int late) {
    const ClockRun other = simulated(experiment(pair, seed, late), kLate * 0.5);
    const Order a(base.events);
    const Order b(other.events);
    return a.accepted == b.accepted && a.cancelled == b.cancelled;
  };
  for (int late = -1; late < kWorkers; ++late) {
    if (!same(late)) return std::nullopt;
  }
  return base;
}

ClockRun executed(const Setting& setting) {
  CudaExecution execution(setting, "");
  return record(setting, [&](Recorder& recorder, std::string& status) {
    Executed executed = execution.run(0, recorder);
    status = executed.status;
    return executed.curve;
  });
}

/// Whether every update came within what the order is known to bear; each takes `mini_batches`.
bool on_time(const ClockRun& predicted, const ClockRun& real, int mini_batches) {
  if (predicted.curve.size() != real.curve.size()) return false;
  for (std::size_t i = 0; i < real.curve.size(); ++i) {
    const double rounds = 1 + static_cast<double>(i) * mini_batches / kWorkers;
    if (real.curve[i].time_s > predicted.curve[i].time_s + rounds * kLate.value()) return false;
  }
  return true;
}

class CudaOrderTest : public DeviceTest, public testing::WithParamInterface<Pair> {};

TEST_P(CudaOrderTest, GpusDecideAsTheSimulatorDoes) {
  int seed = 1;
  std::optional<ClockRun> predicted;
  for (; seed <= 3000 && !predicted; ++seed) predicted = decided_by_delays(GetParam(), seed);
  ASSERT_TRUE(predicted) << "no seed of 3000 leaves the order to the delays";
  EXPECT_EQ(predicted->status, "ok");

  ExperimentFile file = experiment(GetParam(), seed - 1, -1);
  ExperimentPoint& point = file.points.front();
  Devices& devices = point.experiment.devices.emplace();
  devices.virtual_gpus = kWorkers;
  devices.split = GetParam().split;
  Setting setting = make_setting_without_costs(point);
  setting.counting.keep_gradients = true;
  // where something else had the processors, the delays did not decide: that run says nothing
  ClockRun real = executed(setting);
  const int mini_batches = setting.plan.rule.mini_batches();
  for (int again = 0; again < 4 && !on_time(*predicted, real, mini_batches); ++again) {
    real = executed(setting);
  }

  EXPECT_EQ(real.status, "ok");
  const Order expected(predicted->events);
  const Order measured(real.events);
  EXPECT_EQ(expected.accepted, measured.accepted);
  EXPECT_EQ(expected.cancelled, measured.cancelled);
  ASSERT_EQ(predicted->curve.size(), real.curve.size());
  for (std::size_t i = 0; i < real.curve.size(); ++i) {
    EXPECT_EQ(predicted->curve[i].updates, real.curve[i].updates);
    EXPECT_NEAR(predicted->curve[i].loss, real.curve[i].loss, 1e-4 * predicted->curve[i].loss);
  }
  EXPECT_LT(real.curve.back().loss, real.curve.front().loss);
}

INSTANTIATE_TEST_SUITE_P(LegalPairs, CudaOrderTest, testing::ValuesIn(legal_pairs()));

}  // namespace
}  // namespace paceline::cuda
