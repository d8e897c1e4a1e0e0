// SPDX-License-Identifier: MIT
// On one card, every strategy must accept and cancel the same gradients as in the simulator, at the
// same versions and in the same order, if delays determine the order. Losses then equal the CPU's,
// except for the rounding of sums in another order.
#include "exec/cuda/cuda_execution.hpp"
#include "sim/costs/prediction.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/machine/decided_alike.hpp"

namespace paceline::cuda {
namespace {

struct Pair {
  std::string aggregation;
  std::string update;
  Split split = Split::streams;
  std::string input = "synthetic";
  std::string rest{};  ///< more lines
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.aggregation << " " << pair.update
       << (pair.split == Split::green ? ", green contexts" : "")
       << (pair.input == "synthetic" ? "" : ", input " + pair.input)
       << (pair.rest.empty() ? "" : ", " + pair.rest);
}

/// 848 bytes of weights: a write takes 42 ms, and with the state of Adam three times as long.
void add_checkpoints(std::vector<Pair>& pairs) {
  const std::string on_gpu = "{kind: parameter-server, placement: gpu}";
  const std::string waits = "checkpoint: {every: 2, bandwidth: 20 kB/s}";
  const std::string beside = "checkpoint: {every: 1, bandwidth: 20 kB/s, asynchronous: true}";
  const auto add = [&](const std::string& aggregation, const char* update, const std::string& rest,
                       Split split = Split::streams) {
    pairs.push_back({aggregation, update, split, "synthetic", rest});
  };
  add("{kind: allreduce, algorithm: ring}", "sync", waits);
  add("{kind: allreduce, algorithm: ring}", "sync", beside + "\noptimizer: adam", Split::green);
  add("{kind: allreduce, algorithm: ring}", "sync", waits + "\noptimizer: lars");
  add("parameter-server", "async", waits);
  add("{kind: parameter-server, shards: 2}", "sync", beside);
  for (const std::string& rest : {waits, beside}) {
    add(on_gpu, "async", rest);
    add(on_gpu, "{kind: k-sync, k: 2}", rest + "\noptimizer: lamb");
  }
  add("{kind: parameter-server, placement: sharded-gpus, bucket: 200 B}", "k-sync", waits,
      Split::green);
}

void add_validation(std::vector<Pair>& pairs) {
  const std::string same = "validation: {every: 1, batches: 2}";
  const std::string larger = "validation: {every: 2, batches: 1, batch: 9, prefetch: 1}";
  const std::string pipeline = "{kind: pipeline, decode: {workers: 2, time: 100 us";
  const std::string ring = "{kind: allreduce, algorithm: ring, bucket: 200 B}";
  pairs.push_back({ring, "sync", Split::streams, "synthetic", same});
  pairs.push_back({"parameter-server", "async", Split::green, "synthetic",
                   "validation: {every: 1, batches: 2, batch: 3}"});
  for (const char* more : {"}, prefetch: 2, staging: 1}", ", each: share}, batch: concat}"}) {
    pairs.push_back({ring, "sync", Split::streams, pipeline + more, larger});
    pairs.push_back({"parameter-server", "{kind: k-sync, k: 2}", Split::streams, pipeline + more,
                     "validation: {every: 1, batches: 2, prefetch: 0}"});
  }
}

/// Data sets in GPUs' memory, loaders that are processes, and batches of all workers.
void add_inputs(std::vector<Pair>& pairs) {
  const std::string constant = "{kind: constant, items: 9}";
  const std::string ring = "{kind: allreduce, algorithm: ring, bucket: 200 B}";
  const std::string pipeline = "{kind: pipeline, decode: {workers: 2, time: 100 us";
  const auto add = [&](const std::string& aggregation, const char* update, const std::string& input,
                       const std::string& rest = {}) {
    pairs.push_back({aggregation, update, Split::streams, input, rest});
  };
  add(ring, "sync", constant, "validation: {every: 1, batches: 2, batch: 3}");
  add("{kind: parameter-server, placement: gpu}", "{kind: k-sync, k: 2}", constant);
  add(ring, "sync", pipeline + ", processes: true}, prefetch: 3}",
      "validation: {every: 2, batches: 2}");
  add("parameter-server", "async", pipeline + ", processes: true}, prefetch: 1, staging: 1}");
  add("gather", "sync", pipeline + "}, prefetch: 3, staging: 1}");
  add("{kind: gather, loss: every-gpu}", "sync", pipeline + "}, prefetch: 0}");
  add("concatenated", "sync", pipeline + ", each: share}, batch: concat, prefetch: 1}");
}

/// Every pair of aggregation and update from the table, and variants of placement. Without NCCL,
/// which does not support two ranks on one card.
std::vector<Pair> legal_pairs() {
  std::vector<Pair> pairs;
  for (const auto& row : family<Aggregation>().rows) {
    const std::vector<std::string> served = updates_served(*row.blank());
    for (const std::string& update : served) pairs.push_back({row.name, update});
    if (served.empty()) pairs.push_back({row.name, ""});
  }
  for (const char* update : {"sync", "k-sync", "async", "ssp", "downpour"}) {
    pairs.push_back({"{kind: parameter-server, placement: gpu}", update});
  }
  pairs.push_back({"{kind: parameter-server, placement: sharded-gpus, bucket: 200 B}", "k-sync"});
  pairs.push_back({"{kind: parameter-server, shards: 2}", "{kind: k-batch-sync, k: 3}"});
  pairs.push_back({"{kind: parameter-server, placement: gpu, variables: {fc1: cpu}}", "k-sync"});
  pairs.push_back({"{kind: parameter-server, compression: fp16, bucket: 200 B}", "k-sync"});
  pairs.push_back({"{kind: allreduce, compression: fp16, bucket: 200 B}", "sync"});
  for (const char* placement : {"cpu", "gpu"}) {
    for (const char* compression : {"one-bit", "{kind: top-k, share: 10 %}"}) {
      pairs.push_back({"{kind: parameter-server, placement: " + std::string(placement) +
                           ", compression: " + compression + ", bucket: 200 B}",
                       "k-sync"});
    }
  }
  pairs.push_back({"{kind: peer-to-peer, compression: one-bit, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: replicated, placement: gpu, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: parameter-server, staged: true, placement: gpu}", "sync"});
  pairs.push_back({"{kind: parameter-server, gpus_per_worker: 2}", "sync"});
  for (const char* algorithm : {"ring", "halving-doubling", "double-binary-tree", "hierarchical",
                                "{kind: torus, columns: 2}"}) {
    pairs.push_back(
        {std::string("{kind: allreduce, algorithm: ") + algorithm + ", bucket: 200 B}", "sync"});
  }
  for (const char* update : {"sync", "k-sync", "async"}) {
    pairs.push_back({"{kind: parameter-server, placement: gpu}", update, Split::green});
  }
  pairs.push_back({"parameter-server", "k-async", Split::green});
  pairs.push_back({"{kind: allreduce, algorithm: ring, bucket: 200 B}", "sync", Split::green});
  const std::string pipeline = "{kind: pipeline, decode: {workers: 2, time: 100 us";
  for (const char* more : {"}, prefetch: 0}", "}, prefetch: 3, staging: 1}",
                           ", each: share}, batch: concat, prefetch: 1, staging: 2}"}) {
    for (const char* update : {"sync", "{kind: k-sync, k: 2}", "async"}) {
      pairs.push_back({"parameter-server", update, Split::streams, pipeline + more});
    }
  }
  pairs.push_back({"{kind: allreduce, algorithm: ring}", "sync", Split::green,
                   pipeline + "}, prefetch: 2, staging: 1}"});
  add_checkpoints(pairs);
  add_validation(pairs);
  add_inputs(pairs);
  return pairs;
}

std::string strategy(const Pair& pair) {
  return "aggregation: " + pair.aggregation + "\n" +
         (pair.update.empty() ? "" : "update: " + pair.update + "\n") + "input: " + pair.input +
         "\n" + pair.rest + "\n";
}

/// The order on a simulated computer with this time per mini-batch.
ClockRun simulated(const ExperimentFile& file, Seconds arithmetic) {
  Profile profile = free_computer(file.points.front());
  profile.networks.front().forward.front() = arithmetic;
  Prediction setting = make_prediction(file.points.front(), &profile);
  setting.counting.keep_gradients = true;
  return on_simulator(setting);
}

ClockRun executed(ExperimentFile file, Split split) {
  ExperimentPoint& point = file.points.front();
  Devices& devices = point.experiment.devices.emplace();
  devices.virtual_gpus = kOrderWorkers;
  devices.split = split;
  Setting setting = make_setting(point);
  setting.counting.keep_gradients = true;
  CudaExecution execution(setting, "");
  return record(setting, [&](Recorder& recorder, std::string& status) {
    Executed executed = execution.run(0, recorder);
    status = executed.status;
    return executed.curve;
  });
}

class CudaOrderTest : public DeviceTest, public testing::WithParamInterface<Pair> {};

TEST_P(CudaOrderTest, GpusDecideAsTheSimulatorDoes) {
  const auto runs = run_decided(strategy(GetParam()), simulated, [](const ExperimentFile& file) {
    return executed(file, GetParam().split);
  });
  ASSERT_TRUE(runs) << "no seed leaves the order to the delays";
  const auto& [predicted, real] = *runs;
  EXPECT_EQ(predicted.status, "ok");
  ASSERT_NO_FATAL_FAILURE(expect_decided_alike(predicted, real));
  EXPECT_LT(real.curve.back().loss, real.curve.front().loss);
}

std::vector<Pair> pairs_with_servers(bool servers) {
  std::vector<Pair> pairs = legal_pairs();
  std::erase_if(pairs, [&](const Pair& pair) { return has_servers(pair.aggregation) != servers; });
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(LegalPairs, CudaOrderTest, testing::ValuesIn(pairs_with_servers(true)));
INSTANTIATE_TEST_SUITE_P(WithoutServers, CudaOrderTest,
                         testing::ValuesIn(pairs_with_servers(false)));

}  // namespace
}  // namespace paceline::cuda
