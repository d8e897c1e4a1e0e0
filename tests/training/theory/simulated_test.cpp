// SPDX-License-Identifier: MIT
// The theory compared with a bare event loop: P learners, a queue of their completion times, no
// communication. It is small enough to be read as the definition of the policies.
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/training/theory/theory_of.hpp"
#include "tests/training/workload/stragglers/example.hpp"

namespace paceline {
namespace {

struct Simulated {
  double iteration = 0;
  double staleness = 0;
};

/// `updates` updates of K gradients of P learners. A learner waits for its update; in the batch
/// variants it continues at once, and the synchronous variants restart all learners at an update.
Simulated simulate(const std::string& policy, int workers, int k, int updates,
                   const Stragglers& stragglers, Seconds compute) {
  using Done = std::pair<double, int>;  // time, learner
  std::priority_queue<Done, std::vector<Done>, std::greater<>> running;
  std::vector<std::uint64_t> steps(static_cast<std::size_t>(workers));
  std::vector<int> version(static_cast<std::size_t>(workers));
  double now = 0;
  int applied = 0;
  const auto start = [&](int worker) {
    const auto at = static_cast<std::size_t>(worker);
    const Seconds arithmetic = compute * stragglers.slowdown(worker);
    const Draw draw{11, 0, static_cast<std::uint32_t>(worker), steps[at]++};
    const Seconds delay = stragglers.delay(Phase::forward, draw, arithmetic);
    version[at] = applied;
    running.emplace(now + (delay + arithmetic).value(), worker);
  };
  for (int worker = 0; worker < workers; ++worker) start(worker);
  double stale = 0;
  std::vector<int> gathered;
  while (applied < updates) {
    const auto [time, worker] = running.top();
    running.pop();
    now = time;
    gathered.push_back(worker);
    stale += applied - version[static_cast<std::size_t>(worker)];
    const bool complete = static_cast<int>(gathered.size()) == k;
    if (complete) ++applied;
    const bool restarts = policy == "k-batch-sync" || policy == "k-sync" || policy == "sync";
    if (restarts && complete) {
      running = {};
      for (int each = 0; each < workers; ++each) start(each);
    } else if (policy == "k-async" && complete) {
      for (const int each : gathered) start(each);
    } else if (policy.find("batch") != std::string::npos) {
      start(worker);
    }
    if (complete) gathered.clear();
  }
  return {now / updates, stale / (static_cast<double>(updates) * k)};
}

class Theories : public testing::TestWithParam<std::pair<const char*, int>> {};
INSTANTIATE_TEST_SUITE_P(Simulated, Theories,
                         testing::Values(std::pair{"sync", 8}, std::pair{"k-sync", 3},
                                         std::pair{"k-async", 1}, std::pair{"k-async", 3},
                                         std::pair{"k-async", 8}, std::pair{"k-batch-async", 1},
                                         std::pair{"k-batch-async", 3},
                                         std::pair{"k-batch-sync", 1},
                                         std::pair{"k-batch-sync", 3}));

// 1e4 updates of 8 learners, one of them slow: all noise is within 4 %. A bound may be above by any
// amount.
TEST_P(Theories, agree_with_a_bare_event_loop) {
  const auto& [policy, k] = GetParam();
  for (const char* text :
       {"{kind: exponential, mean: 1 s}", "{kind: shifted-exponential, shift: 1 s, mean: 2 s}",
        "{kind: gamma, mean: 1 s, cv: 0.5}", "{kind: exponential, mean: 1 s, applies: total}",
        "{kind: lognormal, mean: 1 s, cv: 0.7}", "{kind: normal, mean: 1 s, deviation: 0.6 s}",
        "{kind: weibull, scale: 1 s, shape: 2}",
        "{kind: mixture, parts: [{share: 80 %, time: {kind: constant, value: 0.5 s}}, "
        "{share: 20 %, time: {kind: uniform, low: 2 s, high: 4 s}}]}",
        "{kind: markov, usual: {kind: constant, value: 0.5 s}, slow: {kind: gamma, mean: 2 s, cv: "
        "0.5}, enter: 10 %, leave: 30 %}"}) {
    for (const double slowdown : {1.0, 3.0}) {
      Stragglers stragglers{read_straggler(text), {}, {}, {}};
      stragglers.workers[2].slowdown = slowdown;
      for (const Seconds compute : {Seconds{0}, Seconds{0.7}}) {
        const auto expected = theory_of(with_k(policy, k), 8, compute, stragglers);
        if (!expected) continue;
        const Simulated found = simulate(policy, 8, k, 10000, stragglers, compute);
        EXPECT_LT(found.iteration, expected->iteration.value() * 1.04) << text << " x " << slowdown;
        if (!expected->bound) {
          EXPECT_GT(found.iteration, expected->iteration.value() * 0.96)
              << text << " x " << slowdown;
        }
        EXPECT_NEAR(found.staleness, expected->staleness.value(), 0.02)
            << text << " x " << slowdown;
      }
    }
  }
}

}  // namespace
}  // namespace paceline
