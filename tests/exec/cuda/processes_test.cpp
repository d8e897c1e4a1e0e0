// SPDX-License-Identifier: MIT
// Several processes with GPUs of their own compute what one process with as many GPUs computes.
#include <atomic>

#include <gmock/gmock.h>

#include "exec/cuda/cuda_roles.hpp"
#include "exec/cuda/facts.hpp"
#include "exec/processes/joint_execution.hpp"
#include "tests/exec/cuda/points.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ProcessesTest : public PointsTest<2> {};
class FourProcessesTest : public PointsTest<4> {};

std::string processes(int count) {
  return "processes: {count: " + std::to_string(count) + "}\n";
}

/// The measurement of process 0. `begin(group)` is called in each process before the point.
Measurement on_processes(
    int count, const ExperimentFile& file, const std::function<void(Group&)>& begin = [](Group&) {},
    const AcceleratorFacts& facts = read_facts()) {
  const MakeOwnRoles make = own_roles_on_gpus(facts, "");
  Measurement measured;
  run_processes(count, [&](Group& group) {
    begin(group);
    const Setting setting = make_setting(file.points.front());
    if (!group.leads()) return take_part_in(setting, group, false, make);
    try {
      measured = execute_jointly(setting, group, false, make);
    } catch (const std::exception& error) {
      measured.status = error.what();
    }
  });
  return measured;
}

/// To the bit on the emulation; a real GPU's libraries choose algorithms by their times.
void expect_same_losses(const Measurement& one, const Measurement& other) {
  const double tolerance = emulated() ? 0 : 1e-3;
  ASSERT_EQ(one.curve.size(), other.curve.size());
  for (std::size_t i = 0; i < one.curve.size(); ++i)
    EXPECT_NEAR(one.curve[i].loss, other.curve[i].loss, tolerance * one.curve[i].loss);
}

/// In 2 processes, and in as many as workers.
void expect_as_one_process(int workers, const std::string& strategy) {
  const Measurement one = execute(experiment(workers, strategy));
  ASSERT_EQ(one.status, "ok") << strategy;
  for (int count = 2; count <= workers; count *= 2) {
    const Measurement all = on_processes(count, experiment(workers, strategy + processes(count)));
    EXPECT_EQ(all.status, "ok") << workers << " workers, " << strategy << processes(count);
    EXPECT_EQ(all.updates, one.updates) << workers << " workers, " << strategy << processes(count);
    SCOPED_TRACE(std::to_string(workers) + " workers, " + strategy + processes(count));
    expect_same_losses(one, all);
  }
}

