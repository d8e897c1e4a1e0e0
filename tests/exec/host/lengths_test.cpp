// SPDX-License-Identifier: MIT
// Batches of sequences of unequal length on threads: they train as on the simulator, and compute as
// many positions as the mini-batch has.
#include <ctime>

#include "models/sequence_length.hpp"
#include "tests/exec/host/both_clocks.hpp"
#include "training/learning/worker_arithmetic.hpp"

namespace paceline {
namespace {

const std::string kLstm =
    "model:\n  item: sequences\n  input: {channels: 1, height: 12}\n  classes: 4\n  blocks:\n"
    "    - {kind: embedding, vocabulary: 30, features: 8}\n    - {kind: lstm, units: 8}\n"
    "    - global-average-pool\n    - dropout\n    - classifier\n";
const std::string kTransformer =
    "model:\n  item: sequences\n  input: {channels: 1, height: 12}\n  classes: 4\n  blocks:\n"
    "    - {kind: embedding, vocabulary: 30, features: 8}\n    - position-embedding\n"
    "    - {kind: transformer, heads: 2, norm: before}\n"
    "    - global-average-pool\n    - classifier\n";

ExperimentFile file_of(const std::string& model, const std::string& lengths,
                       const std::string& rest) {
  return load_experiment_text("l.yaml",
                              "name: l\nmachine: this\nbatch: 6\nsteps: 30\nwarmup: 2\nworkers: 3\n"
                              "lengths:\n  distribution: {kind: lognormal, mean: 5, cv: 0.6}\n" +
                                  lengths + model + rest,
                              {});
}

struct Case {
  const char* name;
  std::string model, lengths, rest;
};

const std::string kTrain =
    "train: {evaluate: 10, held_out: 50, dataset: {kind: token-mixture, vocabulary: 30, own: 3, "
    "signal: 60 %, by_length: 30 %}}\n";

class LengthsOnThreadsTest : public testing::TestWithParam<Case> {};

TEST_P(LengthsOnThreadsTest, TrainAsOnTheSimulator) {
  const Case& one = GetParam();
  const ExperimentFile file =
      file_of(one.model, one.lengths,
              kTrain +
                  "optimizer: {kind: adam, learning_rate: 0.02}\n"
                  "stragglers: {compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}}\n" +
                  one.rest);
  const auto [simulated, real] = BothClocks(file.points.front());
  EXPECT_EQ(real.status, "ok");
  EXPECT_EQ(Order(simulated.events).accepted, Order(real.events).accepted);
  expect_one_curve(simulated.curve, real.curve);
  expect_one_measurement(simulated.result, real.result);
  EXPECT_EQ(simulated.result.padding, real.result.padding);
  EXPECT_EQ(simulated.result.length_mean, real.result.length_mean);
  EXPECT_LT(real.curve.back().loss, 0.9 * real.curve.front().loss);
}

INSTANTIATE_TEST_SUITE_P(
    Batches, LengthsOnThreadsTest,
    testing::Values(Case{"lstm", kLstm, "", "update: sync\n"},
                    Case{"buckets", kLstm, "  buckets: 4\n  same_bucket: true\n",
                         "aggregation: {kind: allreduce, algorithm: ring}\n"},
                    Case{"words", kTransformer, "  buckets: 12\n  batch_by: words\n",
                         "update: async\n"},
                    Case{"sorted", kTransformer, "  buckets: 6\n  order: sorted\n  pad_to: 2\n",
                         "update: {kind: k-sync, k: 2}\nsamples_per_epoch: 180\n"}),
    [](const auto& test) { return test.param.name; });

/// `text` with `what` replaced.
std::string without(std::string text, const std::string& what, const std::string& by = "") {
  return text.replace(text.find(what), what.size(), by);
}

// Each sequence alone, at its own length and without padding, has the gradient that it has in a
// mini-batch: no padding is learned from, and no position is left out.
TEST(PaddedBatchTest, HasTheGradientOfItsSequencesAlone) {
  // without dropout, which would differ from item to item
  for (const std::string& model :
       {without(kLstm, "    - dropout\n"), without(kTransformer, "norm: before", "dropout: 0 %")}) {
    SCOPED_TRACE(model);
    const ExperimentFile file = file_of(model, "", kTrain);
    const ExperimentPoint& point = file.points.front();
    const Network& network = *point.network;
    const auto lengths = batch_lengths_of(point);
    const Choice<Dataset> dataset = dataset_of(point.experiment, network);
    const std::vector<float> weights = initial_weights(network, 1);
    std::vector<float> got(weights.size(), 9);
    WorkerArithmetic worker(network, point.experiment.batch, *dataset, 1, lengths);
    const auto go_on = [] { return false; };
    const auto layers = static_cast<std::int32_t>(network.layers.size());
    std::vector<int> own;
    const DrawnBatch drawn = lengths->draw(1, 1, 7, own);
    ASSERT_LT(drawn.words, lengths->shapes()[drawn.shape].positions());
    worker.compute({Pass::forward, 0, layers}, {1, 7}, weights, got, go_on);
    worker.compute({Pass::backward, 0, layers}, {1, 7}, weights, got, go_on);

    const auto items = own.size();
    Shape input = network.input;
    input.height = lengths->shapes()[drawn.shape].length;
    std::vector<float> inputs(items * static_cast<std::size_t>(input.height));
    std::vector<float> targets(items);
    std::vector<double> ranks;
    for (const int one : own) ranks.push_back(lengths->rank(one));
    dataset->draw_sequences(input, network.classes, 1, 1, 7, {own, ranks}, inputs, targets);
    std::vector<double> expected(weights.size());
    double loss = 0;
    for (std::size_t item = 0; item < items; ++item) {
      const auto alone = make_arithmetic(at_length(network, own[item]), 1);
      const auto at = static_cast<std::size_t>(input.height) * item;
      alone->load({inputs.data() + at, static_cast<std::size_t>(own[item])}, {&targets[item], 1});
      std::vector<float> gradient(weights.size(), 9);
      for (int layer = 0; layer < layers; ++layer) alone->forward(layer, weights);
      for (int layer = layers; layer-- > 0;) alone->backward(layer, weights, gradient);
      loss += alone->loss() / static_cast<double>(items);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        expected[i] += static_cast<double>(gradient[i]) / static_cast<double>(items);
      }
    }
    EXPECT_NEAR(worker.last_loss(), loss, 1e-5);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-5) << i;
  }
}

