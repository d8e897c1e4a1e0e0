// SPDX-License-Identifier: MIT
#include "tests/training/theory/queue.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

// The closed form X = (1 - p0) / s with 1/p0 = sum P!/(P-k)! (s/c)^k gives the same value.
TEST(ServerQueue, mean_value_analysis_is_the_closed_form) {
  for (const int workers : {1, 2, 5, 30}) {
    for (const double service : {0.01, 0.3, 4.0}) {
      double term = 1;
      double sum = 1;
      for (int k = 1; k <= workers; ++k) {
        term *= (workers - k + 1) * service;
        sum += term;
      }
      EXPECT_NEAR(queue_throughput(workers, Seconds{1}, Seconds{service}), (1 - 1 / sum) / service,
                  1e-12 / service);
    }
  }
}

// The factorials of the closed form would overflow.
TEST(ServerQueue, many_workers_saturate_the_server) {
  EXPECT_NEAR(queue_throughput(1000, Seconds{1}, Seconds{0.1}), 10, 1e-9);
}

TEST(ServerQueue, free_server_and_free_compute_are_limits) {
  EXPECT_DOUBLE_EQ(queue_throughput(8, Seconds{2}, Seconds{0}), 4);
  EXPECT_DOUBLE_EQ(queue_throughput(8, Seconds{0}, Seconds{0.5}), 2);
}

}  // namespace
}  // namespace paceline
