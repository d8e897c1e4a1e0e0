// SPDX-License-Identifier: MIT
// The operations that a rank queues for a schedule.
#include "training/strategies/collectives/run_schedule.hpp"

#include <gmock/gmock.h>

#include "tests/training/strategies/scripted_backend.hpp"
#include "tests/training/strategies/twelve_parameters.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

TEST(RingScheduleTest, EachRankSendsAChunkAStepAndAddsUpTheFirstHalf) {
  constexpr int kRanks = 3;
  const Plan plan = plan_of(kRanks, 0);
  const SharedSchedule schedule = ring(kRanks);
  ScriptedBackend backend(kRanks, {0, 1, 2});
  const auto reduces = [&](RoleId me) -> Task<> {
    CollectiveCall call;
    call.schedule = schedule.get();
    call.rank = me;
    call.slice = plan.whole();
    const Task<Reduced> exchange = run_schedule(call, backend, Token{});
    co_await exchange;
  };
  for (RoleId me = 0; me < kRanks; ++me) backend.start(me, reduces(me));
  backend.end_all();
  for (RoleId me = 0; me < kRanks; ++me) {
    std::vector<std::int64_t> chunks;
    for (int step = 1; step <= 2 * (kRanks - 1); ++step) {
      const auto& copy =
          backend.command<Command::Copy>(backend.nth<Command::Copy>(step, push_of(me)));
      EXPECT_EQ(copy.to.role, (me + 1) % kRanks);
      EXPECT_EQ(copy.to.buffer, step < kRanks ? Buffer::landing : Buffer::gradient);
      chunks.push_back(copy.slice.begin / 4);
    }
    EXPECT_THAT(chunks, ElementsAre(me, (me + 2) % 3, (me + 1) % 3, me));
    EXPECT_EQ(backend.count<Command::Reduce>(push_of(me)), kRanks - 1);
  }
}

std::string error_of(const std::string& aggregation) {
  try {
    load_experiment_text("sum.yaml",
                         "name: sum\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\n"
                         "workers: 6\naggregation: " +
                             aggregation + "\n",
                         {});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(AllReduceTest, ATorusHasAsManyWorkersInEveryRow) {
  EXPECT_EQ(error_of("{kind: allreduce, algorithm: {kind: torus, columns: 4}}"),
            "sum.yaml:4:14: error: 6 workers do not fill rows of 4 columns");
  EXPECT_EQ(error_of("{kind: allreduce, algorithm: {kind: torus, columns: 3}}"), "");
  EXPECT_EQ(error_of("{kind: allreduce, algorithm: torus}"), "");
}

}  // namespace
}  // namespace paceline
