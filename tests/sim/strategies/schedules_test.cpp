// SPDX-License-Identifier: MIT
// The simulated time of every schedule is its closed form where no two transfers share a link.
#include <bit>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/sim/devices/star.hpp"
#include "tests/training/strategies/collectives/msccl_all_pairs.hpp"
#include "tests/training/theory/collective_cost.hpp"
#include "training/strategies/collectives/all_reduce.hpp"
#include "training/strategies/collectives/msccl_program.hpp"
#include "training/strategies/collectives/run_schedule.hpp"
#include "training/strategies/grouping.hpp"

namespace paceline {
namespace {

constexpr double kParameters = 1e6;
constexpr Bytes kSize{4 * kParameters};
// of the star: two links of 1 us, 10 GB/s
const LinkCost kStar{Seconds{2e-6}, BytesPerSecond{10e9}, BytesPerSecond{50e9}};

/// The time of one call on a star.
double time_of(const SharedSchedule& schedule, int slices = 1, Bytes size = kSize) {
  const int ranks = schedule->ranks();
  Costs costs = four_layers();
  costs.worker_reduce = 1 / kStar.reduction.value();
  std::vector<Program> programs;
  for (RoleId rank = 0; rank < ranks; ++rank) {
    CollectiveCall call;
    call.schedule = schedule.get();
    call.rank = rank;
    call.slice = {0, static_cast<std::int64_t>(size.value() / 4), size.value()};
    call.slices = slices;
    programs.push_back([call](Backend& backend) -> Task<> {
      const Task<Reduced> exchange = run_schedule(call, backend, {});
      const Reduced reduced = co_await exchange;
      co_await backend.finished(call.rank, reduced.summed);
      co_await backend.finished(call.rank, reduced.sent);
    });
  }
  return run(star(ranks), costs, programs);
}

struct Timed {
  const char* name;
  SharedSchedule (*make)(int ranks);
  Seconds (*cost)(const LinkCost& link, Bytes size, int ranks);
  bool powers_only;  ///< others have early and late ranks that meet on the links
};
void PrintTo(const Timed& one, std::ostream* out) {
  *out << one.name;
}

std::vector<Timed> timed_schedules() {
  return {
      {"ring", ring, ring_cost, false},
      {"reduce_scatter", [](int ranks) { return ring_reduce_scatter(ranks, 0); },
       reduce_scatter_cost, false},
      {"all_gather", [](int ranks) { return ring_all_gather(ranks, 0); }, all_gather_cost, false},
      {"all_to_all", pairwise_all_to_all, all_gather_cost, false},
      // thread blocks side by side: two exchanges of (P-1)/P n over the rank's own link
      {"all_pairs",
       [](int ranks) {
         return ranks == 1 ? ring(1) : read_msccl_program("", msccl_all_pairs(ranks)).schedule;
       },
       [](const LinkCost& link, Bytes size, int ranks) {
         const Bytes others = size * (static_cast<double>(ranks - 1) / ranks);
         const Seconds exchange = ranks == 1 ? Seconds{} : link.latency + others / link.bandwidth;
         // above 32 ranks no sender knows which chunks are free (block_clocks.hpp): sums land first
         const double passes = ranks > 32 ? 2 : 1;
         return 2 * exchange + passes * (others / link.reduction);
       },
       false},
      {"halving_doubling", halving_doubling, halving_doubling_cost, true},
      {"binomial_trees",
       [](int ranks) { return hierarchical(Grouping::consecutive(ranks, ranks), ring); },
       binomial_cost, true},
      {"groups_of_4", [](int ranks) { return hierarchical(Grouping::consecutive(ranks, 4), ring); },
       [](const LinkCost& link, Bytes size, int ranks) {
         const int group = std::min(ranks, 4);
         return hierarchical_cost(link, size, group, ring_cost(link, size, ranks / group));
       },
       true},
      {"groups_of_2",
       [](int ranks) { return hierarchical(Grouping::consecutive(ranks, 2), halving_doubling); },
       [](const LinkCost& link, Bytes size, int ranks) {
         const int group = std::min(ranks, 2);
         return hierarchical_cost(link, size, group,
                                  halving_doubling_cost(link, size, ranks / group));
       },
       true},
      {"torus_of_2_rows",
       [](int ranks) { return torus(ranks, ranks % 2 == 0 ? ranks / 2 : ranks); },
       [](const LinkCost& link, Bytes size, int ranks) {
         const int rows = ranks % 2 == 0 ? 2 : 1;
         return torus_cost(link, size, ranks / rows, rows);
       },
       false},
  };
}

class ClosedFormTest : public testing::TestWithParam<std::tuple<Timed, int>> {};

TEST_P(ClosedFormTest, IsTheSimulatedTime) {
  const auto& [one, ranks] = GetParam();
  if (one.powers_only && !std::has_single_bit(static_cast<unsigned>(ranks))) return;
  const double expected = one.cost(kStar, kSize, ranks).value();
  EXPECT_NEAR(time_of(one.make(ranks)), expected, 1e-3 * expected);
}

INSTANTIATE_TEST_SUITE_P(Schedules, ClosedFormTest,
                         testing::Combine(testing::ValuesIn(timed_schedules()),
                                          testing::Values(1, 2, 3, 4, 6, 8, 12, 16, 17, 64)),
                         [](const auto& one) {
                           return std::string(std::get<0>(one.param).name) + "_of_" +
                                  std::to_string(std::get<1>(one.param));
                         });

// Steps of the torus of Mikami et al. and of a ring over as many ranks.
TEST(SchedulesTest, ATorusHasFewSteps) {
  EXPECT_EQ(torus(1024, 32)->steps(), 124);
  EXPECT_EQ(ring(1024)->steps(), 2046);
  EXPECT_EQ(torus(48 * 72, 72)->steps(), 236);
}

/// Slices of the default, and the time of the bound 2 n beta.
double times_bound_of_double_tree(int ranks, Bytes size) {
  const Choice<AllReduce> algorithm("double-binary-tree");
  const int slices = algorithm->slices(size.value(), ranks);
  const double bound = 2 * (size / kStar.bandwidth).value();
  return time_of(double_binary_tree(ranks), slices, size) / bound;
}

// A rank's copies to its children and its parents share its link, which is then never idle.
TEST(SchedulesTest, TheDoubleBinaryTreeComesNearItsBound) {
  for (const int ranks : {4, 8, 16, 17, 32}) {
    const double times = times_bound_of_double_tree(ranks, Bytes{64 * 1048576.0});
    EXPECT_GT(times, 1) << ranks;
    EXPECT_LT(times, 1.2) << ranks;
  }
}

// Many ranks, and few bytes for each: 4 log2 P latencies instead of 2 (P - 1).
TEST(SchedulesTest, TheDoubleBinaryTreeIsFasterThanTheRingWhereLatencyCounts) {
  for (const double size : {4096.0, 65536.0, 1048576.0}) {
    const double bound = 2 * (Bytes{size} / kStar.bandwidth).value();
    EXPECT_LT(times_bound_of_double_tree(64, Bytes{size}) * bound,
              time_of(ring(64), 1, Bytes{size}))
        << size;
  }
}

}  // namespace
}  // namespace paceline
