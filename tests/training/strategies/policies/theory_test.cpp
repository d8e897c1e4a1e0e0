// SPDX-License-Identifier: MIT
// The theory of every policy, against values known otherwise.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/training/theory/theory_of.hpp"
#include "tests/training/workload/stragglers/example.hpp"

namespace paceline {
namespace {

const char* const kShifted = "{kind: shifted-exponential, shift: 1 s, mean: 2 s}";

Stragglers late(const std::string& text) {
  return {read_straggler(text), {}, {}, {}};
}

// Arithmetic on top of the draw and a shift within it are the same thing.
TEST(Theory, arithmetic_counts_like_a_shift) {
  const Stragglers shifted = late(kShifted);
  const Stragglers exponential = late("{kind: exponential, mean: 1 s}");
  for (const char* policy :
       {"sync", "k-sync", "k-batch-sync", "async", "k-async", "k-batch-async"}) {
    const auto a = theory_of(with_k(policy, 4), 8, Seconds{0}, shifted).value();
    const auto b = theory_of(with_k(policy, 4), 8, Seconds{1}, exponential).value();
    EXPECT_NEAR(a.iteration / b.iteration, 1, 1e-12) << policy;
    EXPECT_EQ(a.bound, b.bound) << policy;
    EXPECT_EQ(a.staleness, b.staleness) << policy;
  }
}

// 1 + Exp(1), K = 4 of 8: a simulation of 2e5 updates gives 1.239; the bound is E[X_{4:8}].
TEST(Theory, k_async_is_bounded_where_new_is_longer_than_used) {
  const auto between = theory_of("{kind: k-async, k: 4}", 8, Seconds{0}, late(kShifted)).value();
  EXPECT_TRUE(between.bound);
  EXPECT_NEAR(between.iteration.value(), 1.63452, 1e-5);
  EXPECT_EQ(between.staleness, 1);
}

// At its ends k-async is another policy: of one, async (simulated: 0.2494); of all, sync.
TEST(Theory, k_async_is_exact_at_both_ends) {
  const auto one = theory_of("{kind: k-async, k: 1}", 8, Seconds{0}, late(kShifted)).value();
  EXPECT_FALSE(one.bound);
  EXPECT_NEAR(one.iteration.value(), 0.25, 1e-12);
  EXPECT_EQ(one.staleness, 7);
  const auto all = theory_of("{kind: k-async, k: 8}", 8, Seconds{0}, late(kShifted)).value();
  EXPECT_FALSE(all.bound);
  EXPECT_EQ(all.iteration, theory_of("sync", 8, Seconds{0}, late(kShifted))->iteration);
  EXPECT_EQ(all.staleness, 0);
}

TEST(Theory, k_batch_sync_is_bounded_by_the_first_k_learners) {
  const auto bounded =
      theory_of("{kind: k-batch-sync, k: 4}", 8, Seconds{0}, late(kShifted)).value();
  EXPECT_TRUE(bounded.bound);
  EXPECT_EQ(bounded.iteration,
            theory_of("{kind: k-sync, k: 4}", 8, Seconds{0}, late(kShifted))->iteration);
  EXPECT_FALSE(theory_of("{kind: k-batch-sync, k: 1}", 8, Seconds{0}, late(kShifted))->bound);
}

TEST(Theory, is_empty_where_no_closed_form_is_known) {
  const Stragglers heavy = late("{kind: lognormal, mean: 1 s, cv: 2}");
  EXPECT_FALSE(theory_of("{kind: k-async, k: 4}", 8, Seconds{1}, heavy));
  EXPECT_TRUE(theory_of("{kind: k-sync, k: 4}", 8, Seconds{1}, heavy));
  EXPECT_FALSE(theory_of("adasync", 8, Seconds{1}, heavy));  // its K changes
  EXPECT_FALSE(theory_of("adasync", 8, Seconds{1}, Stragglers{}));
  EXPECT_FALSE(theory_of("sync", 8, Seconds{0}, Stragglers{}));  // takes no time at all
  const Stragglers pareto = late("{kind: pareto, minimum: 1 s, shape: 1}");
  EXPECT_FALSE(theory_of("sync", 8, Seconds{1}, pareto));
  EXPECT_FALSE(theory_of("async", 8, Seconds{1}, pareto));
  EXPECT_TRUE(theory_of("{kind: k-sync, k: 7}", 8, Seconds{1},
                        pareto));  // the very slowest is not waited for
}

TEST(Theory, without_stragglers_takes_the_arithmetic) {
  const Stragglers none;
  EXPECT_EQ(theory_of("sync", 8, Seconds{0.5}, none)->iteration, Seconds{0.5});
  EXPECT_DOUBLE_EQ(theory_of("async", 8, Seconds{0.5}, none)->iteration.value(), 0.5 / 8);
  EXPECT_EQ(theory_of("async", 8, Seconds{0.5}, none)->staleness, 7);
}

// A worker twice as slow: sync waits for it, k-sync need not, async loses half of one worker.
TEST(Theory, a_slow_worker_delays_only_policies_that_wait) {
  Stragglers one_slow;
  one_slow.workers[3].slowdown = 2;
  EXPECT_NEAR(theory_of("sync", 4, Seconds{1}, one_slow)->iteration.value(), 2, 1e-12);
  EXPECT_NEAR(theory_of("{kind: k-sync, k: 3}", 4, Seconds{1}, one_slow)->iteration.value(), 1,
              1e-12);
  const auto async = theory_of("async", 4, Seconds{1}, one_slow).value();
  EXPECT_NEAR(async.iteration.value(), 1 / 3.5, 1e-12);
  EXPECT_EQ(async.staleness, 3);
  EXPECT_FALSE(theory_of("{kind: k-async, k: 2}", 4, Seconds{1}, one_slow));
  // Worker 3 is not among two workers.
  EXPECT_EQ(theory_of("sync", 2, Seconds{1}, one_slow)->iteration, Seconds{1});
  // There is nothing to slow down where the arithmetic takes no time.
  one_slow.compute = read_straggler("{kind: exponential, mean: 1 s}");
  EXPECT_NEAR(theory_of("sync", 4, Seconds{0}, one_slow)->iteration.value(), 25.0 / 12, 1e-11);
}

// Slack 0 is bulk-synchronous; with more no worker begins later, and without bound it is async.
TEST(Theory, ssp_lies_between_sync_and_async) {
  const Stragglers exponential = late("{kind: exponential, mean: 1 s}");
  const auto ssp = [&](int slack) {
    const std::string update = "{kind: ssp, slack: " + std::to_string(slack) + "}";
    return theory_of(update, 8, Seconds{0}, exponential).value();
  };
  EXPECT_FALSE(ssp(0).bound);
  EXPECT_NEAR(ssp(0).iteration.value(), 2.717857142857143 / 8, 1e-12);
  EXPECT_TRUE(ssp(3).bound);
  EXPECT_EQ(ssp(3).iteration, ssp(0).iteration);
  // Simulated, 8 workers: 0.5565 mini-batches a second and worker at slack 1 (0.3679 at 0).
  EXPECT_LT(1 / (8 * 0.5565), ssp(1).iteration.value());
  EXPECT_FALSE(ssp(3).staleness);
}

// 1, 1, 1 and 2 s: whatever the slack, in the long run all keep the pace of the slowest.
TEST(Theory, ssp_without_chance_keeps_the_pace_of_the_slowest) {
  Stragglers one_slow;
  one_slow.workers[2].slowdown = 2;
  const auto ssp = theory_of("{kind: ssp, slack: 5}", 4, Seconds{1}, one_slow);
  EXPECT_FALSE(ssp->bound);
  EXPECT_NEAR(1 / (4 * ssp->iteration.value()), 0.5, 1e-12);
}

TEST(Theory, local_steps_wait_for_the_slowest_of_sums) {
  const auto every = [](int steps, const Stragglers& stragglers, Seconds compute) {
    const std::string update = "{kind: local-sgd, every: " + std::to_string(steps) + "}";
    return theory_of(update, 8, compute, stragglers).value();
  };
  const Stragglers shifted = late(kShifted);
  EXPECT_FALSE(every(1, shifted, Seconds{0}).bound);
  EXPECT_NEAR(every(1, shifted, Seconds{0}).iteration.value(), 3.717857142857143, 1e-11);
  EXPECT_TRUE(every(4, shifted, Seconds{0}).bound);
  EXPECT_NEAR(every(4, shifted, Seconds{0}).iteration.value(), 4 * 3.717857142857143, 1e-10);
  EXPECT_FALSE(every(4, Stragglers{}, Seconds{1}).bound);
  EXPECT_NEAR(every(4, Stragglers{}, Seconds{1}).iteration.value(), 4, 1e-12);
}

TEST(Theory, downpour_pushes_at_the_rate_of_its_mini_batches) {
  const auto downpour = theory_of("{kind: downpour, push_every: 3}", 8, Seconds{1}, late(kShifted));
  EXPECT_NEAR(downpour->iteration.value(), 3 * 3.0 / 8, 1e-12);
  EXPECT_FALSE(downpour->bound);
  EXPECT_FALSE(downpour->staleness);
}

// Slow spells: a result for one mini-batch of each worker, or for all of one worker's, holds; one
// that depends on which worker is slow at the moment does not.
TEST(Theory, lasting_spells_leave_what_looks_at_one_step) {
  const Stragglers markov = late(
      "{kind: markov, usual: {kind: constant, value: 1 s}, slow: {kind: constant, value: 5 s}, "
      "enter: 5 %, leave: 20 %}");
  const double all_usual = std::pow(0.8, 4);
  EXPECT_NEAR(theory_of("sync", 4, Seconds{0}, markov)->iteration.value(), 5 - 4 * all_usual, 1e-9);
  EXPECT_NEAR(theory_of("{kind: k-sync, k: 1}", 4, Seconds{0}, markov)->iteration.value(),
              1 + 4 * std::pow(0.2, 4), 1e-9);
  EXPECT_NEAR(theory_of("async", 4, Seconds{0}, markov)->iteration.value(), 1.8 / 4, 1e-12);
  EXPECT_TRUE(theory_of("{kind: k-batch-sync, k: 1}", 4, Seconds{0}, markov));
  EXPECT_FALSE(theory_of("{kind: k-batch-sync, k: 2}", 4, Seconds{0}, markov));
  EXPECT_FALSE(theory_of("{kind: k-async, k: 2}", 4, Seconds{0}, markov));
}

TEST(Theory, is_empty_for_workers_that_fail) {
  Stragglers mortal = late(kShifted);
  mortal.failures = Failures{Seconds{60}, Seconds{2}};
  EXPECT_FALSE(theory_of("sync", 8, Seconds{0}, mortal));
}

}  // namespace
}  // namespace paceline