/// Processor time of this thread.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A tenth of the positions of lstm_imdb takes a small part of the time: the least of several, since
// other programs may run.
TEST(ShortSequencesTest, CostLess) {
  const auto least_time = [](int length) {
    const ExperimentFile file = load_experiment_text(
        "l.yaml",
        "name: l\nmodel: lstm_imdb\nbatch: 8\nlengths: {distribution: {kind: constant, length: " +
            std::to_string(length) + "}}\n",
        {});
    const ExperimentPoint& point = file.points.front();
    const Choice<Dataset> dataset = dataset_of(point.experiment, *point.network);
    WorkerArithmetic worker(*point.network, 8, *dataset, 1, batch_lengths_of(point));
    const std::vector<float> weights = initial_weights(*point.network, 1);
    std::vector<float> gradient(weights.size());
    const auto layers = static_cast<std::int32_t>(point.network->layers.size());
    double least = 1e9;
    for (int step = 0; step < 5; ++step) {
      const double began = cpu_seconds();
      worker.compute({Pass::forward, 0, layers}, {0, step}, weights, gradient,
                     [] { return false; });
      least = std::min(least, cpu_seconds() - began);
    }
    return least;
  };
  EXPECT_LT(least_time(10), 0.4 * least_time(100));
}

}  // namespace
}  // namespace paceline
