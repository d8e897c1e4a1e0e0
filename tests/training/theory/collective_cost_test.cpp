// SPDX-License-Identifier: MIT
#include "tests/training/theory/collective_cost.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using namespace literals;

const LinkCost kLink{20.0_us, 6.25_GBps, 100.0_GBps};

TEST(CollectiveCost, one_worker_has_nothing_to_sum) {
  EXPECT_EQ(ring_cost(kLink, 100_MB, 1), Seconds{0});
  EXPECT_EQ(halving_doubling_cost(kLink, 100_MB, 1), Seconds{0});
  EXPECT_EQ(binomial_cost(kLink, 100_MB, 1), Seconds{0});
  EXPECT_EQ(torus_cost(kLink, 100_MB, 1, 1), Seconds{0});
}

// 3/4 of 100 MB is added at 100 GB/s: 0.75 ms in addition to the transfer time.
TEST(CollectiveCost, sums_take_their_time) {
  const LinkCost free{20.0_us, 6.25_GBps};
  EXPECT_NEAR((ring_cost(kLink, 100_MB, 4) - ring_cost(free, 100_MB, 4)).value(), 0.75e-3, 1e-12);
  EXPECT_NEAR((binomial_cost(kLink, 100_MB, 4) - binomial_cost(free, 100_MB, 4)).value(), 2e-3,
              1e-12);
}

// Three workers need two rounds, like four.
TEST(CollectiveCost, binomial_rounds_up) {
  EXPECT_EQ(binomial_cost(kLink, 1_MB, 3), binomial_cost(kLink, 1_MB, 4));
  EXPECT_LT(binomial_cost(kLink, 1_MB, 4), binomial_cost(kLink, 1_MB, 5));
}

TEST(CollectiveCost, shards_divide_the_servers_traffic) {
  const LinkCost no_latency{Seconds{0}, 6.25_GBps};
  EXPECT_DOUBLE_EQ(parameter_server_cost(no_latency, 100_MB, 8, 4).value(),
                   parameter_server_cost(no_latency, 100_MB, 8).value() / 4);
}

// A torus of one row is a ring, and any torus moves no more bytes than the ring over all workers.
TEST(CollectiveCost, torus_is_a_ring_of_rings) {
  EXPECT_EQ(torus_cost(kLink, 100_MB, 16, 1), ring_cost(kLink, 100_MB, 16));
  const LinkCost no_latency{Seconds{0}, 6.25_GBps};
  EXPECT_NEAR(torus_cost(no_latency, 100_MB, 8, 4) / ring_cost(no_latency, 100_MB, 32), 1, 1e-12);
}

// Without latency a ring keeps every link busy, so the bus bandwidth is the link's, for any P.
TEST(CollectiveCost, ring_reaches_the_bandwidth_of_the_bus) {
  const LinkCost no_latency{Seconds{0}, 6.25_GBps};
  for (const int workers : {2, 3, 8, 100}) {
    const Seconds time = ring_cost(no_latency, 100_MB, workers);
    EXPECT_NEAR(all_reduce_bus_bandwidth(100_MB, time, workers).value(), 6.25e9, 1);
  }
}

}  // namespace
}  // namespace paceline
