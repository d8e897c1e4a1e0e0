// SPDX-License-Identifier: MIT
// Input pipelines on real threads: the same waits, decisions and losses as on the simulator, on a
// clock on which only delays, reads and decoding take time; and the time of decoding on the wall
// clock.
#include <ctime>

#include "exec/host/execute.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

struct Case {
  std::string aggregation, update, pipeline;
  std::string rest{};
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.aggregation << " " << one.update << " " << one.pipeline << " " << one.rest;
}

ExperimentFile experiment(const Case& one) {
  return load_experiment_text(
      "input.yaml",
      "name: input\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 20\nwarmup: 2\ntrain: {evaluate: 1, held_out: 64}\nworkers: 4\n"
      "stragglers: {compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}}\n"
      "aggregation: " +
          one.aggregation + "\nupdate: " + one.update + "\ninput: {kind: pipeline, " +
          one.pipeline + "}\n" + one.rest + "\n",
      {});
}

class InputOnThreadsTest : public testing::TestWithParam<Case> {};

TEST_P(InputOnThreadsTest, WorkersWaitForItemsAsOnTheSimulator) {
  const ExperimentFile file = experiment(GetParam());
  const auto [simulated, real] = BothClocks(file.points.front());
  EXPECT_EQ(simulated.status, "ok");
  EXPECT_EQ(real.status, "ok");
  EXPECT_EQ(Order(simulated.events).accepted, Order(real.events).accepted);
  EXPECT_EQ(Order(simulated.events).cancelled, Order(real.events).cancelled);
  expect_one_curve(simulated.curve, real.curve);
  expect_one_measurement(simulated.result, real.result);
  EXPECT_GT(*real.result.input, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Pipelines, InputOnThreadsTest,
    testing::Values(
        Case{"allreduce", "sync", "decode: {time: 3 ms}, prefetch: 0"},
        Case{"allreduce", "sync", "decode: {time: 3 ms}, prefetch: 1"},
        Case{"allreduce", "sync", "decode: {workers: 2, time: 12.1 ms}, prefetch: 3, staging: 1"},
        Case{"allreduce", "{kind: local-sgd, every: 2}", "decode: {time: 3 ms}, prefetch: 2"},
        Case{"parameter-server", "sync", "decode: {time: 6 ms}, prefetch: 2"},
        Case{"parameter-server", "async",
             "decode: {workers: 2, time: 5 ms, each: share}, batch: concat, prefetch: 2"},
        Case{"parameter-server", "{kind: k-sync, k: 2}", "decode: {time: 2.7 ms}, prefetch: 1"},
        Case{"parameter-server", "{kind: k-batch-async, k: 2}",
             "decode: {time: 3 ms}, augment: 100 us, prefetch: 1, staging: 1"},
        Case{"parameter-server", "downpour", "decode: {time: 3 ms}"},
        Case{"{kind: distributed-replicated, staged: true, gpus_per_worker: 2}", "sync",
             "decode: {time: 3 ms}"},
        // one batch for all
        Case{"gather", "sync", "decode: {time: 3 ms}, prefetch: 0"},
        Case{"{kind: gather, loss: every-gpu}", "sync",
             "decode: {workers: 2, time: 3 ms}, prefetch: 3, staging: 1"},
        Case{"concatenated", "sync", "decode: {workers: 2, time: 3 ms, each: share}, prefetch: 1"},
        // of which workers copy what they need from the loaders
        Case{"{kind: concatenated, inputs: sliced}", "sync", "decode: {time: 3 ms}, prefetch: 0"},
        Case{"{kind: concatenated, inputs: whole}", "sync",
             "decode: {workers: 2, time: 3 ms}, prefetch: 3"},
        Case{"{kind: concatenated, placement: gpu, inputs: whole}", "sync",
             "decode: {time: 3 ms, processes: true}, prefetch: 1"},
        Case{"{kind: concatenated, optimizer: first-gpu, inputs: whole}", "sync",
             "decode: {time: 3 ms}, prefetch: 1"},
        Case{"{kind: concatenated, optimizer: first-gpu}", "sync",
             "decode: {time: 3 ms}, prefetch: 0"},
        // loaders that are processes
        Case{"allreduce", "sync", "decode: {workers: 2, time: 9 ms, processes: true}, prefetch: 3"},
        // validation by the same loaders
        Case{"allreduce", "sync", "decode: {time: 3 ms}, prefetch: 1",
             "validation: {every: 3, batches: 4, batch: 6, prefetch: 2}"},
        Case{"parameter-server", "async", "decode: {workers: 2, time: 3.1 ms}, prefetch: 0",
             "validation: {every: 2, batches: 3}"},
        Case{"parameter-server", "{kind: k-sync, k: 2}", "decode: {time: 2.7 ms}, prefetch: 2",
             "validation: {every: 2, batches: 2, batch: 2, prefetch: 1}"},
        // checkpoints, 200 parameters or so
        Case{"allreduce", "sync", "decode: {time: 3 ms}, prefetch: 1",
             "checkpoint: {every: 3, bandwidth: 100 kB/s}"},
        Case{"allreduce", "sync", "decode: {time: 3 ms}, prefetch: 1",
             "checkpoint: {every: 3, bandwidth: 10 kB/s, asynchronous: true}\noptimizer: adam"},
        Case{"parameter-server", "async", "decode: {time: 3 ms}, prefetch: 1",
             "checkpoint: {every: 7, bandwidth: 51 kB/s}"},
        Case{"{kind: parameter-server, shards: 2}", "sync", "decode: {time: 3 ms}, prefetch: 1",
             "checkpoint: {every: 3, bandwidth: 11 kB/s, asynchronous: true}"},
        // shorter than any computation: after a longer one, weights and acknowledgements of updates
        // reach an idle replica at one instant, and their order decides
        Case{"parameter-server", "downpour", "decode: {time: 9 ms}",
             "checkpoint: {every: 5, bandwidth: 500 kB/s}"}));

TEST(ConstantInputOnThreadsTest, TrainsAsOnTheSimulator) {
  const ExperimentFile file = load_experiment_text(
      "input.yaml",
      "name: input\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 20\nwarmup: 2\ntrain: {evaluate: 1, held_out: 64}\nworkers: 4\n"
      "aggregation: allreduce\ninput: {kind: constant, items: 9}\nvalidation: {every: 2, batches: "
      "2}\n",
      {});
  const auto [simulated, real] = BothClocks(file.points.front());
  EXPECT_EQ(simulated.status, "ok");
  EXPECT_EQ(real.status, "ok");
  expect_one_curve(simulated.curve, real.curve);
  expect_one_measurement(simulated.result, real.result);
}

TEST(ValidationOnTheWallClockTest, APassIsRealArithmetic) {
  const ExperimentFile file = load_experiment_text(
      "validation.yaml",
      "name: validation\nmodel: {kind: mlp, inputs: 64, hidden: [64], classes: 4}\n"
      "machine: this\nbatch: 2\nsteps: 10\nwarmup: 2\naggregation: allreduce\n"
      "validation: {every: 1, batches: 8, batch: 4096}\n",
      {});
  const Measurement got = execute_on_host(make_setting(file.points.front()));
  EXPECT_EQ(got.status, "ok");
  EXPECT_GT(*got.validation, *got.compute) << "32,768 items forward, and 2 forward and backward";
}

TEST(InputOnTheWallClockTest, DecodingTakesItsTimeOfACore) {
  WallTime time;
  const auto cpu = [] {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  };
  const double before = cpu();
  time.work(Seconds{0.02}, [] { return false; });
  EXPECT_GE(cpu() - before, 0.02);
  const double stopped = cpu();
  time.work(Seconds{3600}, [] { return true; });
  EXPECT_LT(cpu() - stopped, 1);
}

}  // namespace
}  // namespace paceline
