// SPDX-License-Identifier: MIT
// Training on the simulated clock compared with theory: on a quadratic loss the error floor of SGD
// is proportional to eta / (K m) (Bottou, Curtis & Nocedal, SIAM Review 2018, theorem 4.6; Dutta et
// al. 2018).
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sim/simulate.hpp"
#include "training/experiment/repeats.hpp"

namespace paceline {
namespace {

std::string least_squares(const std::string& update, int batch, double rate, int steps) {
  return "name: floor\nmodel: {kind: linear, inputs: 20, bias: false}\nmachine: ideal\n"
         "software: ideal\nworkers: 8\nwarmup: 0\nbatch: " +
         std::to_string(batch) + "\nsteps: " + std::to_string(steps) + "\nupdate: " + update +
         "\nstragglers: {compute: {kind: exponential, mean: 1 s, applies: total}}\n"
         "optimizer: {kind: sgd, learning_rate: " +
         std::to_string(rate) +
         "}\ntrain: {dataset: {kind: least-squares, noise: 1, condition: 4}, evaluate: 100}\n";
}

double floor_of(const std::string& update, int k, int batch, double rate) {
  // About 600 times the settling time of the slowest direction: the mean is within 3 %.
  const int updates = static_cast<int>(1500 / rate);
  const std::string text = least_squares(update, batch, rate, updates * k / 8);
  const ExperimentFile file = load_experiment_text("floor.yaml", text, {});
  return *simulate(make_prediction(file.points.front(), nullptr)).loss_floor;
}

TEST(ErrorFloor, IsProportionalToEtaOverKTimesM) {
  struct Case {
    int k;
    int batch;
    double rate;
  };
  // The reference: K m / eta = 2 * 8 / 0.01.
  const double reference = floor_of("{kind: k-sync, k: 2}", 2, 8, 0.01) * 2 * 8 / 0.01;
  for (const Case& c : {Case{1, 8, 0.01}, Case{4, 8, 0.01}, Case{8, 8, 0.01}, Case{2, 16, 0.01},
                        Case{2, 8, 0.005}, Case{4, 8, 0.02}}) {
    const std::string update = "{kind: k-sync, k: " + std::to_string(c.k) + "}";
    const double scaled = floor_of(update, c.k, c.batch, c.rate) * c.k * c.batch / c.rate;
    EXPECT_NEAR(scaled / reference, 1, 0.10)
        << "K " << c.k << ", m " << c.batch << ", eta " << c.rate;
  }
}

// Dutta et al., arXiv:2003.10579: K that grows as the loss falls reaches the target as early as the
// best fixed K, which need not be known. The median of nine seeds.
TEST(AdaSync, IsAtTheTargetNoLaterThanTheBestFixedK) {
  const ExperimentFile file =
      load_experiment_file(PACELINE_SOURCE_DIR "/experiments/adasync.yaml", {"machine=ideal"});
  double best = std::numeric_limits<double>::infinity();
  double adaptive = best;
  for (const ExperimentPoint& point : file.points) {
    const Measurement got = simulate(make_prediction(point, nullptr));
    std::vector<double> times;
    for (int repeat = 0; repeat < point.experiment.repeats; ++repeat) {
      Measurement one;
      for (const CurvePoint& at : got.curve) {
        if (at.repeat == repeat) one.curve.push_back(at);
      }
      judge_curve(one, target_of(*point.experiment.train));
      times.push_back(one.time_to_target.value_or(std::numeric_limits<double>::infinity()));
    }
    ASSERT_EQ(times.size(), 9U);
    std::sort(times.begin(), times.end());
    const double median = times[4];
    (point.update_name() == "adasync" ? adaptive : best) =
        point.update_name() == "adasync" ? median : std::min(best, median);
  }
  EXPECT_LE(adaptive, 1.05 * best);
}

}  // namespace
}  // namespace paceline
