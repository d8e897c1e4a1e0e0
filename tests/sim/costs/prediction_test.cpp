// SPDX-License-Identifier: MIT
// The vertices of roles, and the costs of a prediction without a profile.
#include "sim/costs/prediction.hpp"

#include <numeric>

#include <gmock/gmock.h>

#include "models/load_network.hpp"
#include "sim/closed_form_of_point.hpp"
#include "sim/simulate.hpp"
#include "training/experiment/memory_of_point.hpp"

namespace paceline {
namespace {

ExperimentPoint point_of(const std::string& lines) {
  const std::string text =
      "name: p\nmodel: {kind: mlp, inputs: 4, hidden: [8], classes: 2}\nbatch: 4\n";
  return load_experiment_text("p.yaml", text + lines, {}).points.front();
}

Seconds backward_of(const std::string& lines) {
  const std::string text = "name: p\nmodel: resnet50\nbatch: 32\nmachine: dgx-a100\n";
  const ExperimentPoint point = load_experiment_text("p.yaml", text + lines, {}).points.front();
  return make_prediction(point, nullptr).costs.backward_total();
}

// Eight workers are three doublings. In fp32, without batch norms, with one worker and without
// overlap nothing waits.
TEST(Prediction, BatchNormsIn16BitsWaitForCallsBesideThem) {
  const std::string waits = "software: {of: tensorflow-2, batch_norm_wait: 10 %}\n";
  const std::string none = "software: {of: tensorflow-2, batch_norm_wait: 0 %}\n";
  const auto ratio = [&](const std::string& lines) {
    return backward_of(lines + waits) / backward_of(lines + none);
  };
  EXPECT_NEAR(ratio("precision: fp16\nworkers: 8\n"), 1.3, 1e-9);
  EXPECT_NEAR(ratio("precision: fp16\nworkers: 2\n"), 1.1, 1e-9);
  EXPECT_NEAR(ratio("precision: bf16\nworkers: 2\n"), 1.1, 1e-9);
  EXPECT_EQ(ratio("precision: fp16\nworkers: 1\n"), 1);
  EXPECT_EQ(ratio("precision: fp32\nworkers: 8\n"), 1);
  const std::string after = "aggregation: {kind: allreduce, algorithm: nccl, overlap: false}\n";
  EXPECT_EQ(ratio("precision: fp16\nworkers: 8\n" + after), 1);
  const std::string ring = "aggregation: {kind: allreduce, algorithm: ring}\n";
  EXPECT_EQ(ratio("precision: fp16\nworkers: 8\n" + ring), 1) << "no call of the library";
}

// 4 passes over 25,559,081 gradients of 4 bytes at 81.4 % of 1,555 GB/s.
TEST(Prediction, CopiesIntoBucketsPassOverTheGradients) {
  const auto of = [](const std::string& passes) {
    return backward_of("workers: 2\nsoftware: {of: pytorch, buckets: {passes: " + passes + "}}\n");
  };
  EXPECT_NEAR((of("4") - of("0")).value(), 4 * 4 * 25559081 / (0.814 * 1555e9), 1e-9);
}

TEST(Prediction, VirtualGpusStandOnOneCard) {
  const ExperimentPoint point = point_of(
      "machine: dgx1-p100\nworkers: 3\naggregation: {kind: parameter-server, placement: "
      "sharded-gpus}\ndevices: {gpu: 5, virtual: 4}\n");
  const Prediction setting = make_prediction(point, nullptr);
  EXPECT_EQ(setting.vertices, std::vector<int>(6, point.machine->gpu_vertex(5)));
  EXPECT_EQ(setting.costs.shared_card, point.machine->gpu_vertex(5));
  // Each byte is read and written.
  EXPECT_EQ(setting.costs.card_copy_bandwidth, point.machine->gpu(5).memory_bandwidth / 2);
}

TEST(Prediction, AVirtualGpuIsAGroupOfTheCardsMultiprocessors) {
  const auto costs_of = [](const std::string& placement, int virtual_gpus) {
    const ExperimentPoint point = point_of(
        "machine: h200\nworkers: 2\naggregation: {kind: parameter-server, placement: " + placement +
        "}\ndevices: {split: green, virtual: " + std::to_string(virtual_gpus) + "}\n");
    return make_prediction(point, nullptr).costs;
  };
  // 4800 GB/s in all and 126.7 GB/s per SM, of which 90 % is attained; a group has 16 of 132 SMs.
  const Costs eight = costs_of("gpu", 8);
  ASSERT_TRUE(eight.groups);
  EXPECT_NEAR(eight.groups->memory.value(), 4.32e12, 1e6);
  EXPECT_NEAR(eight.groups->worker_memory.value(), 16 * 126.7e9 * 0.9, 1e6);
  EXPECT_EQ(eight.groups->server_memory, eight.groups->memory) << "4 SMs left are no group";
  EXPECT_NEAR(eight.card_copy_bandwidth.value(), 16 * 126.7e9 * 0.9 / 2, 1e6);
  EXPECT_EQ(eight.card_copy_engines, 2);
  EXPECT_EQ(eight.forward_traffic.size(), eight.forward.size());
  // Three groups of 40 SMs leave 12 for the server.
  const Costs three = costs_of("gpu", 3);
  EXPECT_NEAR(three.groups->server_memory.value(), 12 * 126.7e9 * 0.9, 1e6);
  EXPECT_NEAR(three.groups->worker_memory.value(), 4.32e12, 1e6) << "40 can draw all there is";
  const Costs sharded = costs_of("sharded-gpus", 8);
  EXPECT_EQ(sharded.groups->server_memory, sharded.groups->worker_memory);
}

// 4 -> 8 -> 2: an item keeps 14 numbers in training, and as many are there at most in a pass.
TEST(Prediction, ValidationTakesTheMemoryOfTrainingUnlessItIsLarger) {
  const auto memory = [](const std::string& batch) {
    return memory_of(point_of("machine: dgx1-p100\nworkers: 2\n" + batch)).value();
  };
  const double training = memory("");
  EXPECT_EQ(memory("validation: {every: 2, batches: 1}\n"), training);
  EXPECT_EQ(memory("validation: {every: 2, batches: 1, batch: 4}\n"), training);
  EXPECT_EQ(memory("validation: {every: 2, batches: 1, batch: 5}\n"), training + 5 * 4 * 14);
}

// One parameter of 4 bytes an array. Of a server: a landing for each worker, weights in several
// versions, a sum where gradients are not summed where they land, the optimizer's arrays.
TEST(Prediction, MemoryCountsExactlyTheDeclaredBuffers) {
  const double parameters = 4 * 8 + 8 + 8 * 2 + 2;
  const auto arrays = [&](const std::string& lines) {
    const auto memory = [](const std::string& keys) {
      return memory_of(point_of("machine: dgx1-p100\nworkers: 2\n" + keys)).value();
    };
    const double least = memory("optimizer: sgd\naggregation: independent\n");
    return (memory(lines) - least) / (4 * parameters);
  };
  const std::string sgd = "optimizer: sgd\n";
  const std::string adam = "optimizer: adam\n";
  EXPECT_EQ(arrays(sgd + "aggregation: {kind: allreduce, algorithm: nccl}\n"), 0);
  EXPECT_EQ(arrays(sgd + "aggregation: {kind: allreduce, algorithm: ring}\n"), 1);
  EXPECT_EQ(arrays(adam + "aggregation: {kind: allreduce, algorithm: nccl}\n"), 2);
  EXPECT_EQ(arrays(sgd + "update: downpour\n"), 3);
  EXPECT_EQ(arrays(adam + "update: async\n"), 0) << "the server has the optimizer's";
  const std::string gpu = "aggregation: {kind: parameter-server, placement: gpu}\n";
  EXPECT_EQ(arrays(adam + gpu + "update: sync\n"), 2 + 3 + 2);
  EXPECT_EQ(arrays(sgd + gpu + "update: async\n"), 2 + (2 + 4));
  EXPECT_EQ(arrays(sgd + gpu + "update: {kind: k-batch-async, k: 2}\n"), 2 + (2 + 4) + 1);
  EXPECT_EQ(arrays(sgd + "aggregation: {kind: replicated, placement: gpu}\n"), 2 * 2);
  EXPECT_EQ(arrays(sgd + "aggregation: {kind: parameter-server, placement: sharded-gpus}\n"),
            (2 + 3) / 2.0);
}

TEST(Prediction, ABatchThatDoesNotFitBesideTheServersIsAnError) {
  const auto problem = [](const std::string& lines) -> std::string {
    try {
      load_experiment_text("fit.yaml",
                           "name: fit\nmodel: vgg16\nmachine: dgx1-p100\nworkers: 8\n" + lines, {});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const std::string servers = "aggregation: {kind: parameter-server, placement: gpu}\n";
  EXPECT_EQ(problem("batch: 64\nupdate: sync\n" + servers), "");
  EXPECT_THAT(problem("batch: 64\nupdate: async\n" + servers),
              testing::HasSubstr("batch 64 of 'vgg16' needs 19.4 GB with the servers' buffers "
                                 "(Tesla P100 SXM2 16 GB has 16 GB: the largest that fits is 34)"));
  EXPECT_EQ(problem("batch: 64\nupdate: async\n"), "") << "the server is on the CPU";
}

// DGX-1: 5 us a launch, 50 us of timer slack. A synthetic layer of a microsecond takes a launch in
// each pass; a delay of 1 ms ends 50 us late.
TEST(Prediction, ADescribedHostLaunchesKernelsAndEndsDelaysLate) {
  const auto step_of = [](const std::string& keys) {
    const std::string text =
        "name: p\nmodel: {kind: synthetic, compute: 1 us, gradient: 4 B}\nmachine: dgx1-p100\n"
        "workers: 1\naggregation: independent\n";
    const ExperimentPoint point = load_experiment_text("p.yaml", text + keys, {}).points.front();
    return simulate(make_prediction(point, nullptr)).step_mean.value();
  };
  const std::string own = "software: {}\n";  // without the time between kernels of a stack
  EXPECT_NEAR(step_of(own), 10e-6, 1e-9);
  EXPECT_NEAR(step_of("software: {dispatch: 100 us}\n"), 200e-6, 1e-9);
  EXPECT_NEAR(step_of(own + "stragglers: {compute: {kind: constant, value: 1 ms}}\n"), 1060e-6,
              1e-9);
}

TEST(Prediction, AHostThatStartsEachKernelTakesALittleForEach) {
  const auto costs_of = [](const std::string& keys) {
    return make_prediction(point_of("machine: dgx1-p100\n" + keys), nullptr).costs;
  };
  const Costs costs = costs_of("software: {kernels: {dispatch: 20 us}}\n");
  EXPECT_EQ(costs.dispatch, Seconds{20e-6});
  const auto layers = static_cast<std::int32_t>(costs.forward.size());
  ASSERT_EQ(costs.forward_kernels.size(), costs.forward.size());
  const auto sum = [](const std::vector<double>& kernels) {
    return std::accumulate(kernels.begin(), kernels.end(), 0.0);
  };
  EXPECT_EQ(costs.dispatches({Pass::forward, 0, layers}, 0), sum(costs.forward_kernels));
  EXPECT_EQ(costs.dispatches({Pass::backward, 0, layers}, 0), sum(costs.backward_kernels));
  EXPECT_EQ(costs.dispatches({Pass::backward, 0, 1}, 0), costs.backward_kernels.front());
  EXPECT_GT(sum(costs.backward_kernels), sum(costs.forward_kernels));
  const Costs together = costs_of("software: {dispatch: 20 us}\n");
  EXPECT_EQ(together.dispatches({Pass::backward, 0, layers}, 0), layers);
  // a synthetic layer has no kernels
  const ExperimentPoint none =
      load_experiment_text(
          "p.yaml",
          "name: p\nmodel: {kind: synthetic, compute: 1 us, gradient: 4 B}\nmachine: dgx1-p100\n"
          "software: {kernels: {dispatch: 20 us}}\n",
          {})
          .points.front();
  EXPECT_EQ(make_prediction(none, nullptr).costs.dispatches({Pass::forward, 0, 1}, 0), 0);
}

TEST(Prediction, ServersOnTheHostShareItsMemory) {
  const auto at_once = [](const std::string& servers) {
    const ExperimentPoint point =
        point_of("machine: dgx1-p100\nworkers: 8\naggregation: " + servers);
    return make_prediction(point, nullptr).costs.servers_at_once;
  };
  EXPECT_EQ(at_once("{kind: parameter-server, placement: cpu}\n"), 0) << "there is one";
  EXPECT_DOUBLE_EQ(at_once("{kind: parameter-server, placement: cpu, shards: 16}\n"), 1);
  EXPECT_EQ(at_once("{kind: parameter-server, placement: sharded-gpus}\n"), 0);
}

// K gradients one by one: 3 passes for each addition; at once: K reads and one write.
TEST(Prediction, SumsAtOnceReadEachGradientOnce) {
  const auto passes = [](const std::string& lines) {
    const auto reduce = [&](const std::string& software) {
      const ExperimentPoint point = point_of("machine: dgx1-p100\nworkers: 8\n" + lines + software);
      return make_prediction(point, nullptr).costs.server_reduce;
    };
    return 3 * reduce("software: {sums_at_once: true}\n") / reduce("software: {}\n");
  };
  EXPECT_NEAR(7 * passes("update: sync\n"), 9, 1e-12);
  EXPECT_NEAR(7 * passes("update: {kind: local-sgd, every: 4}\n"), 9, 1e-12);
  EXPECT_NEAR(3 * passes("update: {kind: k-async, k: 4}\n"), 5, 1e-12);
  EXPECT_NEAR(4 * passes("update: {kind: k-batch-async, k: 4}\n"), 5, 1e-12) << "in a buffer apart";
  EXPECT_NEAR(passes("update: async\n"), 3, 1e-12) << "nothing is added";
}

// On a GPU an update launches a kernel for each tensor, which the worker's layers wait for; on a
// CPU none.
TEST(Prediction, UpdatesLaunchAKernelForEachTensorOnGpus) {
  const auto step_of = [](const std::string& placement, const std::string& kernels) {
    const std::string text =
        "name: p\nmodel: resnet50\nbatch: 32\nmachine: dgx1-p100\nworkers: 1\nlayer_times: "
        "roofline\nsoftware: {kernels: " +
        kernels + "}\naggregation: {kind: parameter-server, bucket: 1 B, placement: " + placement +
        "}\n";
    const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
    return *simulate(make_prediction(point, nullptr)).iteration_mean;
  };
  const int tensors = load_network(Tree::scalar("resnet50")).tensors();
  const double one_by_one = step_of("gpu", "{launch: 50 us, of_update: 1}");
  EXPECT_NEAR(one_by_one - step_of("gpu", "{launch: 50 us}"), 50e-6 * tensors, 1e-3);
  EXPECT_NEAR(step_of("gpu", "{launch: 50 us, of_update: 3}") - one_by_one, 100e-6 * tensors, 1e-3);
  EXPECT_DOUBLE_EQ(step_of("cpu", "{launch: 50 us, of_update: 1}"),
                   step_of("cpu", "{launch: 50 us}"));
}

TEST(Prediction, TheoryIncludesThatGpusDiffer) {
  const ExperimentPoint point = point_of("machine: 7gforce\nworkers: 7\nupdate: async\n");
  const Prediction setting = make_prediction(point, nullptr);
  const double first = setting.costs.arithmetic(0).value();
  const double last = setting.costs.arithmetic(6).value();
  ASSERT_LT(last, 0.99 * first) << "a GTX 1080 among GTX 1070";
  EXPECT_NEAR(*theory_of(setting).iteration_mean, 1 / (6 / first + 1 / last), 1e-9 * first);
}

TEST(Prediction, EachWorkerOfMixedNodesCostsWhatItsOwnGpuCosts) {
  const ExperimentPoint point = point_of(
      "machine: {nodes: [{of: dgx1-v100}, {of: dgx1-p100}], network: infiniband-edr}\n"
      "workers: 3\ngpus: [8, 9, 0]\naggregation: allreduce\n");
  const Prediction setting = make_prediction(point, nullptr);
  const double p100 = setting.costs.arithmetic(0).value();
  EXPECT_DOUBLE_EQ(setting.costs.arithmetic(1).value(), p100);
  EXPECT_LT(setting.costs.arithmetic(2).value(), 0.95 * p100) << "a V100";
  EXPECT_DOUBLE_EQ(setting.costs.memory_slowdown_of(1), 1);
  EXPECT_NEAR(setting.costs.memory_slowdown_of(2), 732.0 / 900.0, 1e-3);
}

TEST(Prediction, TheWindowHoldsAPushOfEachReplica) {
  const ExperimentPoint point = point_of(
      "machine: dgx1-p100\nworkers: 8\nsteps: 1\nwarmup: 0\n"
      "update: {kind: downpour, push_every: 30}\n");
  EXPECT_EQ(make_prediction(point, nullptr).plan.updates, 8);
}

TEST(Prediction, WithoutDevicesEachWorkerHasACard) {
  const ExperimentPoint point =
      point_of("machine: dgx1-p100\nworkers: 3\naggregation: allreduce\n");
  const Prediction setting = make_prediction(point, nullptr);
  for (int worker = 0; worker < 3; ++worker) {
    EXPECT_EQ(setting.vertices[static_cast<std::size_t>(worker)],
              point.machine->gpu_vertex(worker));
  }
  EXPECT_EQ(setting.costs.shared_card, -1);
}

TEST(Prediction, WithoutCostsItHasThePlanOfOneWithThem) {
  const std::string lines = "workers: 4\nupdate: {kind: k-async, k: 2}\nsteps: 20\nwarmup: 2\n";
  const ExperimentPoint here = point_of(lines);
  const ExperimentPoint there = point_of(lines + "machine: ideal\n");
  const Setting without = make_setting(here);
  const Prediction with = make_prediction(there, nullptr);
  EXPECT_EQ(without.plan.workers, with.plan.workers);
  EXPECT_EQ(without.plan.shards, with.plan.shards);
  EXPECT_EQ(without.plan.updates, with.plan.updates);
  EXPECT_EQ(without.plan.gradients, with.plan.gradients);
  EXPECT_EQ(without.plan.cut.buckets.size(), with.plan.cut.buckets.size());
  EXPECT_EQ(without.counting.warmup_gradients, with.counting.warmup_gradients);
  EXPECT_EQ(without.vertices.size(), 5U);
  EXPECT_THROW(make_prediction(here, nullptr), std::runtime_error);
}

// A buffer of 1 MB goes to rank 0, which adds it. The ranks have it and a landing, 3 MB or 4: all
// rows of the table are alike. Each operation is handled for 10 us and starts in 5 us.
TEST(Prediction, ACollectiveOnThisComputerTakesTheRatesOfItsMemory) {
  Profile profile;
  profile.host.cores = 4;
  profile.host.copy_bandwidth = profile.host.memory_bandwidth = BytesPerSecond{1e9};
  profile.host.operation_handling = profile.host.copy_latency = Seconds{1};
  ExchangeProfile exchange;
  exchange.memory = {{Bytes{1e6}, BytesPerSecond{10e9}, BytesPerSecond{5e9}, BytesPerSecond{10e9},
                      BytesPerSecond{5e9}}};
  exchange.handling = Seconds{10e-6};
  exchange.start = Seconds{5e-6};
  profile.exchange = exchange;
  const std::string text =
      "name: c\nmachine: this\nworkers: 2\nworkload: {kind: collective, op: reduce, size: 1 MB}\n";
  const ExperimentPoint point = load_experiment_text("c.yaml", text, {}).points.front();
  const Measurement simulated = simulate(make_prediction(point, &profile));
  const double copy = 10e-6 + 5e-6 + 1e6 / 10e9;
  const double sum = 5e-6 + 1e6 / 5e9;  // handled while the copy runs
  EXPECT_NEAR(simulated.step_mean.value(), copy + sum, 1e-9);
}

// Four GPUs of one model are the octiles 1, 3, 5 and 7 of a normal distribution; one is its median.
TEST(Prediction, GpusOfOneModelDiffer) {
  const auto slowdowns = [](int workers) {
    return make_prediction(
               point_of("machine: dgx1-p100\nsoftware: {gpu_variation: 10 %}\nworkers: " +
                        std::to_string(workers) + "\n"),
               nullptr)
        .costs.slowdown;
  };
  std::vector<double> four = slowdowns(4);
  std::ranges::sort(four);
  const std::vector<double> octiles{1 - 0.115035, 1 - 0.0318639, 1 + 0.0318639, 1 + 0.115035};
  ASSERT_EQ(four.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(four[i], octiles[i], 1e-6);
  EXPECT_EQ(slowdowns(1), std::vector<double>{1});
}

}  // namespace
}  // namespace paceline
