// SPDX-License-Identifier: MIT
// Failures on one process outside the run of a point: the other processes are informed, and the
// next point begins in step.
#include "exec/processes/joint_execution.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/processes/remote_roles.hpp"
#include "tests/exec/processes/several_groups.hpp"
#include "tests/exec/processes/small_point.hpp"
#include "training/strategies/parameter_server_messages.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

ExperimentFile short_experiment(const std::string& more = "") {
  return load_experiment_text(
      "short.yaml",
      "name: short\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 10\nwarmup: 0\nworkers: 2\nprocesses: {count: 2}\n"
      "stragglers: {compute: {kind: constant, value: 20 ms}}\n" +
          more,
      {});
}

/// Process 0 aborts a point between two repeats, and all processes then execute the point again.
TEST(JointExecutionTest, APointThatProcessZeroGivesUpEndsOnAllAndTheNextBegins) {
  const ExperimentFile file = short_experiment("repeats: 2\n");
  Measurement measured;
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      take_part_in(setting, group, false);
      return take_part_in(setting, group, false);
    }
    try {
      JointExecution execution(setting, group, false);
      Recorder recorder(setting.counting);
      execution.run(0, recorder);
      throw std::bad_alloc();
    } catch (const std::bad_alloc&) {
    }
    measured = execute_jointly(setting, group);
  });
  EXPECT_EQ(measured.status, "ok");
  EXPECT_EQ(measured.updates, 10);
}

/// Acts as process 1 in a point's only repeat, until it would send its observed events.
void take_part_until_the_end(Group& group) {
  group.agree_with_all({});  // all processes are ready
  group.agree_with_all({});  // all are connected
  group.agree_with_all({});  // the repeat begins
  group.offset_of_leader();
  group.agree({});  // the roles begin
  group.agree({});  // the roles have ended
  group.offset_of_leader();
}

/// The error of process 0 for a point that ends with `end(group)` on process 1. The next point must
/// begin in step.
std::string failure_when(const std::function<void(Group&)>& end) {
  const ExperimentFile file = short_experiment("aggregation: independent\n");
  std::string failure;
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      {
        const RemoteRoles streams(setting.plan, *setting.point->experiment.aggregation, group);
        take_part_until_the_end(group);
        end(group);
      }
      return take_part_in(setting, group, false);
    }
    try {
      execute_jointly(setting, group);
    } catch (const std::runtime_error& error) {
      failure = error.what();
    }
    EXPECT_EQ(execute_jointly(setting, group).status, "ok");
  });
  return failure;
}

TEST(JointExecutionTest, WhatProcessZeroCannotReadFailsThePointOnAllAndTheNextBegins) {
  const std::string failure = failure_when([](Group& group) {
    FrameWriter events(FrameKind::events);
    events.put('x');  // not an event
    group.send(0, events);
    group.send(0, events);  // not an event either, and never received
    const Verdict verdict = group.agree({}).verdict;
    EXPECT_EQ(verdict.kind, Verdict::Kind::failed);
    EXPECT_EQ(verdict.text, "received a truncated frame");
  });
  EXPECT_EQ(failure, "received a truncated frame");
}

TEST(JointExecutionTest, AProcessThatCannotSendWhatItHasObservedSaysWhy) {
  const std::string failure = failure_when([](Group& group) {
    group.agree({Verdict::Kind::failed, "process 1 (b): out of memory"});
  });
  EXPECT_EQ(failure, "process 1 (b): out of memory");
}

TEST(JointExecutionTest, AProcessThatCannotTakePartSaysWhyAndTheNextPointBegins) {
  const ExperimentFile file = short_experiment("aggregation: independent\n");
  std::string failure;
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      decline(group, "no NVIDIA GPU on this computer");
      return take_part_in(setting, group, false);
    }
    try {
      execute_jointly(setting, group);
    } catch (const std::runtime_error& error) {
      failure = error.what();
    }
    EXPECT_EQ(execute_jointly(setting, group).status, "ok");
  });
  EXPECT_THAT(failure, AllOf(testing::StartsWith("process 1 ("),
                             HasSubstr("): no NVIDIA GPU on this computer")));
}

/// A process that takes part in one point and is then ended by an exception.
std::jthread leaves_after_a_point(const ExperimentFile& file, Membership& membership) {
  return std::jthread([&file, &membership] {
    try {
      Group group(std::move(membership), "test");
      take_part_in(small_setting(file), group, false);
      throw std::runtime_error("the profile cannot be read");
    } catch (const std::runtime_error&) {
    }
  });
}

TEST(JointExecutionTest, AProcessThatEndsBetweenTwoPointsIsNotMeasuredWithout) {
  const ExperimentFile file = short_experiment("aggregation: parameter-server\nupdate: async\n");
  std::string failure;
  std::vector<Membership> all = memberships(2);
  const std::jthread second = leaves_after_a_point(file, all[1]);
  Group group(std::move(all[0]), "test");
  EXPECT_EQ(execute_jointly(small_setting(file), group).status, "ok");
  try {
    execute_jointly(small_setting(file), group);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  EXPECT_THAT(failure, AllOf(HasSubstr("process 1 ("), HasSubstr("its connection was closed")));
}

TEST(JointExecutionTest, AProcessThatIsLostAfterTheLastRepeatHasDoneItsPart) {
  const ExperimentFile file = short_experiment("aggregation: parameter-server\nupdate: async\n");
  std::vector<Membership> all = memberships(2);
  const std::jthread second = leaves_after_a_point(file, all[1]);
  Group group(std::move(all[0]), "test");
  const Setting setting = small_setting(file);
  JointExecution execution(setting, group, false);
  Recorder recorder(setting.counting);
  execution.run(0, recorder);
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);  // returns when it is lost
  EXPECT_NE(group.loss(), "");
  EXPECT_EQ(execution.loss(), "");
}

