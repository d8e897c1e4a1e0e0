// SPDX-License-Identifier: MIT
// Input pipelines, against hand computation. The worker computes 40 ms a mini-batch of 8 items on a
// machine where copies take no time.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"
#include "training/experiment/memory_of_point.hpp"

namespace paceline {
namespace {

constexpr double kCompute = 0.04;

Measurement with(const std::string& pipeline, const std::string& rest = "") {
  const ExperimentFile file = load_experiment_text(
      "input.yaml",
      "name: input\nmodel: {kind: synthetic, compute: 40 ms, gradient: 4 MB}\nmachine: ideal\n"
      "software: ideal\nbatch: 8\nsteps: 60\nwarmup: 20\ninput: {kind: pipeline, " +
          pipeline + "}\n" + rest,
      {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

struct Case {
  std::string pipeline;
  double step;  ///< s
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.pipeline;
}

class InputTest : public testing::TestWithParam<Case> {};

TEST_P(InputTest, AStepWaitsForItemsBeyondItsArithmetic) {
  const Measurement got = with(GetParam().pipeline);
  EXPECT_NEAR(*got.iteration_mean, GetParam().step, 1e-9);
  EXPECT_NEAR(*got.compute, kCompute, 1e-9);
  EXPECT_NEAR(*got.input, GetParam().step - kCompute, 1e-9);
  EXPECT_NEAR(*got.exposed_comm, 0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Pipelines, InputTest,
    testing::Values(
        // without prefetch one after the other
        Case{"decode: {time: 2 ms}, prefetch: 0", 0.04 + 0.016},
        Case{"decode: {time: 2 ms}, augment: 1 ms, prefetch: 0", 0.04 + 0.024},
        Case{"decode: {workers: 2, time: 2 ms}, prefetch: 0", 0.04 + 0.016},
        Case{"decode: {workers: 2, time: 2 ms, each: share}, prefetch: 0", 0.04 + 0.008},
        // with it the longer of both
        Case{"decode: {time: 2 ms}, prefetch: 1", 0.04}, Case{"decode: {time: 8 ms}", 0.064},
        Case{"decode: {time: 8 ms}, prefetch: 64", 0.064},
        Case{"decode: {workers: 2, time: 8 ms, each: share}, prefetch: 1", 0.04},
        Case{"decode: {workers: 2, time: 16 ms, each: share}, prefetch: 1", 0.064},
        Case{"decode: {workers: 2, time: 16 ms}, prefetch: 2", 0.064},
        // one batch at a time keeps one loader busy
        Case{"decode: {workers: 2, time: 16 ms}, prefetch: 1", 0.128},
        Case{"decode: {workers: 4, time: 16 ms}, prefetch: 4", 0.04},
        // by default all of them are
        Case{"decode: {workers: 8, time: 39 ms}", 0.04},
        Case{"decode: {size: 100 kB, rate: 10 MB/s}, prefetch: 1", 0.08},
        // a loader reads, then decodes
        Case{"read: {size: 1 MB, bandwidth: 200 MB/s}, decode: {time: 2 ms}", 0.056},
        // the storage serves one after another
        Case{"read: {size: 1 MB, bandwidth: 100 MB/s}, decode: {workers: 4, time: 1 ms}, "
             "prefetch: 4",
             0.08},
        // which has a latency beside its bandwidth: (5 + 4 + 2) ms x 8, and no prefetch hides it
        Case{"read: {size: 1 MB, bandwidth: 200 MB/s, latency: 4 ms}, decode: {time: 2 ms}", 0.088},
        // the latencies of several loaders overlap: 8 x 8 ms of service, 8 x 30 ms of four loaders
        Case{"read: {size: 1 MB, bandwidth: 125 MB/s, latency: 20 ms}, decode: {workers: 4, time: "
             "2 ms}, prefetch: 8",
             0.064},
        Case{"read: {size: 1 MB, bandwidth: 1 GB/s, latency: 37 ms}, decode: {workers: 4, time: "
             "2 ms}, prefetch: 8",
             0.08},
        // small records: as many requests a second as the storage serves, 8 / 100 s
        Case{"read: {size: 1 kB, bandwidth: 1 GB/s, requests_per_second: 100}, decode: {workers: "
             "4, time: 1 ms}, prefetch: 4",
             0.08},
        // large ones: its bandwidth
        Case{"read: {size: 1 MB, bandwidth: 100 MB/s, requests_per_second: 1000}, decode: "
             "{workers: 4, time: 1 ms}, prefetch: 4",
             0.08},
        Case{"decode: {time: 8 ms}, staging: 1", 0.064}));

TEST(InputTest, WorkersShareTheStorage) {
  const std::string pipeline = "read: {size: 1 MB, bandwidth: 400 MB/s}, decode: {time: 1 ms}";
  const Measurement alone = with(pipeline, "workers: 1\naggregation: allreduce\n");
  EXPECT_NEAR(*alone.iteration_mean, 0.04, 1e-9);
  const Measurement four = with(pipeline, "workers: 4\naggregation: allreduce\n");
  EXPECT_NEAR(*four.iteration_mean, 4 * 0.02, 1e-9);
}

TEST(InputTest, EveryMiniBatchOfAnUpdateTakesABatch) {
  const Measurement got =
      with("decode: {time: 8 ms}", "update: {kind: local-sgd, every: 3}\naggregation: allreduce\n");
  EXPECT_NEAR(*got.iteration_mean, 3 * 0.064, 1e-9);
}

TEST(InputTest, AsynchronousWorkersWaitForTheirOwnLoaders) {
  const Measurement got = with("decode: {time: 8 ms}", "workers: 4\nupdate: async\n");
  EXPECT_NEAR(*got.throughput, 4 * 8 / 0.064, 1e-6);
  EXPECT_NEAR(*got.input, 0.024, 1e-9);
}

TEST(InputTest, ACancelledMiniBatchHasUsedItsBatchUp) {
  // the slow worker is cancelled at 0.04 s, and its loader goes on
  const Measurement got =
      with("decode: {time: 1 ms}, prefetch: 1",
           "workers: 2\nupdate: {kind: k-sync, k: 1}\n"
           "stragglers: {compute: {kind: constant, value: 0 s}, workers: {1: {slowdown: 3}}}\n");
  EXPECT_NEAR(*got.iteration_mean, 0.04, 1e-9);
  EXPECT_NEAR(*got.input, 0, 1e-9);
}

/// A described machine: two GPUs and four cores.
Measurement on_machine(const std::string& pipeline, int workers) {
  const ExperimentFile file = load_experiment_text(
      "input.yaml",
      "name: input\nmodel: {kind: synthetic, compute: 40 ms, gradient: 4 B}\nsoftware: ideal\n"
      "batch: 8\nsteps: 60\nwarmup: 20\naggregation: independent\nworkers: " +
          std::to_string(workers) +
          "\nmachine:\n  gpus: [{model: p100-sxm2, count: 2}]\n"
          "  host: {cores: 4, memory_bandwidth: 10 GB/s}\n"
          "  link_types: {port: {kind: pcie, bandwidth: 10 GB/s, latency: 0 us, source: test}}\n"
          "  links: [{type: port, from: cpu0, to: [gpu0, gpu1]}]\n"
          "input: {kind: pipeline, " +
          pipeline + "}\n",
      {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

TEST(InputTest, LoadersShareTheCoresOfTheirComputer) {
  const std::string pipeline = "decode: {workers: 4, time: 20 ms}, prefetch: 8";
  EXPECT_NEAR(*on_machine(pipeline, 1).iteration_mean, 0.04, 1e-6);
  EXPECT_NEAR(*on_machine(pipeline, 2).iteration_mean, 2 * 8 * 0.02 / 4, 1e-6);
}

// A batch is copied by one thread, at 10 GB/s, after the loader that made it: 8 items of 12.5 MB in
// 10 ms, beside the loaders' next.
Measurement pinned(const std::string& pipeline, int inputs) {
  const ExperimentFile file = load_experiment_text(
      "input.yaml",
      "name: input\nmodel: {kind: mlp, inputs: " + std::to_string(inputs) +
          ", hidden: [], classes: 2}\nsoftware: ideal\nbatch: 8\nsteps: 60\nwarmup: 20\n"
          "aggregation: independent\nmachine:\n  gpus: [{model: p100-sxm2}]\n"
          "  host: {cores: 8, memory_bandwidth: 10 GB/s}\n"
          "  link_types: {port: {kind: pcie, bandwidth: 100 TB/s, latency: 0 us, source: test}}\n"
          "  links: [{type: port, from: cpu0, to: [gpu0]}]\ninput: {kind: pipeline, " +
          pipeline + "}\n",
      {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

TEST(InputTest, BatchesOfProcessesAreCopiedByOneThread) {
  constexpr int kInputs = 12'500'000 / 4;
  constexpr double kCopy = 0.01;
  const auto step = [](const std::string& keys) {
    return *pinned("decode: {" + keys, kInputs).iteration_mean;
  };
  // one after the other, where nothing is prefetched
  const double threads = step("time: 2 ms}, prefetch: 0");
  EXPECT_NEAR(step("time: 2 ms, processes: true}, prefetch: 0"), threads + kCopy, 1e-6);
  // else beside the loaders
  EXPECT_NEAR(step("time: 2 ms, processes: true}, prefetch: 2"), 0.016, 1e-4);
  EXPECT_NEAR(step("workers: 4, time: 2 ms, processes: true}, prefetch: 8"), kCopy, 1e-4);
  EXPECT_LT(step("workers: 4, time: 2 ms}, prefetch: 8"), 0.7 * kCopy) << "the GPU's arithmetic";
}

/// A data set in the memory of a P100.
ExperimentPoint on_gpu(const std::string& input) {
  return load_experiment_text("input.yaml",
                              "name: input\nmodel: {kind: mlp, inputs: 100000, hidden: [16], "
                              "classes: 4}\nsoftware: ideal\nmachine: dgx1-p100\nbatch: 8\n"
                              "steps: 20\nwarmup: 4\naggregation: independent\n" +
                                  input,
                              {})
      .points.front();
}

TEST(ConstantInputTest, AMiniBatchIsReadAndWrittenInTheGpusMemory) {
  const ExperimentPoint point = on_gpu("input: {kind: constant, items: 1000}\n");
  const Measurement got = simulate(make_prediction(point, nullptr));
  const double bytes = 8.0 * 100'000 * 4;
  const double copy = 2 * bytes / point.machine->gpu(0).memory_bandwidth.value();
  EXPECT_NEAR(*got.input, copy, 1e-9);
  const Measurement there = simulate(make_prediction(on_gpu(""), nullptr));
  EXPECT_NEAR(*got.iteration_mean - *there.iteration_mean, copy, 1e-9);
  const double more = (memory_of(point) - memory_of(on_gpu(""))).value();
  EXPECT_DOUBLE_EQ(more, (1000 + 8) * 100'000.0 * 4);
}

TEST(ConstantInputTest, APassOfValidationTakesASliceToo) {
  const std::string keys = "validation: {every: 2, batches: 3, batch: 16}\n";
  const auto input_of = [&](const std::string& input) {
    return *simulate(make_prediction(on_gpu(keys + input), nullptr)).input;
  };
  const double one =
      *simulate(make_prediction(on_gpu("input: {kind: constant, items: 50}\n"), nullptr)).input;
  EXPECT_NEAR(input_of("input: {kind: constant, items: 50}\n"), one * (1 + 3 * 2 / 2.0), 1e-9);
}

// One set of loaders makes the batch of all four workers, 32 items.
TEST(InputTest, OfAScatteredBatchOneSetOfLoadersMakesAll) {
  const auto step = [](const std::string& pipeline, const std::string& aggregation) {
    return with(pipeline, "workers: 4\naggregation: " + aggregation + "\n");
  };
  for (const char* aggregation : {"gather", "concatenated", "{kind: gather, loss: every-gpu}"}) {
    const Measurement without = step("decode: {time: 2 ms}, prefetch: 0", aggregation);
    EXPECT_NEAR(*without.iteration_mean, kCompute + 0.064, 1e-9) << aggregation;
    EXPECT_NEAR(*without.input, 0.064, 1e-9) << aggregation;
    const Measurement ahead = step("decode: {time: 2 ms}, prefetch: 1", aggregation);
    EXPECT_NEAR(*ahead.iteration_mean, 0.064, 1e-9) << aggregation;
    EXPECT_NEAR(*ahead.input, 0.064 - kCompute, 1e-9) << aggregation;
    EXPECT_NEAR(*ahead.exposed_comm, 0, 1e-9) << aggregation;
    const Measurement shared =
        step("decode: {workers: 4, time: 2 ms, each: share}, prefetch: 0", aggregation);
    EXPECT_NEAR(*shared.iteration_mean, kCompute + 0.016, 1e-9) << aggregation;
  }
}

// Four GPUs on ports of 10 GB/s, 8 items of 12.5 MB each. From pageable memory at 2 GB/s.
double fed(const std::string& aggregation, const std::string& pipeline) {
  const ExperimentFile file = load_experiment_text(
      "input.yaml",
      "name: input\nmodel: {kind: mlp, inputs: 3125000, hidden: [], classes: 2}\nsoftware: ideal\n"
      "batch: 8\nsteps: 20\nwarmup: 5\nworkers: 4\naggregation: " +
          aggregation +
          "\nmachine:\n  gpus: [{model: p100-sxm2, count: 4}]\n"
          "  host: {cores: 8, memory_bandwidth: 10 GB/s, pageable_bandwidth: 2 GB/s}\n"
          "  link_types: {port: {kind: pcie, bandwidth: 10 GB/s, latency: 0 us, source: test}}\n"
          "  links: [{type: port, from: cpu0, to: [gpu0, gpu1, gpu2, gpu3]}]\n"
          "input: {kind: pipeline, decode: {time: 0 s}, prefetch: 0" +
          pipeline + "}\n",
      {});
  return *simulate(make_prediction(file.points.front(), nullptr)).iteration_mean;
}

TEST(InputTest, ACopyFromPageableMemoryIsAsFastAsTheThreadThatStagesIt) {
  constexpr double kShare = 8 * 12.5e6;  // bytes
  for (const char* placement : {"cpu", "gpu"}) {
    const auto added = [&](const std::string& inputs) {
      const std::string aggregation =
          "{kind: concatenated, placement: " + std::string(placement) + ", inputs: " + inputs + "}";
      return fed(aggregation, ", pinned: false") - fed(aggregation, "");
    };
    // each GPU over its own port
    EXPECT_NEAR(added("sliced"), kShare / 2e9 - kShare / 10e9, 1e-6) << placement;
    EXPECT_NEAR(added("whole"), 4 * (kShare / 2e9 - kShare / 10e9), 1e-6) << placement;
  }
  // one copy of all to the first GPU, before it is scattered
  EXPECT_NEAR(fed("gather", ", pinned: false") - fed("gather", ""),
              4 * (kShare / 2e9 - kShare / 10e9), 1e-6);
}

TEST(InputTest, AWorkerThatCutsItsShareOutHasGotTheWholeBatch) {
  constexpr double kShare = 8 * 12.5e6;  // bytes
  for (const char* placement : {"cpu", "gpu"}) {
    const auto step = [&](const std::string& inputs) {
      return fed(
          "{kind: concatenated, placement: " + std::string(placement) + ", inputs: " + inputs + "}",
          "");
    };
    EXPECT_NEAR(step("whole") - step("sliced"), 3 * kShare / 10e9, 1e-6) << placement;
  }
}

}  // namespace
}  // namespace paceline