TEST_F(ProcessesTest, NcclSumsOverAllProcesses) {
  expect_as_one_process(2, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  expect_as_one_process(
      2, "aggregation: {kind: allreduce, algorithm: nccl, compression: fp16, bucket: 200 B}\n");
}

std::string schedule(const std::string& algorithm) {
  return "aggregation: {kind: allreduce, bucket: 200 B, algorithm: " + algorithm + "}\n";
}

TEST_F(ProcessesTest, SchedulesCopyBetweenProcesses) {
  for (const char* algorithm : {"ring", "halving-doubling", "double-binary-tree"})
    expect_as_one_process(2, schedule(algorithm));
}

TEST_F(FourProcessesTest, ComputeAsOneToo) {
  for (const char* algorithm : {"nccl", "ring", "halving-doubling", "double-binary-tree"})
    expect_as_one_process(4, schedule(algorithm));
  expect_as_one_process(4, "aggregation: {kind: allreduce, compression: fp16}\n");
  expect_as_one_process(4, "aggregation: allreduce\nupdate: local-sgd\n");
}

// the sum of two gradients does not depend on their order
TEST_F(ProcessesTest, ServersHaveWorkersInOtherProcesses) {
  for (const char* placement : {"cpu", "gpu", "hosts", "cpu, shards: 2, bucket: 200 B",
                                "gpu, compression: fp16", "gpu, staged: true"}) {
    expect_as_one_process(2, "aggregation: {kind: parameter-server, placement: " +
                                 std::string(placement) + "}\nupdate: sync\n");
  }
  expect_as_one_process(2, "aggregation: {kind: replicated, placement: gpu}\nupdate: sync\n");
  expect_as_one_process(2, "aggregation: peer-to-peer\nupdate: sync\n");
}

// more floats than two parts of the pinned memory that stages copies
TEST_F(ProcessesTest, CopiesAreStagedInParts) {
  const std::string large = "model: {kind: mlp, inputs: 1500, hidden: [1600], classes: 4}\n";
  const std::string rest =
      "name: large\nmachine: this\nbatch: 1\nsteps: 1\nwarmup: 0\ntrain: {evaluate: 1, held_out: "
      "8}\noptimizer: {kind: sgd, learning_rate: 1e-4}\nworkers: 2\nupdate: sync\n";
  for (const char* aggregation : {"{kind: parameter-server, placement: gpu}", "allreduce"}) {
    const std::string text = large + rest + "aggregation: " + aggregation + "\n";
    const Measurement one = execute(load_experiment_text("large.yaml", text, {}));
    const Measurement two =
        on_processes(2, load_experiment_text("large.yaml", text + processes(2), {}));
    EXPECT_EQ(two.status, "ok") << aggregation;
    expect_same_losses(one, two);
  }
}

/// Calls `act` when worker 1 draws mini-batch 3. Worker 0 does not draw mini-batch 5 before.
struct Watched final : Dataset {
  std::shared_ptr<const Dataset> whole;
  std::function<void()> act;
  mutable std::atomic<bool> acted{false};
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override {
    if (worker == 0 && step == 5) acted.wait(false);
    if (worker == 1 && step == 3 && !acted) {
      act();
      acted = true;
      acted.notify_all();
    }
    whole->draw(input, classes, seed, worker, step, inputs, targets);
  }
};

/// A point of two workers in two processes.
ExperimentFile watched_experiment(const std::string& strategy, const std::function<void()>& act) {
  ExperimentFile file = experiment(2, strategy + processes(2));
  Choice<Dataset>& dataset = file.points.front().experiment.train->dataset;
  const auto watched = std::make_shared<Watched>();
  watched->whole = dataset.part();
  watched->act = act;
  dataset = Choice<Dataset>(dataset.row(), watched);
  return file;
}

/// Process 1 breaks its connection to process 0 during the point.
Measurement without_process_1(const std::string& strategy) {
  std::atomic<Group*> lost{nullptr};
  const ExperimentFile file = watched_experiment(strategy, [&lost] {
    if (Group* group = lost.exchange(nullptr)) group->note_broken(0, "this test ends it");
  });
  return on_processes(2, file, [&lost](Group& group) {
    if (!group.leads()) lost = &group;
  });
}

TEST_F(ProcessesTest, ALostProcessEndsThePoint) {
  for (const char* algorithm : {"nccl", "ring"}) {
    const Measurement left = without_process_1(
        "aggregation: {kind: allreduce, algorithm: " + std::string(algorithm) + "}\n");
    EXPECT_THAT(left.status, AllOf(StartsWith("process 1 ("), HasSubstr("was lost: it")))
        << algorithm;
  }
}

TEST_F(ProcessesTest, AServerGoesOnWithoutALostProcess) {
  const Measurement left = without_process_1("aggregation: parameter-server\nupdate: async\n");
  EXPECT_THAT(left.status, AllOf(StartsWith("failed: process 1 ("),
                                 HasSubstr("the other processes finished the point without it")));
}

TEST_F(ProcessesTest, AFaultOnOneGpuEndsThePointAndIsNamed) {
  if (!emulated()) GTEST_SKIP() << "real GPUs do not fail on demand";
  for (const char* aggregation : {"{kind: allreduce, algorithm: nccl}", "allreduce",
                                  "{kind: parameter-server, placement: gpu}"}) {
    restart_devices(2);
    const ExperimentFile file =
        watched_experiment("aggregation: " + std::string(aggregation) + "\nupdate: sync\n",
                           [] { fail_next_kernel(1); });
    EXPECT_THAT(on_processes(2, file).status,
                AllOf(HasSubstr("process 1 ("), HasSubstr("illegal memory access")))
        << aggregation;
  }
}

AcceleratorFacts one_gpu() {
  AcceleratorFacts facts = read_facts();
  facts.gpus.resize(1);
  return facts;
}

TEST_F(ProcessesTest, EveryWorkerNeedsItsOwnGpu) {
  const Measurement refused = on_processes(
      2, experiment(2, "aggregation: allreduce\n" + processes(2)), [](Group&) {}, one_gpu());
  EXPECT_THAT(refused.status,
              AllOf(HasSubstr("has the same GPU ("), HasSubstr("every worker needs its own")));
}

/// The reason why process 0 of two cannot run its part.
std::string reason(const std::string& more, const AcceleratorFacts& facts = read_facts()) {
  const ExperimentFile file = experiment(4, more + processes(2));
  std::string why;
  run_processes(2, [&](Group& group) {
    if (group.leads()) why = not_executable_in(group, file.points.front(), facts);
  });
  return why;
}

TEST_F(ProcessesTest, AProcessNamesItsGpus) {
  EXPECT_EQ(reason("aggregation: allreduce\n", one_gpu()), "2 workers in one process and 1 GPU");
}

TEST_F(ProcessesTest, WorkersOfAComputerHaveItsGpusInOrder) {
  const ExperimentFile file = experiment(4, "aggregation: allreduce\n" + processes(2));
  const Plan plan = plan_of_roles(file.points.front());
  std::vector<std::vector<int>> all(2), own(2);
  run_processes(2, [&](Group& group) {
    const auto rank = static_cast<std::size_t>(group.rank());
    AcceleratorFacts facts = one_gpu();
    facts.gpus.resize(4, facts.gpus.front());
    all[rank] = gpus_of(plan, group, facts);
    facts.gpus.resize(2);  // the launcher shows each process its own
    own[rank] = gpus_of(plan, group, facts);
  });
  EXPECT_EQ(all, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(own, (std::vector<std::vector<int>>{{0, 1}, {0, 1}}));
}

TEST_F(ProcessesTest, AServerNeedsAGpuOfItsProcess) {
  EXPECT_EQ(reason("aggregation: {kind: parameter-server, placement: gpu}\nupdate: sync\n"), "");
  EXPECT_EQ(
      reason("aggregation: {kind: parameter-server, placement: sharded-gpus}\nupdate: sync\n"),
      "server 2 would run on a GPU of another process (use placement: gpu, cpu or hosts, or one "
      "process)");
}

}  // namespace
}  // namespace paceline::cuda
