// SPDX-License-Identifier: MIT
// The death of a process ends the point on all others in a bounded time, or the point continues if
// the strategy does not need the workers of that process.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/processes/joint_execution.hpp"
#include "tests/exec/processes/several_groups.hpp"
#include "tests/exec/processes/small_point.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kProcesses = 3;

/// Runs process 0 in this process and the others in child processes; `victim` gets a signal some
/// time after the point has begun.
struct Outcomes {
  Measurement measured;
  std::string failure;  ///< of process 0
  milliseconds duration{0};
  int survivors = 0;  ///< others that exited by themselves with code 0
};

Outcomes run_and_send(const ExperimentFile& file, int victim, int signal,
                      milliseconds silence = milliseconds(5000)) {
  std::vector<Membership> all = memberships(kProcesses);
  for (Membership& one : all) one.silence = silence;
  std::vector<pid_t> children;
  for (int rank = 1; rank < kProcesses; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      {
        Group group(std::move(all[static_cast<std::size_t>(rank)]), "test");
        take_part_in(small_setting(file), group, false);
      }
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
      outcomes.measured = execute_jointly(small_setting(file), group);
    } catch (const std::exception& error) {
      outcomes.failure = error.what();
    }
    outcomes.duration = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
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
  const Outcomes outcomes = run_and_send(small_experiment("allreduce", "sync"), 1, SIGKILL);
  EXPECT_THAT(outcomes.failure,
              AllOf(StartsWith("process 1 ("), HasSubstr("was lost: its connection was closed")));
  EXPECT_LT(outcomes.duration, milliseconds(4000));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, AProcessThatHangsIsLostInABoundedTime) {
  const Outcomes outcomes =
      run_and_send(small_experiment("allreduce", "sync"), 2, SIGSTOP, milliseconds(2000));
  EXPECT_THAT(outcomes.failure,
              AllOf(StartsWith("process 2 ("), HasSubstr("was lost: no heartbeat for 2 s")));
  EXPECT_LT(outcomes.duration, milliseconds(5000));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, AParameterServerGoesOnWithoutThoseWorkers) {
  const Outcomes outcomes = run_and_send(small_experiment("parameter-server", "async"), 2, SIGKILL);
  EXPECT_EQ(outcomes.failure, "");
  EXPECT_EQ(outcomes.measured.failures, 1);
  EXPECT_THAT(outcomes.measured.status,
              AllOf(StartsWith("failed: process 2 ("),
                    HasSubstr("the other processes finished the point without it")));
  EXPECT_EQ(outcomes.measured.updates, 180);  // two workers make the updates of three
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, AnUpdateThatNeedsEveryWorkerEndsThePointAndNamesTheProcess) {
  const Outcomes outcomes = run_and_send(small_experiment("parameter-server", "sync"), 2, SIGKILL);
  EXPECT_THAT(outcomes.failure, AllOf(HasSubstr("worker 2 died (process 2 ("),
                                      HasSubstr("2 of 3 are left and an update takes gradients of "
                                                "3")));
  EXPECT_LT(outcomes.duration, milliseconds(4000));
}

TEST(LossTest, AShardThatIsLostIsNotSurvived) {
  const Outcomes outcomes = run_and_send(
      small_experiment("{kind: parameter-server, placement: hosts}", "async"), 1, SIGKILL);
  EXPECT_THAT(outcomes.failure, StartsWith("process 1 ("));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, ALaterRepeatNeedsThemAll) {
  const Outcomes outcomes =
      run_and_send(small_experiment("parameter-server", "async", "repeats: 2\n"), 2, SIGKILL);
  EXPECT_THAT(outcomes.failure, HasSubstr("process 2 ("));
  EXPECT_EQ(outcomes.survivors, 1);
}

TEST(LossTest, WithoutProcessZeroTheOthersEndInABoundedTime) {
  const ExperimentFile file = small_experiment("parameter-server", "async");
  std::vector<Membership> all = memberships(kProcesses);
  const pid_t leader = fork();
  if (leader == 0) {
    Group group(std::move(all[0]), "test");
    execute_jointly(small_setting(file), group);
    _exit(0);
  }
  all[0] = {};  // used by the child only
  std::vector<std::string> losses(2);
  const auto start = steady_clock::now();
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 0; i < 2; ++i) {
      others.emplace_back([&, i] {
        Group group(std::move(all[i + 1]), "test");
        take_part_in(small_setting(file), group, false);
        losses[i] = group.loss();
      });
    }
    std::this_thread::sleep_for(milliseconds(400));  // into the run of 1200 ms
    kill(leader, SIGKILL);
  }
  EXPECT_LT(steady_clock::now() - start, milliseconds(4000));
  for (const std::string& loss : losses) {
    EXPECT_THAT(loss, AllOf(StartsWith("process 0 ("), HasSubstr("its connection was closed")));
  }
  waitpid(leader, nullptr, 0);
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
    const Setting setting = small_setting(file);
    if (!group.leads()) return take_part_in(setting, group, false);
    measured = execute_jointly(setting, group);
  });
  EXPECT_THAT(measured.status, StartsWith("diverged at update "));
}

}  // namespace
}  // namespace paceline
