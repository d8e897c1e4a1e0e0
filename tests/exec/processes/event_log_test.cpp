// SPDX-License-Identifier: MIT
#include "exec/processes/event_log.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/results/metrics/recorder.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

class HandClock final : public TimeSource {
 public:
  std::int64_t ps = 0;
  Instant now() const override { return {ps}; }
  void sleep(Instant, const std::function<bool()>&) override {}
  void wake() override {}
};

/// Records the events that it receives, as text.
class TextObserver final : public Observer {
 public:
  std::vector<std::string> lines;
  void begun(RoleId worker, std::int64_t step, Instant at) override {
    add("begun", worker, step, at.ps);
  }
  void span(WorkId work, Activity activity, Instant begin, Instant end) override {
    add(activity == Activity::wait ? "wait" : "span", work.worker, work.step, begin.ps, end.ps);
  }
  void gradient_computed(WorkId work, Instant at, double loss) override {
    add("gradient", work.worker, work.step, at.ps, loss);
  }
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override {
    add("accepted", worker, step, computed, applied);
  }
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override {
    add("cancelled", worker, step, version, at.ps);
  }
  void updated(RoleId role, std::int64_t version, Instant at) override {
    add("updated", role, version, at.ps);
  }
  void died(RoleId worker, Instant at) override { add("died", worker, at.ps); }
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    add("operation", stream.role, command.as<Command::Copy>()->to.role, begin.ps, end.ps);
  }
  void part(WorkId work, LayerRange layers, Instant begin, Instant end) override {
    add("part", work.worker, layers.first, begin.ps, end.ps);
  }

 private:
  template <class... Words>
  void add(const Words&... words) {
    std::ostringstream line;
    ((line << words << ' '), ...);
    std::string text = line.str();
    text.pop_back();
    lines.push_back(text);
  }
};

TEST(EventLogTest, AReplayReportsEveryEventUnchanged) {
  HandClock clock;
  EventLog log(clock, {}, true);
  Command::Copy to_server;
  to_server.to.role = 4;
  const Command copy{{}, to_server};
  log.begun(1, 7, {100});
  log.span({1, 7}, Activity::wait, {10}, {20});
  log.part({1, 7}, {Pass::forward, 3, 4}, {20}, {25});
  log.gradient_computed({1, 7}, {30}, 0.5);
  log.operation({1, StreamKind::push}, copy, {31}, {32});
  log.accepted(1, 7, 2, 3);
  log.cancelled(2, 6, 3, {40});
  log.updated(4, 4, {41});
  log.died(2, {42});
  TextObserver observer;
  const std::array<EventLog::Events, 1> logs{log.events()};
  replay(logs, observer);
  EXPECT_THAT(observer.lines,
              ElementsAre("begun 1 7 100", "wait 1 7 10 20", "part 1 3 20 25",
                          "gradient 1 7 30 0.5", "operation 1 4 31 32", "accepted 1 7 2 3",
                          "cancelled 2 6 3 40", "updated 4 4 41", "died 2 42"));
}

TEST(EventLogTest, CopiesAreKeptOnlyForATrace) {
  HandClock clock;
  EventLog log(clock, {}, false);
  log.operation({0, StreamKind::push}, {}, {1}, {2});
  EXPECT_TRUE(log.events().events.empty());
  EXPECT_FALSE(log.observes_parts());
}

TEST(EventLogTest, LogsAreMergedByTime) {
  HandClock first;
  HandClock second;
  EventLog a(first, {}, false);
  EventLog b(second, {}, false);
  for (const std::int64_t at : {10, 30, 50}) {
    first.ps = at;
    a.begun(0, at, {at});
  }
  for (const std::int64_t at : {20, 30, 40}) {
    second.ps = at;
    b.begun(1, at, {at});
  }
  TextObserver observer;
  const std::array<EventLog::Events, 2> logs{a.events(), b.events()};
  replay(logs, observer);
  EXPECT_THAT(observer.lines, ElementsAre("begun 0 10 10", "begun 1 20 20", "begun 0 30 30",
                                          "begun 1 30 30", "begun 1 40 40", "begun 0 50 50"));
}

TEST(EventLogTest, WhatFollowsFromAMessageComesAfterItThoughItsClockIsBehind) {
  HandClock ahead;
  HandClock behind;
  ahead.ps = 1000;
  behind.ps = 400;
  EventLog worker(ahead, {}, false);
  EventLog server(behind, {}, false);
  worker.gradient_computed({0, 0}, {1000}, 1);
  server.follow(worker.stamp());
  server.accepted(0, 0, 0, 0);
  server.updated(2, 1, {401});
  TextObserver observer;
  const std::array<EventLog::Events, 2> logs{server.events(), worker.events()};
  replay(logs, observer);
  EXPECT_THAT(observer.lines,
              ElementsAre("gradient 0 0 1000 1", "accepted 0 0 0 0", "updated 2 1 401"));
}

TEST(EventLogTest, ALossBeyondTheBoundEndsTheRunAndIsKept) {
  HandClock clock;
  EventLog log(clock, 2.0, false);
  EXPECT_NO_THROW(log.gradient_computed({0, 0}, {1}, 1.5));
  EXPECT_THROW(log.gradient_computed({0, 1}, {2}, 2.5), Diverged);
  EXPECT_THROW(log.gradient_computed({0, 2}, {3}, std::nan("")), Diverged);
  EXPECT_EQ(log.events().events.size(), 3U);
}

TEST(EventLogTest, AClockThatDriftsIsCorrectedInProportion) {
  HandClock clock;
  EventLog log(clock, {}, false);
  clock.ps = 1'000'000'000;
  log.begun(0, 0, {0});
  log.begun(0, 1, {500'000'000});
  log.begun(0, 2, {1'000'000'000});
  log.correct(50, {1'000'000'000});  // 50 ns in one millisecond
  std::vector<std::int64_t> at;
  for (const EventLog::Event& event : log.events().events) at.push_back(event.end_ps);
  EXPECT_THAT(at, ElementsAre(0, 500'025'000, 1'000'050'000));
}

TEST(EventLogTest, ADriftThatIsCorrectedLeavesEffectsBehindTheirCauses) {
  HandClock ahead;
  HandClock other;
  EventLog worker(ahead, {}, false);
  EventLog server(other, {}, false);
  ahead.ps = 1'000'000;
  other.ps = 990'000;
  worker.gradient_computed({0, 0}, {1'000'000}, 1);
  server.follow(worker.stamp());
  server.accepted(0, 0, 0, 0);
  other.ps = 1'000'100;
  server.updated(2, 1, {1'000'100});
  server.correct(-1, {1'000'100});  // by -1000 ps: the update is then before the gradient
  TextObserver observer;
  const std::array<EventLog::Events, 2> logs{server.events(), worker.events()};
  replay(logs, observer);
  EXPECT_THAT(observer.lines,
              ElementsAre("gradient 0 0 1000000 1", "accepted 0 0 0 0", "updated 2 1 999100"));
}

}  // namespace
}  // namespace paceline
