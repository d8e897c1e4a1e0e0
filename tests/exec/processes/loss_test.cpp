// SPDX-License-Identifier: MIT
// A process that dies ends the point on all others in a bounded time, or is survived where the
// strategy goes on without its workers.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/processes/joint_execution.hpp"
#include "tests/exec/host/both_clocks.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kProcesses = 3;

ExperimentFile experiment(const std::string& aggregation, const std::string& update,
                          const std::string& more = "") {
  return load_experiment_text(
      "lost.yaml",
      "name: lost\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 60\nwarmup: 0\nworkers: 3\nprocesses: {count: 3}\n"
      "stragglers: {compute: {kind: constant, value: 20 ms}}\naggregation: " +
          aggregation + "\nupdate: " + update + "\n" + more,
      {});
}

Setting setting_of(const ExperimentFile& file) {
  Profile profile = free_computer(file.points.front());
  profile.tcp.emplace();
  profile.tcp->stream = profile.tcp->together = BytesPerSecond{1e9};
  return make_setting(file.points.front(), &profile);
}

/// Process 0 here, the others as processes of their own, of which `victim` gets a signal some time
/// after the point has begun.
struct Outcomes {
  Measurement measured;
  std::string failure;  ///< of process 0
  milliseconds lasted{0};
  int survivors = 0;  ///< others that ended by themselves with code 0
};

Outcomes run_and_send(const ExperimentFile& file, int victim, int signal) {
  std::vector<Membership> all = memberships(kProcesses);
  std::vector<pid_t> children;
  for (int rank = 1; rank < kProcesses; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      Group group(std::move(all[static_cast<std::size_t>(rank)]), "test");
      take_part_in(setting_of(file), group, false);
      _exit(0);
    }
    children.push_back(child);
  }
  Outcomes outcomes;
  const auto start = steady_clock::now();
  {
    Group group(std::move(all.front()), "test");
    std::jthread killer([&] {
      std::this_thread::sleep_for(milliseconds(400));  // into the run of 1200 ms
      kill(children[static_cast<std::size_t>(victim - 1)], signal);
    });
    try {
      outcomes.measured = execute_jointly(setting_of(file), group);
    } catch (const std::exception& error) {
      outcomes.failure = error.what();
    }
    outcomes.lasted = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
  }
  kill(children[static_cast<std::size_t>(victim - 1)], SIGKILL);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++outcomes.survivors;
  }
  return outcomes;
}

TEST(LossTest, ARingWithoutOneOfItsProcessesEndsOnAll) {
  const Outcomes outcomes = run_and_send(experiment("allreduce", "sync"), 1, SIGKILL);
  EXPECT_THAT(outcomes.failure,
              AllOf(StartsWith("process 1 ("), HasSubstr("was lost: its connection was closed")));
  EXPECT_LT(outcomes.lasted, milliseconds(4000));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, AProcessThatHangsIsLostInABoundedTime) {
  const Outcomes outcomes = run_and_send(experiment("allreduce", "sync"), 2, SIGSTOP);
  EXPECT_THAT(outcomes.failure,
              AllOf(StartsWith("process 2 ("), HasSubstr("was lost: no heartbeat for 5 s")));
  EXPECT_LT(outcomes.lasted, milliseconds(9000));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, AParameterServerGoesOnWithoutThoseWorkers) {
  const Outcomes outcomes = run_and_send(experiment("parameter-server", "async"), 2, SIGKILL);
  EXPECT_EQ(outcomes.failure, "");
  EXPECT_EQ(outcomes.measured.failures, 1);
  EXPECT_EQ(outcomes.measured.updates, 180);  // two workers make what three were to
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, AnUpdateThatNeedsEveryoneEndsThePointAndNamesTheProcess) {
  const Outcomes outcomes = run_and_send(experiment("parameter-server", "sync"), 2, SIGKILL);
  EXPECT_THAT(outcomes.failure, AllOf(HasSubstr("worker 2 died (process 2 ("),
                                      HasSubstr("2 of 3 are left and an update takes gradients of "
                                                "3")));
  EXPECT_LT(outcomes.lasted, milliseconds(4000));
}

TEST(LossTest, AShardThatIsLostIsNotSurvived) {
  const Outcomes outcomes =
      run_and_send(experiment("{kind: parameter-server, placement: hosts}", "async"), 1, SIGKILL);
  EXPECT_THAT(outcomes.failure, StartsWith("process 1 ("));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, ALaterRepeatNeedsThemAll) {
  const Outcomes outcomes =
      run_and_send(experiment("parameter-server", "async", "repeats: 2\n"), 2, SIGKILL);
  EXPECT_THAT(outcomes.failure, HasSubstr("process 2 ("));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, DivergenceOnOneProcessIsTheStatusOnTheFirst) {
  const ExperimentFile file = load_experiment_text(
      "lost.yaml",
      "name: lost\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 200\nwarmup: 0\nworkers: 3\nprocesses: {count: 3}\nupdate: async\n"
      "optimizer: {kind: sgd, learning_rate: 1e6}\ntrain: {evaluate: 10, held_out: 64}\n",
      {});
  Measurement measured;
  run_processes(kProcesses, [&](Group& group) {
    const Setting setting = setting_of(file);
    if (!group.leads()) return take_part_in(setting, group, false);
    measured = execute_jointly(setting, group);
  });
  EXPECT_THAT(measured.status, StartsWith("diverged at update "));
}

}  // namespace
}  // namespace paceline
