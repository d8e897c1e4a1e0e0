// SPDX-License-Identifier: MIT
// Runs on machine: ideal, where ends are known as soon as work is queued, against the events of the
// same run: random policies, stragglers, servers and ties, equal in every figure and every row.
#include "sim/ideal/run_on_ideal.hpp"

#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "experiments/language/value.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/figures_text.hpp"

namespace paceline {
namespace {

class Choices {
 public:
  explicit Choices(unsigned seed) : random_(seed) {}
  int number(int least, int most) { return std::uniform_int_distribution<>(least, most)(random_); }
  std::string of(std::initializer_list<const char*> list) {
    return list.begin()[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::mt19937 random_;
};

std::string aggregation_of(Choices& any) {
  const std::string shards = "shards: " + std::to_string(any.number(1, 5));
  const std::string travel =
      ", bucket: " + any.of({"25 MiB", "100 kB"}) + ", overlap: " + any.of({"true", "false"}) + "}";
  switch (any.number(0, 5)) {
    case 0:
      return "{kind: distributed-replicated, gpus_per_worker: 2, " + shards + travel;
    case 1:
      return "{kind: replicated" + travel;
    case 2:
      return "{kind: gather" + travel;
    default:
      return "{kind: parameter-server, " + shards + travel;
  }
}

std::string update_of(Choices& any, int workers) {
  const std::string kind = any.of({"async", "async", "async", "sync", "ssp", "k-async", "k-sync",
                                   "k-batch-async", "k-batch-sync", "local-sgd", "downpour"});
  const std::string number = std::to_string(any.number(1, workers));
  if (kind.starts_with("k-")) return "{kind: " + kind + ", k: " + number + "}";
  if (kind == "ssp") return "{kind: ssp, slack: " + number + "}";
  if (kind == "sync") return "{kind: sync, accumulate: " + number + "}";
  if (kind == "local-sgd") return "{kind: local-sgd, every: " + number + "}";
  return kind == "downpour" ? "{kind: downpour, push_every: 1, fetch_every: " + number + "}" : kind;
}

/// "" for none.
constexpr std::initializer_list<const char*> kStragglers = {
    "",
    "{compute: {kind: exponential, mean: 2 ms}}",
    "{compute: {kind: exponential, mean: 2 ms}}",
    "{compute: {kind: uniform, low: 0 s, high: 3 ns}}",
    "{compute: {kind: constant, value: 3 ms}}",
    "{compute: {kind: markov, usual: {kind: constant, value: 0 ms}, "
    "slow: {kind: constant, value: 3 ms}, enter: 20 %, leave: 40 %}}",
    "{compute: {kind: exponential, mean: 2 ms}, communication: {kind: exponential, mean: 1 ms}}",
    "{communication: {kind: constant, value: 1 ms}}",
    "{workers: {0: {slowdown: 2}}}",
    "{workers: {0: {slowdown: 1.5}}}"};

/// Policies and aggregations in any pair, also in those that do not go together.
std::string file_of(Choices& any) {
  const int workers = 2 * any.number(1, 6);
  const std::string stragglers = any.of(kStragglers);
  return "name: p\nsteps: " + std::to_string(any.number(2, 30)) +
         "\nwarmup: " + any.of({"0", "1"}) + "\nworkers: " + std::to_string(workers) +
         "\nmachine: ideal\nbatch: 4\nsoftware: ideal\nmodel: " +
         any.of({"{kind: synthetic, compute: 3 ms, gradient: 1.3 MB, tensors: 9}",
                 "{kind: synthetic, compute: 4 ms, gradient: 1 MB}",
                 "{kind: synthetic, compute: 0 s, gradient: 1 MB}"}) +
         "\naggregation: " + aggregation_of(any) + "\nupdate: " + update_of(any, workers) +
         (stragglers.empty() ? "\n" : "\nstragglers: " + stragglers + "\n");
}

std::optional<ExperimentPoint> point_of(const std::string& text) {
  try {
    return load_experiment_text("p.yaml", text, {}).points.front();
  } catch (const SpecError&) {
    return std::nullopt;
  }
}

/// All figures of a repeat, and each mini-batch and gradient, as text.
std::string figures_of(const Prediction& prediction) {
  Counting counting = prediction.counting;
  counting.in_order = !prediction.by_events;  // changes nothing
  Recorder recorder(counting);
  simulate_once(prediction, 0, recorder);
  std::string text = figures_text(recorder);
  for (const StepRow& row : recorder.result().steps) {
    text += "worker " + std::to_string(row.worker) + " step " + std::to_string(row.step);
    for (const double one : {row.began_s, row.end_s, row.compute_s, row.delay_s, row.wait_s})
      text += " " + print_number(one);
    text += row.accepted ? " accepted\n" : "\n";
  }
  for (const GradientEvent& one : recorder.gradients()) {
    text += "gradient " + std::to_string(one.worker) + " " + std::to_string(one.step) + " " +
            std::to_string(one.computed) + " " + std::to_string(one.applied) + "\n";
  }
  return text;
}

class OnIdeal : public testing::TestWithParam<unsigned> {};

TEST_P(OnIdeal, FiguresAreThoseOfEvents) {
  Choices any(GetParam());
  int ran = 0;
  for (int round = 0; round < 100; ++round) {
    const std::string text = file_of(any);
    const std::optional<ExperimentPoint> point = point_of(text);
    if (!point) continue;
    Prediction prediction = make_prediction(*point, nullptr);
    prediction.counting.keep_steps = prediction.counting.keep_gradients = any.number(0, 1) == 1;
    Recorder recorder(prediction.counting);
    ran += run_on_ideal(prediction, 0, recorder) ? 1 : 0;
    const std::string known = figures_of(prediction);
    prediction.by_events = true;
    ASSERT_EQ(known, figures_of(prediction)) << "round " << round << "\n" << text;
  }
  EXPECT_GE(ran, 20);
}

TEST(OnIdealMachine, EveryStragglerOfTheseTestsIsAccepted) {
  for (const std::string stragglers : kStragglers) {
    const std::string key = stragglers.empty() ? "" : "\nstragglers: " + stragglers;
    EXPECT_TRUE(
        point_of("name: p\nsteps: 2\nworkers: 2\nmachine: ideal\nmodel: {kind: synthetic}"
                 "\nsoftware: ideal\nupdate: async" +
                 key + "\n"))
        << stragglers;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, OnIdeal, testing::Range(0U, 12U));

}  // namespace
}  // namespace paceline