/// Sends a frame repeatedly until destroyed.
class Nuisance {
 public:
  Nuisance(Group& group, int to, FrameWriter frame)
      : thread_([&group, to, frame = std::move(frame)](const std::stop_token& enough) {
          while (!enough.stop_requested()) {
            group.send(to, frame);
            std::this_thread::sleep_for(milliseconds(2));
          }
        }) {}

 private:
  std::jthread thread_;
};

FrameWriter stop_of(std::uint32_t run) {
  FrameWriter stop(FrameKind::stop);
  stop.put(run).put(Verdict::Kind::failed).put_text("over");
  return stop;
}

TEST(JointExecutionTest, AStopThatComesLateDoesNotMeetTheNextPoint) {
  const ExperimentFile file = short_experiment();
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      take_part_in(setting, group, false);
      const Nuisance late(group, 0, stop_of(1));
      return take_part_in(setting, group, false);
    }
    EXPECT_EQ(execute_jointly(setting, group).status, "ok");
    EXPECT_EQ(execute_jointly(setting, group).status, "ok");
  });
}

TEST(JointExecutionTest, AStopInTimeEndsTheRun) {
  const ExperimentFile file = short_experiment();
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      const Nuisance now(group, 0, stop_of(1));
      return take_part_in(setting, group, false);
    }
    try {
      execute_jointly(setting, group);
      ADD_FAILURE() << "it was stopped";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "over");
    }
  });
}

/// The loss that process 0 reports if process 1 sends it a message for role `to` in its first run.
std::string loss_after(RoleId to, const Message& message) {
  const ExperimentFile file = short_experiment("aggregation: parameter-server\nupdate: sync\n");
  std::string loss;
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      FrameWriter frame(FrameKind::message);
      frame.put(std::uint32_t{1}).put(std::int64_t{0}).put(to).put(message);
      const Nuisance nuisance(group, 0, std::move(frame));
      return take_part_in(setting, group, false);
    }
    try {
      execute_jointly(setting, group);
    } catch (const std::runtime_error&) {  // process 1 was lost
    }
    loss = group.loss();
  });
  return loss;
}

TEST(JointExecutionTest, MessagesThatNoRoleSendsAreRefused) {
  using parameter_server::Gradient;
  using parameter_server::Kinds;
  using parameter_server::Weights;
  constexpr RoleId kServer = 2;
  const auto refused = HasSubstr("was lost: received an invalid message of kind ");
  EXPECT_THAT(loss_after(1, Kinds::make(1, Gradient{})), refused);  // role 1 runs in process 1
  EXPECT_THAT(loss_after(3, Kinds::make(1, Gradient{})), refused);  // there is no role 3
  EXPECT_THAT(loss_after(0, Kinds::make(1, Gradient{})), refused);  // not to a worker
  EXPECT_THAT(loss_after(kServer, Kinds::make(99, Gradient{})), refused);
  EXPECT_THAT(loss_after(kServer, Kinds::make(0, Gradient{})), refused);  // of process 0's own role
  EXPECT_THAT(loss_after(kServer, Kinds::make(1, Back{2})), refused);     // of another worker
  EXPECT_THAT(loss_after(0, Kinds::make(1, Weights{})), refused);         // only servers send them
  Message unknown;
  unknown.from = 1;
  unknown.kind = 99;
  EXPECT_THAT(loss_after(kServer, unknown), refused);
}

/// A dataset of which worker 1 cannot draw step 3.
struct Unreadable final : Dataset {
  std::shared_ptr<const Dataset> whole;
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override {
    if (worker == 1 && step == 3) throw std::runtime_error("the disk is gone");
    whole->draw(input, classes, seed, worker, step, inputs, targets);
  }
};

TEST(JointExecutionTest, TheCauseOfADeathReachesTheProcessThatDecides) {
  ExperimentFile file =
      short_experiment("aggregation: parameter-server\nupdate: sync\ntrain: {held_out: 8}\n");
  Choice<Dataset>& dataset = file.points.front().experiment.train->dataset;
  const auto unreadable = std::make_shared<Unreadable>();
  unreadable->whole = dataset.part();
  dataset = Choice<Dataset>(dataset.row(), unreadable);
  std::string error;
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) return take_part_in(setting, group, false);
    try {
      execute_jointly(setting, group);
    } catch (const std::runtime_error& failure) {
      error = failure.what();
    }
  });
  EXPECT_EQ(error,
            "worker 1 died (the disk is gone), 1 of 2 are left and an update takes gradients of 2");
}

}  // namespace
}  // namespace paceline
