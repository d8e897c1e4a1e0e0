// SPDX-License-Identifier: MIT
// The weights that real threads end with are those that a plain loop makes of the gradients they
// accepted: gradients at the recorded versions, each weighed by the staleness rule, summed, divided
// by their number. The network is linear, so that a gradient is one line: mean of (x w - y) x.
#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

constexpr int kInputs = 5;
constexpr int kBatch = 4;
constexpr double kRate = 0.05;

struct Case {
  std::string update;
  std::string staleness = "none";
  int shards = 1;
  std::string failures;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.update << " " << c.staleness << " on " << c.shards << " shards " << c.failures;
}

ExperimentFile experiment(const Case& c) {
  const std::string text =
      "name: replay\nmodel: {kind: linear, inputs: " + std::to_string(kInputs) +
      ", bias: false}\nmachine: this\nbatch: " + std::to_string(kBatch) +
      "\nsteps: 20\nwarmup: 2\ntrain: {dataset: least-squares}\nworkers: 5\nupdate: " + c.update +
      "\noptimizer: {kind: sgd, learning_rate: 0.05, staleness: " + c.staleness +
      "}\naggregation: {kind: parameter-server, shards: " + std::to_string(c.shards) +
      "}\nstragglers:\n  compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}\n" +
      (c.failures.empty() ? "" : "  failures: " + c.failures + "\n");
  return load_experiment_text("replay.yaml", text, {});
}

using Weights = std::vector<double>;

class Replay {
 public:
  explicit Replay(const Setting& setting)
      : setting_(setting),
        dataset_(setting.point->experiment.train->dataset),
        staleness_(*setting.point->experiment.optimizer->staleness) {
    const std::vector<float> first =
        initial_weights(*setting.point->network, setting.point->experiment.seed);
    versions_.emplace_back(first.begin(), first.end());
  }

  Weights after(const std::vector<GradientEvent>& events) {
    std::vector<GradientEvent> update;
    for (const GradientEvent& event : events) {
      if (event.applied < 0) continue;
      if (!update.empty() && event.applied != update.front().applied) make(update);
      update.push_back(event);
    }
    make(update);
    return versions_.back();
  }

 private:
  Weights gradient(int worker, std::int64_t step, const Weights& at) const {
    std::vector<float> inputs(kInputs * kBatch), targets(kBatch);
    dataset_->draw(setting_.point->network->input, 1, setting_.point->experiment.seed, worker, step,
                   inputs, targets);
    Weights sum(kInputs, 0.0);
    for (std::size_t i = 0; i < kBatch; ++i) {
      double error = -static_cast<double>(targets[i]);
      for (std::size_t k = 0; k < kInputs; ++k) {
        error += static_cast<double>(inputs[i * kInputs + k]) * at[k];
      }
      for (std::size_t k = 0; k < kInputs; ++k) {
        sum[k] += error * static_cast<double>(inputs[i * kInputs + k]) / kBatch;
      }
    }
    return sum;
  }

  /// A worker's weights after H steps of its own.
  Weights trained_alone(const GradientEvent& last) const {
    Weights mine = versions_[static_cast<std::size_t>(last.computed)];
    const int steps = setting_.plan.rule.local_steps;
    for (std::int64_t step = last.step - steps + 1; step <= last.step; ++step) {
      const Weights g = gradient(last.worker, step, mine);
      for (std::size_t k = 0; k < kInputs; ++k) mine[k] -= kRate * g[k];
    }
    return mine;
  }

  void make(std::vector<GradientEvent>& update) {
    const auto count = static_cast<double>(update.size());
    const Weights now = versions_.back();
    Weights next = now;
    if (setting_.plan.rule.local_steps > 1) {
      std::fill(next.begin(), next.end(), 0.0);
      for (const GradientEvent& event : update) {
        const Weights mine = trained_alone(event);
        for (std::size_t k = 0; k < kInputs; ++k) next[k] += mine[k] / count;
      }
    } else {
      double mean_staleness = 0;
      for (const GradientEvent& event : update) {
        mean_staleness += static_cast<double>(event.applied - event.computed) / count;
      }
      const double rate = staleness_.rate(kRate, mean_staleness);
      for (const GradientEvent& event : update) {
        const Weights& then = versions_[static_cast<std::size_t>(event.computed)];
        const Weights g = gradient(event.worker, event.step, then);
        for (const Slice& shard : setting_.plan.cut.shards) {
          double distance = 0;
          for (auto k = static_cast<std::size_t>(shard.begin); k < std::size_t(shard.end); ++k) {
            distance += (now[k] - then[k]) * (now[k] - then[k]);
          }
          const double weight = staleness_.weight(
              kRate, static_cast<double>(event.applied - event.computed), distance);
          for (auto k = static_cast<std::size_t>(shard.begin); k < std::size_t(shard.end); ++k) {
            next[k] -= rate * weight * g[k] / count;
          }
        }
      }
    }
    versions_.push_back(next);
    update.clear();
  }

  const Setting& setting_;
  Choice<Dataset> dataset_;
  const StalenessRule& staleness_;
  std::vector<Weights> versions_;
};

class ReplayTest : public testing::TestWithParam<Case> {};

TEST_P(ReplayTest, ThreadsEndWhereAPlainLoopDoes) {
  const ExperimentFile file = experiment(GetParam());
  const Profile profile = free_computer(file.points.front());
  Prediction setting = make_prediction(file.points.front(), &profile);
  setting.counting.keep_gradients = true;
  Execution execution(setting);
  Recorder recorder(setting.counting);
  JumpingTime time;
  const Executed executed = execution.run(0, recorder, time);
  ASSERT_EQ(executed.status, "ok");
  if (!GetParam().failures.empty()) {
    EXPECT_GT(*recorder.result().failures, 3);
  }
  const Weights expected = Replay(setting).after(recorder.gradients());
  ASSERT_EQ(executed.weights.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(executed.weights[k]), expected[k], 2e-5) << "parameter " << k;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* failures : {"", "{every: 60 ms, restart: 15 ms}"}) {
    for (const int shards : {1, 2}) {
      for (const char* update : {"sync", "{kind: k-sync, k: 3}", "{kind: k-batch-sync, k: 4}",
                                 "{kind: local-sgd, every: 3}"}) {
        all.push_back({update, "none", shards, failures});
      }
      for (const char* update : {"async", "{kind: k-async, k: 3}", "{kind: k-batch-async, k: 4}",
                                 "{kind: ssp, slack: 2}", "{kind: adasync, k: 1, window: 5}",
                                 "{kind: adasync, k: 2, window: 5, base: k-batch-async}"}) {
        for (const char* staleness :
             {"none", "average", "per-gradient", "{kind: distance, c: 0.0005}"}) {
          all.push_back({update, staleness, shards, failures});
        }
      }
      // the accrued gradient of several mini-batches has no version of its own
      if (shards == 1) {
        for (const char* staleness : {"none", "average", "per-gradient"}) {
          all.push_back({"downpour", staleness, shards, failures});
        }
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Updates, ReplayTest, testing::ValuesIn(cases()));

}  // namespace
}  // namespace paceline
