// SPDX-License-Identifier: MIT
// Every schedule, with every number of ranks, in any legal order of its operations: each rank ends
// with the right floats, no two operations collide, and the bytes on the wire are the documented
// ones.
#include <tuple>

#include <gtest/gtest.h>

#include "experiments/language/family.hpp"
#include "tests/training/strategies/collectives/contributions.hpp"
#include "tests/training/strategies/shuffled_clock.hpp"
#include "training/strategies/collectives/run_schedule.hpp"

namespace paceline {
namespace {

/// A collective of real buffers that each rank calls `calls` times.
class Collective {
 public:
  Collective(const ScheduleCase& one, int ranks, std::int64_t size, int slices)
      : schedule_(one.make(ranks)), whole_{0, size, 4.0 * static_cast<double>(size)} {
    call_.schedule = schedule_.get();
    call_.slice = whole_;
    call_.slices = slices;
    BufferPlan plan;
    plan.model = {0};
    for (int rank = 0; rank < ranks; ++rank) {
      RoleBuffers& mine = plan.roles.emplace_back();
      mine.part = whole_;
      mine.slots = {{Buffer::weights}, {Buffer::gradient}};
      if (schedule_->landings() > 0)
        mine.slots.push_back({Buffer::landing, 1, landing_size(call_)});
    }
    const std::vector<float> initial(static_cast<std::size_t>(size));
    buffers_.emplace(plan, UpdateRule{optimizer_.part().get(), 1, 1, 1, {}}, initial, 0, store_);
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::int64_t i = 0; i < size; ++i) {
        buffers_->gradient(rank)[static_cast<std::size_t>(i)] = contribution(rank, i);
      }
    }
  }

  /// Returns the bytes copied.
  double run(unsigned seed) {
    ShuffledClock clock(schedule_->ranks(), *buffers_, seed);
    for (RoleId me = 0; me < schedule_->ranks(); ++me) clock.start_role(me, program(clock, me));
    clock.run();
    return clock.bytes();
  }
  std::vector<float> have(int rank, Result result) {
    const std::span<const float> own = buffers_->gradient(rank);
    if (result != Result::transposed) return {own.begin(), own.end()};
    const BufferRef landing{rank, Buffer::landing};
    return with_landed(*schedule_, rank, own, buffers_->open(landing, {0, landing_size(call_), 0}));
  }
  const CollectiveSchedule& schedule() const { return *schedule_; }

 private:
  Task<> program(Backend& backend, RoleId me) {
    CollectiveCall call = call_;
    call.rank = me;
    const Task<Reduced> exchange = run_schedule(call, backend, {});
    const Reduced reduced = co_await exchange;
    co_await backend.finished(me, reduced.summed);
    co_await backend.finished(me, reduced.sent);
  }

  SharedSchedule schedule_;
  Slice whole_;
  CollectiveCall call_;
  Choice<Optimizer> optimizer_{"sgd"};
  HostArrays store_;
  std::optional<Buffers> buffers_;
};

class ConformanceTest : public testing::TestWithParam<std::tuple<ScheduleCase, int>> {};

TEST_P(ConformanceTest, EveryRankEndsWithTheRightFloats) {
  const auto& [one, ranks] = GetParam();
  for (const std::int64_t size : {0, 1, 1009, 32768}) {
    const std::vector<float> sums = sums_of_contributions(ranks, size);
    for (const int slices : {1, 3}) {
      if (slices > 1 && one.result != Result::all_sums) continue;  // parts are those of a slice
      Collective collective(one, ranks, size, slices);
      const double bytes = collective.run(static_cast<unsigned>(size + slices));
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(first_wrong(collective.schedule(), one.result, rank,
                              collective.have(rank, one.result), sums),
                  -1)
            << "of " << size << " parameters in " << slices << " slices, on rank " << rank;
      }
      const double whole = 4.0 * static_cast<double>(size);
      const double times = one.slices_sent(ranks);
      EXPECT_NEAR(bytes, times * whole, 1e-9 * times * whole);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, ConformanceTest,
                         testing::Combine(testing::ValuesIn(every_schedule()),
                                          testing::ValuesIn(every_number_of_ranks())),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_of_" +
                                  std::to_string(std::get<1>(one.param));
                         });

}  // namespace
}  // namespace paceline
