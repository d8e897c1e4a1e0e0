// SPDX-License-Identifier: MIT
// `draws: extremes`: where it is accepted, the last of equal workers alone gives the times of all.
#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/costs/prediction.hpp"
#include "sim/lanes/run_in_lanes.hpp"
#include "sim/simulate.hpp"
#include "training/results/columns.hpp"

namespace paceline {
namespace {

Prediction prediction_of(const std::string& text, ExperimentPoint& point) {
  point = load_experiment_text("p.yaml", text, {}).points.front();
  return make_prediction(point, nullptr);
}

/// When the last worker has made each update.
class UpdateEnds final : public Observer {
 public:
  void updated(RoleId, std::int64_t version, Instant at) override {
    ends.resize(std::max(ends.size(), static_cast<std::size_t>(version)));
    std::int64_t& end = ends[static_cast<std::size_t>(version - 1)];
    end = std::max(end, at.ps);
  }
  bool takes_equal_workers() const override { return true; }
  std::vector<std::int64_t> ends;
};

/// Delays that differ by worker and step as `spread` says.
Seconds made_up_delay(RoleId worker, std::int64_t step, double spread) {
  const double u = uniform(7, 0, Purpose::straggler, static_cast<std::uint32_t>(worker),
                           static_cast<std::uint64_t>(step));
  return Seconds{spread * std::pow(u, 8)};
}

std::string random_file(std::mt19937& random) {
  const auto of = [&random](std::initializer_list<const char*> list) {
    return std::string(list.begin()[random() % list.size()]);
  };
  const bool cluster = random() % 3 != 0;
  const int nodes =
      cluster ? 2 + static_cast<int>(random() % 5) : 2 + static_cast<int>(random() % 40);
  return "name: p\nbatch: 4\nsteps: 6\nwarmup: 1\nlayer_times: roofline\nworkers: " +
         std::to_string(cluster ? 8 * nodes : nodes) +
         "\nmachine: {of: " + (cluster ? of({"dgx-h100", "dgx1-v100"}) : "h200") +
         ", count: " + std::to_string(nodes) +
         ", network: {kind: " + of({"switch", "switch", "switch", "leaf-spine", "rails"}) +
         ", link: " + of({"infiniband-hdr", "ethernet-10g"}) + "}}\nmodel: " +
         of({"mlp", "cifar10_resnet20",
             "{kind: synthetic, compute: 3 ms, gradient: 1.3 MB, tensors: 9}"}) +
         "\nsoftware: " +
         of({"ideal", "{dispatchers: gpu}", "{dispatchers: gpu, decision_latency: 3 us}",
             "{dispatchers: gpu, decision_latency: 40 us}",
             "{dispatchers: gpu, decision_latency: 1 ms}"}) +
         "\naggregation: {kind: allreduce, algorithm: " +
         (cluster ? of({"hierarchical", "hierarchical", "rails", "{kind: hierarchical, group: 4}",
                        "ring"})
                  : of({"ring", "ring", "halving-doubling"})) +
         ", bucket: " + of({"25 MiB", "4 MiB", "100 kB", "20 kB"}) +
         ", overlap: " + of({"true", "true", "false"}) + "}\ndraws: extremes\nstragglers: " +
         of({"{compute: {kind: exponential, mean: 1 ms}}",
             "{compute: {kind: exponential, mean: 1 ms}}",
             "{communication: {kind: exponential, mean: 1 ms}}"}) +
         "\n";
}

/// The same delays, drawn for each worker and as the longest of those that a lane stands for.
void expect_last_counts(const std::string& text, double spread, int& accepted) {
  ExperimentPoint point;
  const Prediction prediction = prediction_of(text, point);
  if (!against_extremes(prediction).empty()) return;
  ++accepted;
  UpdateEnds of_all, of_last;
  Plan all = prediction.plan_of(0, &of_all);
  const auto delay = [spread](RoleId worker, std::int64_t step) {
    return made_up_delay(worker, step, spread);
  };
  const auto longest = [spread, all = all.workers](RoleId worker, std::int64_t step, int equal) {
    Seconds most;
    for (RoleId other = worker; other < all; other += all / equal)
      most = std::max(most, made_up_delay(other, step, spread));
    return most;
  };
  if (all.delay) all.delay = delay;
  if (all.link_delay) all.link_delay = delay;
  Plan last = all;
  last.observer = &of_last;
  if (last.longest_delay) last.longest_delay = longest;
  if (last.longest_link_delay) last.longest_link_delay = longest;
  all.longest_delay = all.longest_link_delay = nullptr;
  const std::size_t lanes = run_in_lanes(prediction, last, 0);
  ASSERT_GT(lanes, 0U) << text;
  ASSERT_LT(lanes, static_cast<std::size_t>(all.workers)) << text;
  run_by_events(prediction, all, 0);
  EXPECT_EQ(of_last.ends, of_all.ends) << text << "spread " << spread;
}

class Extremes : public testing::TestWithParam<unsigned> {};

TEST_P(Extremes, WhereAcceptedTheLastOfEqualWorkersGivesTheUpdatesOfAll) {
  std::mt19937 random(GetParam());
  int accepted = 0;
  for (int round = 0; round < 30; ++round) {
    const std::string text = random_file(random);
    for (const double spread : {1e-5, 1e-3, 0.3}) expect_last_counts(text, spread, accepted);
  }
  EXPECT_GE(accepted, 6);
}

INSTANTIATE_TEST_SUITE_P(Random, Extremes, testing::Range(0U, 8U));

/// 64 workers on a ring of equal links.
std::string ring_of_64(const std::string& draws, const std::string& law, int steps) {
  return "name: p\nsteps: " + std::to_string(steps) +
         "\nwarmup: 1\nworkers: 64\nmachine: {of: h200, count: 64, network: infiniband-hdr}\n"
         "software: ideal\nmodel: {kind: synthetic, compute: 1 ms, gradient: 1 MB}\n"
         "aggregation: {kind: allreduce, overlap: false}\nupdate: sync\ndraws: " +
         draws + "\nstragglers: {compute: " + law + "}\n";
}

/// The times of the updates, in seconds, ascending.
std::vector<double> update_times(const std::string& text, std::string& simulated_by) {
  ExperimentPoint point;
  const Prediction prediction = prediction_of(text, point);
  Recorder recorder(prediction.counting);
  simulated_by = simulate_once(prediction, 0, recorder);
  std::vector<double> times(recorder.samples().iterations.begin(),
                            recorder.samples().iterations.end());
  std::ranges::sort(times);
  return times;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

// 8,000 independent steps of either kind: means within four standard errors of their difference,
// and the two empirical distributions within Kolmogorov's distance at 1 in 10,000.
TEST(Extremes64, HaveTheDistributionOfExactDraws) {
  constexpr int kSteps = 8000;
  for (const char* law :
       {"{kind: lognormal, median: 10 ms, sigma: 1}", "{kind: exponential, mean: 5 ms}",
        "{kind: pareto, minimum: 1 ms, shape: 2.5}", "{kind: uniform, low: 0 s, high: 9 ms}",
        "{kind: gamma, mean: 4 ms, cv: 0.5}", "{kind: weibull, scale: 4 ms, shape: 0.7}",
        "{kind: normal, mean: 4 ms, deviation: 2 ms}",
        "{kind: lognormal, median: 1 ms, sigma: 1, applies: total}",
        "{kind: mixture, parts: [{share: 99 %, time: {kind: gamma, mean: 1 ms, cv: 0.1}}, {share: "
        "1 %, time: {kind: exponential, mean: 30 ms}}]}"}) {
    std::string lanes;
    const std::vector<double> exact = update_times(ring_of_64("exact", law, kSteps), lanes);
    EXPECT_EQ(lanes, "lanes: 64 for 64 workers");
    const std::vector<double> last = update_times(ring_of_64("extremes", law, kSteps), lanes);
    EXPECT_EQ(lanes, "lanes: 1 for 64 workers, the longest delays only");
    ASSERT_EQ(exact.size(), last.size());
    const double error = std::hypot(deviation_of(exact), deviation_of(last)) / std::sqrt(kSteps);
    EXPECT_NEAR(mean_of(last), mean_of(exact), 4 * error) << law;
    double farthest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const auto below = std::ranges::upper_bound(last, exact[i]) - last.begin();
      farthest = std::max(farthest, std::abs(static_cast<double>(below) / kSteps -
                                             static_cast<double>(i + 1) / kSteps));
    }
    EXPECT_LT(farthest, 2.225 * std::sqrt(2.0 / kSteps)) << law;
  }
}

// The longest of n exponential delays of mean m has the mean m H_n, with the deviation
// m sqrt(sum of 1 / i^2).
TEST(Extremes64, OfExponentialDelaysMeetTheHarmonicNumber) {
  constexpr int kSteps = 40000;
  std::string lanes;
  const double without =
      update_times(ring_of_64("exact", "{kind: constant, value: 0 s}", 2), lanes)[0];
  const std::vector<double> times =
      update_times(ring_of_64("extremes", "{kind: exponential, mean: 5 ms}", kSteps), lanes);
  double harmonic = 0, squares = 0;
  for (int i = 1; i <= 64; ++i) {
    harmonic += 1.0 / i;
    squares += 1.0 / (i * i);
  }
  EXPECT_NEAR(mean_of(times) - without, 5e-3 * harmonic, 4 * 5e-3 * std::sqrt(squares / kSteps));
  EXPECT_NEAR(deviation_of(times), 5e-3 * std::sqrt(squares), 0.03 * 5e-3);
}

std::string why_not(const std::string& keys, int workers = 16) {
  ExperimentPoint point;
  return against_extremes(prediction_of(
      "name: p\nmodel: mlp\nlayer_times: roofline\ndraws: extremes\nstragglers: {compute: {kind: "
      "exponential, mean: 1 ms}}\nworkers: " +
          std::to_string(workers) + "\n" + keys,
      point));
}

TEST(ExtremesOnMachines, NeedEqualWorkersThatMeetOverEqualLinks) {
  const std::string nodes = "machine: {of: dgx1-v100, count: 2, network: ";
  const std::string of_gpus = "software: {dispatchers: gpu, decision_latency: 1 us}\n";
  const std::string nested = "aggregation: {kind: allreduce, algorithm: hierarchical}\n";
  const std::string ring = "aggregation: {kind: allreduce, algorithm: ring}\n";
  EXPECT_EQ(why_not(nodes + "infiniband-hdr}\n" + nested + of_gpus), "");
  EXPECT_THAT(why_not(nodes + "infiniband-hdr}\n" + nested),
              testing::HasSubstr("one thread launches the kernels of several workers"));
  EXPECT_THAT(why_not(nodes + "infiniband-hdr}\n" + nested +
                      "software: {dispatchers: gpu, decision_latency: 1 ms}\n"),
              testing::HasSubstr("a host decides later than its copies end"));
  EXPECT_THAT(why_not(nodes + "infiniband-hdr}\n" + nested +
                      "software: {dispatchers: gpu, step_variation: 1 %}\n"),
              testing::HasSubstr("'step_variation' is a second draw"));
  EXPECT_THAT(why_not(nodes + "infiniband-hdr}\n" + ring + of_gpus),
              testing::HasSubstr("are not equal"));
  EXPECT_THAT(why_not(nodes + "infiniband-hdr}\n" + nested +
                      "software: {dispatchers: gpu, gpu_variation: 2 %}\n"),
              testing::HasSubstr("are not equal"));
  EXPECT_THAT(why_not("machine: {of: dgx1-v100, count: 4, network: {kind: leaf-spine, link: "
                      "infiniband-hdr, nodes_per_leaf: 2}}\n"
                      "aggregation: {kind: allreduce, algorithm: hierarchical}\n" +
                          of_gpus,
                      32),
              testing::HasSubstr("are not equal"));
}

}  // namespace
}  // namespace paceline
