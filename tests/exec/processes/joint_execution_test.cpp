// SPDX-License-Identifier: MIT
// What goes wrong on one process beside the run of a point: the others are told, and the next point
// begins in step.
#include "exec/processes/joint_execution.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/processes/remote_roles.hpp"
#include "tests/exec/processes/several_groups.hpp"
#include "tests/exec/processes/small_point.hpp"

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

/// Process 0 gives a point up between two repeats, and all execute it once more.
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

/// Does as process 1 does in a point's only repeat, up to when it sends what it has observed.
void take_part_until_the_end(Group& group) {
  group.agree_with_all({});  // all is ready
  group.agree_with_all({});  // and connected
  group.agree_with_all({});  // the repeat begins
  group.offset_of_leader();
  group.agree({});  // its roles begin
  group.agree({});  // and have ended
  group.offset_of_leader();
}

/// What process 0 says of a point whose end is `end(group)` on process 1. The next one is in step.
std::string failure_when(const std::function<void(Group&)>& end) {
  const ExperimentFile file = short_experiment("aggregation: independent\n");
  std::string failure;
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      {
        const RemoteRoles streams(setting.plan, group);
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
    events.put('x');  // that is no event
    group.send(0, events);
    group.send(0, events);  // nor is that, which nobody comes to read
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

TEST(JointExecutionTest, AProcessThatEndsBetweenTwoPointsIsNotMeasuredWithout) {
  const ExperimentFile file = short_experiment("aggregation: parameter-server\nupdate: async\n");
  std::string failure;
  std::vector<Membership> all = memberships(2);
  std::jthread second([&] {
    try {
      Group group(std::move(all[1]), "test");
      take_part_in(small_setting(file), group, false);
      throw std::runtime_error("the profile cannot be read");
    } catch (const std::runtime_error&) {
    }
  });
  Group group(std::move(all[0]), "test");
  EXPECT_EQ(execute_jointly(small_setting(file), group).status, "ok");
  try {
    execute_jointly(small_setting(file), group);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  EXPECT_THAT(failure, AllOf(HasSubstr("process 1 ("), HasSubstr("its connection was closed")));
}

/// Sends a frame again and again, until it ends.
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

/// What process 0 says of a message that process 1 sends to role `to` of it in its first run.
std::string said_of(RoleId to, const Message& message) {
  const ExperimentFile file = short_experiment("aggregation: parameter-server\nupdate: sync\n");
  std::string said;
  run_processes(2, [&](Group& group) {
    const Setting setting = small_setting(file);
    if (!group.leads()) {
      FrameWriter frame(FrameKind::message);
      frame.put(std::uint32_t{1}).put(std::int64_t{0}).put(to).put(message).put_text("");
      const Nuisance nuisance(group, 0, std::move(frame));
      return take_part_in(setting, group, false);
    }
    try {
      execute_jointly(setting, group);
    } catch (const std::runtime_error&) {  // process 1 was lost
    }
    said = group.loss();
  });
  return said;
}

TEST(JointExecutionTest, MessagesThatNoRoleSendsAreNotBelieved) {
  constexpr RoleId kServer = 2;
  const auto refused = HasSubstr("was lost: received an invalid message of kind ");
  Message message;
  message.kind = Message::Kind::fetch;
  message.from = message.worker = 1;
  EXPECT_THAT(said_of(1, message), refused);  // that one runs in process 1
  EXPECT_THAT(said_of(3, message), refused);  // there is none
  message.from = 99;
  EXPECT_THAT(said_of(kServer, message), refused);
  message.from = 0;  // that is process 0's
  EXPECT_THAT(said_of(kServer, message), refused);
  message.from = 1;
  message.worker = 2;
  EXPECT_THAT(said_of(kServer, message), refused);
  message.worker = 1;
  message.kind = Message::Kind::weights;  // a server's
  EXPECT_THAT(said_of(0, message), refused);
  message.kind = static_cast<Message::Kind>(99);
  EXPECT_THAT(said_of(0, message), refused);
}

}  // namespace
}  // namespace paceline
