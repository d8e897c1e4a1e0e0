// SPDX-License-Identifier: MIT
// Whole points with NCCL failures, which a real GPU cannot produce on demand, and counts of
// allocations.
#include "tests/exec/cuda/points.hpp"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>

#include <nccl.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/machine/execution_plan.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline::cuda {
namespace {

using testing::HasSubstr;

class FailingSumTest : public PointsTest<2> {};
class CountedAllocationsTest : public PointsTest<1> {};
class TrainedPointsTest : public PointsTest<3> {};

TEST_F(TrainedPointsTest, NcclSumsAsTheSchedulesDo) {
  const auto loss = [](const std::string& aggregation) {
    const Measurement got =
        execute(experiment(3, "aggregation: {kind: allreduce, " + aggregation + "}\n"));
    EXPECT_EQ(got.status, "ok") << aggregation;
    return got.curve.empty() ? 0 : got.curve.back().loss;
  };
  const double sums = loss("algorithm: ring");
  ASSERT_GT(sums, 0);
  EXPECT_NEAR(loss("algorithm: nccl") / sums, 1, 1e-5);
  EXPECT_NEAR(loss("algorithm: nccl, compression: fp16") / sums, 1, 1e-2);
  EXPECT_NEAR(loss("algorithm: ring, compression: fp16") / sums, 1, 1e-2);
}

/// A collective by NCCL on three ranks, once: rank r begins with 100 r + i and ends with these.
std::vector<std::vector<float>> collective_of_three(const std::string& operation, Buffer result) {
  constexpr int kFloats = 7;  // two for each rank, and one that is left out
  const ExperimentFile file = load_experiment_text(
      "collective.yaml",
      "name: collective\nmachine: this\nsteps: 1\nwarmup: 0\nworkers: 3\nworkload: {kind: "
      "collective, op: " +
          operation + ", algorithm: nccl, size: " + std::to_string(4 * kFloats) + " B}\n",
      {});
  const Setting setting = make_setting(file.points.front());
  const Plan plan = plan_of_execution(setting, 0, nullptr);
  CudaExecution execution(setting, "");
  const std::unique_ptr<Workplace> place = execution.workplace(plan, 0);
  const auto data = [&](int rank, Buffer buffer) {
    return place->buffers.open({rank, buffer}, plan.whole()).data();
  };
  for (int rank = 0; rank < 3; ++rank) {
    std::vector<float> before(kFloats);
    for (int i = 0; i < kFloats; ++i)
      before[static_cast<std::size_t>(i)] = static_cast<float>(100 * rank + i);
    check(cudaMemcpy(data(rank, Buffer::gradient), before.data(), 4 * kFloats, cudaMemcpyDefault),
          "filling");
  }
  WallTime time;
  CudaMachine machine(plan, place->site, time);
  start_roles(*file.points.front().experiment.aggregation, plan, machine);
  machine.run();
  std::vector<std::vector<float>> after(3, std::vector<float>(kFloats));
  for (int rank = 0; rank < 3; ++rank) {
    check(cudaMemcpy(after[static_cast<std::size_t>(rank)].data(), data(rank, result), 4 * kFloats,
                     cudaMemcpyDefault),
          "reading");
  }
  return after;
}

TEST_F(TrainedPointsTest, NcclCarriesOutEveryOperation) {
  using testing::ElementsAre;
  const auto run = [](const std::string& operation) {
    return collective_of_three(operation,
                               operation == "all-to-all" ? Buffer::landing : Buffer::gradient);
  };
  const auto sums = ElementsAre(300, 303, 306, 309, 312, 315, 318);
  const auto first = ElementsAre(0, 1, 2, 3, 4, 5, 6);
  const auto second = ElementsAre(100, 101, 102, 103, 104, 105, 106);
  const auto third = ElementsAre(200, 201, 202, 203, 204, 205, 206);
  EXPECT_THAT(run("all-reduce"), ElementsAre(sums, sums, sums));
  EXPECT_THAT(run("reduce"), ElementsAre(sums, second, third));
  EXPECT_THAT(run("broadcast"), ElementsAre(first, first, first));
  EXPECT_THAT(run("reduce-scatter"), ElementsAre(ElementsAre(300, 303, 2, 3, 4, 5, 6),
                                                 ElementsAre(100, 101, 306, 309, 104, 105, 106),
                                                 ElementsAre(200, 201, 202, 203, 312, 315, 206)));
  EXPECT_THAT(run("all-gather"), ElementsAre(ElementsAre(0, 1, 102, 103, 204, 205, 6),
                                             ElementsAre(0, 1, 102, 103, 204, 205, 106),
                                             ElementsAre(0, 1, 102, 103, 204, 205, 206)));
  EXPECT_THAT(run("all-to-all"), ElementsAre(ElementsAre(0, 1, 100, 101, 200, 201, 0),
                                             ElementsAre(2, 3, 102, 103, 202, 203, 0),
                                             ElementsAre(4, 5, 104, 105, 204, 205, 0)));
}

// As `paceline collective` runs it: each operation, by its schedule and by NCCL, is timed.
TEST_F(TrainedPointsTest, ACollectiveAloneIsTimed) {
  for (const char* operation :
       {"all-reduce", "reduce", "broadcast", "reduce-scatter", "all-gather", "all-to-all"}) {
    for (const char* algorithm : {"", ", algorithm: nccl"}) {
      const ExperimentFile file = load_experiment_text(
          "collective.yaml",
          "name: collective\nmachine: this\nsteps: 4\nwarmup: 1\nworkers: 3\nworkload: {kind: "
          "collective, size: 48 KiB, op: " +
              std::string(operation) + algorithm + "}\n",
          {});
      const Measurement got = execute(file);
      EXPECT_EQ(got.status, "ok") << operation << algorithm;
      EXPECT_GT(got.iteration_mean.value_or(0), 0) << operation << algorithm;
      EXPECT_GT(got.bus_bandwidth.value_or(0), 0) << operation << algorithm;
    }
  }
}

// A vocabulary of 200 words, of which a mini-batch of 8 items touches 40 at most.
TEST_F(TrainedPointsTest, RowsOfEmbeddingsTrainAsWholeTablesDo) {
  const auto loss = [](const std::string& aggregation) {
    const ExperimentFile file = load_experiment_text(
        "rows.yaml",
        "name: rows\nmachine: this\nworkers: 3\nbatch: 8\nsteps: 5\nwarmup: 1\n"
        "model:\n  input: {channels: 1, height: 5}\n  classes: 4\n  blocks: [[\n"
        "    {kind: embedding, vocabulary: 200, features: 16}, global-average-pool, classifier]]\n"
        "optimizer: {kind: sgd, learning_rate: 1}\ntrain: {held_out: 64, dataset: {kind: "
        "token-mixture, vocabulary: 200}}\naggregation: " +
            aggregation + "\n",
        {});
    const Measurement got = execute(file);
    EXPECT_EQ(got.status, "ok") << aggregation;
    return got.curve.empty() ? 0 : got.curve.back().loss;
  };
  for (const char* kind : {"parameter-server, shards: 3", "parameter-server, placement: gpu",
                           "allreduce", "peer-to-peer"}) {
    const std::string aggregation = std::string("{kind: ") + kind + ", bucket: 1 kB";
    const double whole = loss(aggregation + "}");
    EXPECT_GT(whole, 0) << kind;
    EXPECT_NEAR(loss(aggregation + ", sparse: true}") / whole, 1, 1e-4) << kind;
  }
}

TEST_F(FailingSumTest, AnErrorOfNcclEndsItsPoint) {
  const ExperimentFile file = experiment(2, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  emulation::fail_next_collective(ncclRemoteError);
  EXPECT_THAT(execute(file).status, HasSubstr("NCCL: "));
  EXPECT_EQ(execute(file).status, "ok");
}

TEST_F(FailingSumTest, ASumThatHangsEndsItsPoint) {
  const ExperimentFile file = experiment(2, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  const Setting setting = make_setting(file.points.front());
  emulation::fail_next_collective(ncclInProgress);
  CudaExecution execution(setting, "", Seconds{1});
  Recorder recorder(setting.counting);
  EXPECT_THROW(execution.run(0, recorder), Error);
}

// A GPU's copy from pageable memory may be made after the call.
TEST_F(CountedAllocationsTest, WeightsAreWrittenBeforeStreamsReadThem) {
  emulation::restart();
  CudaArrayStore store({0});
  const SharedArray array = store.allocate(0, 3);
  emulation::delay_pageable_copies(0);
  store.write(std::vector<float>{1, 2, 3}, *array);
  const DeviceStream stream;
  const PinnedMemory seen(3 * sizeof(float));
  check(cudaMemcpyAsync(seen.data(), array->floats().data(), seen.bytes(), cudaMemcpyDefault,
                        stream.get()),
        "reading");
  check(cudaStreamSynchronize(stream.get()), "reading");
  EXPECT_THAT(std::vector<float>(seen.as<float>(), seen.as<float>() + 3),
              testing::ElementsAre(1, 2, 3));
}

TEST_F(FailingSumTest, ChoicesOfAlgorithmsAreOfTheGpuThatWasUsed) {
  emulation::set_model(1, {"Other GPU", 9, 0});
  ASSERT_EQ(execute(experiment(1, "devices: {gpu: 1, virtual: 1}\n")).status, "ok");
  const std::string file = std::string(std::getenv("XDG_CACHE_HOME")) + "/paceline/algorithms.yaml";
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("Other GPU, 132 SMs"));
  EXPECT_THAT(text, testing::Not(HasSubstr("Emulated GPU")));
}

TEST_F(CountedAllocationsTest, ACardWithMoreStreamsThanQueuesIsNamed) {
  const auto split = [](int workers) {
    return execute(experiment(workers, "devices: {virtual: " + std::to_string(workers) +
                                           "}\naggregation: {kind: parameter-server, placement: "
                                           "gpu}\n"))
        .split;
  };
  EXPECT_EQ(split(10), "streams");
  EXPECT_EQ(split(16), "streams; 49 streams in 32 hardware queues, where one may wait for another");
}

// Whatever does not fit is a status, wherever it is allocated.
TEST_F(CountedAllocationsTest, AShortageOfMemoryIsAStatusWhereverItComes) {
  std::string status;
  int failures = 0;
  for (std::size_t bytes = 1024; status != "ok"; bytes += bytes / 4) {
    emulation::restart();
    emulation::set_memory(0, bytes);
    status = execute(experiment(2, "devices: {virtual: 2}\n")).status;
    if (status == "ok") break;
    EXPECT_THAT(status, testing::StartsWith("failed: out of memory on GPU 0")) << bytes;
    ++failures;
  }
  EXPECT_GT(failures, 5);
}

// A card has 32 hardware queues: streams that nothing uses would make others wait.
TEST_F(CountedAllocationsTest, StreamsAreMadeForWhatIsQueued) {
  const auto streams = [](const std::string& more) {
    emulation::restart();
    EXPECT_EQ(execute(experiment(4, "devices: {virtual: 4}\n" + more)).status, "ok") << more;
    return emulation::counts(0).most_streams;
  };
  // workers compute and copy mini-batches
  EXPECT_EQ(streams("aggregation: independent\n"), 2 * 4 + 1) << "and one to set the clock";
  // a server on the CPU: its workers also push and fetch
  EXPECT_EQ(streams("aggregation: parameter-server\n"), 4 * 4);
  EXPECT_EQ(streams("aggregation: {kind: parameter-server, placement: gpu}\n"), 4 * 4 + 1);
}

// Both passes of a worker alone; with a server its weights and gradients travel between them.
TEST_F(CountedAllocationsTest, AStepOfOneWorkerAloneIsOneGraph) {
  const auto launches = [](const std::string& steps, const std::string& more) {
    emulation::restart();
    const ExperimentFile file = load_experiment_text(
        "point.yaml",
        "name: point\nmodel: {kind: mlp, inputs: 8, hidden: [16, 16], classes: 4}\nmachine: this\n"
        "devices: {virtual: 1}\nworkers: 1\nrepeats: 1\ntrain: {held_out: 8}\n" +
            more,
        {"steps=" + steps});
    EXPECT_EQ(execute(file).status, "ok") << more;
    return emulation::counts(0).graph_launches;
  };
  for (const auto& [more, graphs] : std::vector<std::pair<std::string, int>>{
           {"aggregation: allreduce\n", 1},
           {"aggregation: independent\n", 1},
           {"aggregation: allreduce\nupdate: {kind: sync, accumulate: 2}\n", 1},
           {"aggregation: parameter-server\n", 2}}) {
    EXPECT_EQ(launches("16", more) - launches("6", more), 10 * graphs) << more;
  }
}

TEST_F(CountedAllocationsTest, NothingIsAllocatedInAStep) {
  const auto allocations = [](const char* steps, const std::string& more = {}) {
    emulation::restart();
    const ExperimentFile file = load_experiment_text(
        "point.yaml",
        "name: point\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
        "workers: 2\ndevices: {virtual: 2}\n" +
            more,
        {std::string("steps=") + steps});
    EXPECT_EQ(execute(file).status, "ok");
    return emulation::counts(0).allocations;
  };
  allocations("1");  // times algorithms, in memory allocated for that
  EXPECT_EQ(allocations("20"), allocations("60"));
  for (const char* more :
       {"aggregation: allreduce\ncheckpoint: {every: 5, bandwidth: 1 MB/s}\n",
        "validation: {every: 5, batches: 2, batch: 40}\n",
        "validation: {every: 5, batches: 2, batch: 40}\ntrain: {held_out: 8}\n"}) {
    allocations("1", more);
    EXPECT_EQ(allocations("20", more), allocations("60", more)) << more;
  }
}

}  // namespace
}  // namespace paceline::cuda
