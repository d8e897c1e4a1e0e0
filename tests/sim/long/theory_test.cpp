// SPDX-License-Identifier: MIT
// The simulator compared with closed forms: order statistics, run times and staleness of every
// policy, on an ideal machine, from at least 100,000 updates. Values: Dutta et al. 2018
// (arXiv:1803.01113) and Little's law, as in docs/model.md; the same rows as
// tests/training/theory/checks.csv.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/devices/simulated_machine.hpp"
#include "sim/simulate.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline {
namespace {

// The messages of a queue's customers and its server.
struct Ready {};
struct Served {};
struct Stop {};
using Words = MessageKinds<Ready, Served, Stop>;

struct Case {
  std::string update;
  int workers;
  std::string delay;   ///< a straggler distribution
  double iteration_s;  ///< expected
  bool bound;          ///< an upper bound only
  double staleness;    ///< expected mean
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.update << " P=" << c.workers << " " << c.delay;
}

Measurement simulated(const Case& c, int gradients_per_update) {
  // A round is P/K updates. With more workers, the time of an update varies less.
  const std::int64_t updates = std::clamp<std::int64_t>(3'000'000 / c.workers, 101'000, 400'000);
  const std::int64_t steps = updates * gradients_per_update / c.workers + 1;
  const std::string text =
      "name: theory\nmodel: {kind: synthetic, compute: 0 s, gradient: 4 B}\n"
      "machine: ideal\nsoftware: ideal\nwarmup: 100\nsteps: " +
      std::to_string(steps) + "\nworkers: " + std::to_string(c.workers) + "\nupdate: " + c.update +
      "\nstragglers: {compute: " + c.delay + "}\n";
  const ExperimentFile file = load_experiment_text("theory.yaml", text, {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

/// The expectation of the largest of `count` sums of `terms` exponentials of mean 1.
double expected_slowest_gamma(int terms, int count) {
  double sum = 0;
  constexpr double kStep = 1e-3;
  for (double t = kStep / 2; t < 60; t += kStep) {
    double term = 1, below = 0;  // P(sum > t) is a Poisson tail
    for (int i = 0; i < terms; ++i) {
      below += term;
      term *= t / (i + 1);
    }
    sum += (1 - std::pow(1 - below * std::exp(-t), count)) * kStep;
  }
  return sum;
}

/// Workers compute for an exponential time of mean 1 and then queue for one server with exponential
/// service times.
double queue_rate(int workers, Seconds service) {
  constexpr std::int64_t kServed = 200'000;
  const Machine machine = ideal(workers);
  Costs costs;
  costs.forward = costs.backward = {Seconds{0}};
  SimulatedMachine clock(machine, costs, std::vector<int>(static_cast<std::size_t>(workers) + 1, 0),
                         workers, nullptr);
  Backend& backend = clock;
  Instant ended;
  const auto exponential = [](Purpose purpose, int worker, std::int64_t step) {
    return -std::log(uniform(1, 0, purpose, static_cast<std::uint32_t>(worker),
                             static_cast<std::uint64_t>(step)));
  };
  const auto customer = [&](RoleId me) -> Task<> {
    for (std::int64_t step = 0;; ++step) {
      const Token computed =
          backend.delay({me, StreamKind::compute},
                        Seconds{exponential(Purpose::straggler, me, step)}, {me, step});
      backend.send(workers, Words::make(me, Ready{}), computed);
      const Message answer = co_await backend.receive(me);
      if (answer.kind == Words::number_of<Stop>()) co_return;
    }
  };
  const auto server = [&]() -> Task<> {
    for (std::int64_t served = 1; served <= kServed; ++served) {
      const Message customer_ready = co_await backend.receive(workers);
      const Token done = backend.delay({workers, StreamKind::compute},
                                       service * exponential(Purpose::noise, 0, served), {});
      co_await backend.finished(workers, done);
      backend.send(customer_ready.from, Words::make(workers, Served{}));
    }
    ended = backend.now();
    for (RoleId worker = 0; worker < workers; ++worker) {
      backend.send(worker, Words::make(workers, Stop{}));
    }
  };
  for (RoleId worker = 0; worker < workers; ++worker) clock.start_role(worker, customer(worker));
  clock.start_role(workers, server());
  clock.run();
  return static_cast<double>(kServed) / (ended - Instant{}).value();
}

class TheoryTest : public testing::TestWithParam<Case> {};

TEST_P(TheoryTest, SimulationMeetsTheClosedForm) {
  const Case& c = GetParam();
  const std::size_t k_at = c.update.find("k: ");
  const int k = k_at != std::string::npos ? std::stoi(c.update.substr(k_at + 3))
                                          : (c.update == "sync" ? c.workers : 1);
  const Measurement got = simulated(c, k);
  EXPECT_GE(*got.updates, 100'000);
  if (c.bound) {
    EXPECT_LE(*got.iteration_mean, c.iteration_s);
    EXPECT_GT(*got.iteration_mean, 0.1 * c.iteration_s);
  } else {
    EXPECT_NEAR(*got.iteration_mean / c.iteration_s, 1, 0.005);
  }
  EXPECT_NEAR(*got.staleness_mean, c.staleness, std::max(0.02, 0.01 * c.staleness));
}

constexpr const char* kExp = "{kind: exponential, mean: 1 s}";
constexpr const char* kShifted = "{kind: shifted-exponential, shift: 1 s, mean: 2 s}";
constexpr const char* kShiftedHalf = "{kind: shifted-exponential, shift: 1 s, mean: 3 s}";
constexpr const char* kUniform = "{kind: uniform, low: 1 s, high: 3 s}";
constexpr const char* kGamma3 = "{kind: gamma, mean: 1 s, cv: 0.3}";
constexpr const char* kGamma1 = "{kind: gamma, mean: 1 s, cv: 0.1}";
constexpr const char* kPareto = "{kind: pareto, minimum: 1 s, shape: 3}";

INSTANTIATE_TEST_SUITE_P(
    ClosedForms, TheoryTest,
    testing::Values(
        // E[X_{K:P}] = (H_P - H_{P-K}) / mu
        Case{"{kind: k-sync, k: 1}", 20, kExp, 0.05, false, 0},
        Case{"{kind: k-sync, k: 10}", 20, kExp, 0.668771, false, 0},
        Case{"sync", 20, kExp, 3.59774, false, 0}, Case{"sync", 8, kExp, 2.71786, false, 0},
        Case{"{kind: k-sync, k: 4}", 8, kExp, 0.634524, false, 0},
        Case{"{kind: k-sync, k: 1}", 8, kExp, 0.125, false, 0},
        Case{"{kind: k-sync, k: 5}", 20, kExp, 0.279511, false, 0},
        Case{"sync", 30, kExp, 3.99499, false, 0},
        Case{"{kind: k-sync, k: 96}", 100, kExp, 3.10404, false, 0},
        Case{"{kind: k-sync, k: 50}", 52, kExp, 3.03804, false, 0},
        Case{"sync", 8, kShifted, 3.71786, false, 0},
        Case{"{kind: k-sync, k: 4}", 8, kShifted, 1.63452, false, 0},
        Case{"sync", 20, kShiftedHalf, 8.19548, false, 0},
        Case{"sync", 8, kUniform, 2.77778, false, 0},
        Case{"{kind: k-sync, k: 4}", 8, kUniform, 1.88889, false, 0},
        Case{"sync", 8, kPareto, 2.74583, false, 0},
        Case{"{kind: k-sync, k: 7}", 8, kPareto, 1.83055, false, 0},
        // K-async: exact for exponential times, a bound where a new draw is longer than an old rest
        Case{"{kind: k-async, k: 1}", 8, kExp, 0.125, false, 7},
        Case{"{kind: k-async, k: 4}", 8, kExp, 0.634524, false, 1},
        Case{"{kind: k-async, k: 8}", 8, kExp, 2.71786, false, 0},
        Case{"{kind: k-async, k: 5}", 20, kExp, 0.279511, false, 3},
        Case{"{kind: k-async, k: 4}", 8, kShifted, 1.63452, true, 1},
        Case{"{kind: k-async, k: 1}", 8, kShifted, 1.125, true, 7},
        // K-batch-sync: K / (P mu) for exponential times, a bound else
        Case{"{kind: k-batch-sync, k: 1}", 8, kExp, 0.125, false, 0},
        Case{"{kind: k-batch-sync, k: 4}", 8, kExp, 0.5, false, 0},
        Case{"{kind: k-batch-sync, k: 8}", 8, kExp, 1, false, 0},
        Case{"{kind: k-batch-sync, k: 5}", 20, kExp, 0.25, false, 0},
        Case{"{kind: k-batch-sync, k: 4}", 8, kShifted, 1.63452, true, 0},
        // K-batch-async: K E[X] / P and (P - 1) / K whatever the distribution
        Case{"{kind: k-batch-async, k: 1}", 8, kExp, 0.125, false, 7},
        Case{"{kind: k-batch-async, k: 4}", 8, kExp, 0.5, false, 1.75},
        Case{"{kind: k-batch-async, k: 8}", 8, kExp, 1, false, 0.875},
        Case{"{kind: k-batch-async, k: 5}", 20, kExp, 0.25, false, 3.8},
        Case{"{kind: k-batch-async, k: 4}", 8, kShifted, 1, false, 1.75},
        Case{"{kind: k-batch-async, k: 1}", 8, kShifted, 0.25, false, 7},
        // n-softsync of 30 learners (n = 1, 15, 30): staleness near n whatever the distribution
        Case{"{kind: k-batch-async, k: 30}", 30, kExp, 1, false, 29.0 / 30},
        Case{"{kind: k-batch-async, k: 2}", 30, kExp, 2.0 / 30, false, 14.5},
        Case{"{kind: k-batch-async, k: 1}", 30, kExp, 1.0 / 30, false, 29},
        Case{"{kind: k-batch-async, k: 30}", 30, kGamma3, 1, false, 29.0 / 30},
        Case{"{kind: k-batch-async, k: 2}", 30, kGamma3, 2.0 / 30, false, 14.5},
        Case{"{kind: k-batch-async, k: 1}", 30, kGamma1, 1.0 / 30, false, 29},
        // async: E[X] / P whatever the distribution, so that sync / async = P E[X_{P:P}] / E[X]
        Case{"async", 2, kExp, 0.5, false, 1}, Case{"async", 8, kExp, 0.125, false, 7},
        Case{"async", 64, kExp, 1.0 / 64, false, 63}, Case{"sync", 64, kExp, 4.743891, false, 0},
        Case{"async", 8, kShifted, 0.25, false, 7}, Case{"async", 8, kPareto, 1.5 / 8, false, 7}));

/// Iterations per second of one worker.
double ssp_rate(int slack, int workers, const std::string& stragglers, std::int64_t updates) {
  const std::string text =
      "name: ssp\nmodel: {kind: synthetic, compute: 0 s, gradient: 4 B}\n"
      "machine: ideal\nsoftware: ideal\nwarmup: 500\nsteps: " +
      std::to_string(updates / workers) + "\nworkers: " + std::to_string(workers) +
      "\nupdate: {kind: ssp, slack: " + std::to_string(slack) + "}\nstragglers: " + stragglers +
      "\n";
  const ExperimentFile file = load_experiment_text("ssp.yaml", text, {});
  return 1 / (*simulate(make_prediction(file.points.front(), nullptr)).iteration_mean * workers);
}

// Ho et al. 2013: slack 0 is bulk-synchronous, 1 / E[X_{P:P}]. Between this and E[X] = 1 no closed
// form is known: the values are from an independent simulation of the rule with 800,000 updates.
TEST(Ssp, RatesOfEightExponentialWorkers) {
  const std::string stragglers = std::string("{compute: ") + kExp + "}";
  EXPECT_NEAR(ssp_rate(0, 8, stragglers, 400'000) / 0.367937, 1, 0.01);
  EXPECT_NEAR(ssp_rate(1, 8, stragglers, 400'000) / 0.55647, 1, 0.01);
  EXPECT_NEAR(ssp_rate(3, 8, stragglers, 400'000) / 0.723633, 1, 0.01);
  EXPECT_NEAR(ssp_rate(10, 8, stragglers, 400'000) / 0.882692, 1, 0.01);
  EXPECT_NEAR(ssp_rate(100, 8, stragglers, 1'600'000) / 0.986274, 1, 0.01);
}

TEST(Ssp, NoWorkerIsFasterForLongThanTheSlowest) {
  // 1, 1, 1 and 2 seconds: the three fast workers soon are `slack` ahead and then wait all the
  // time.
  const std::string text =
      "name: ssp\nmodel: {kind: synthetic, compute: 1 s, gradient: 4 B}\n"
      "machine: ideal\nsoftware: ideal\nwarmup: 100\nsteps: 25000\nworkers: 4\n"
      "update: {kind: ssp, slack: 5}\nstragglers: {workers: {3: {slowdown: 2}}}\n";
  const ExperimentFile file = load_experiment_text("ssp.yaml", text, {});
  const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
  EXPECT_NEAR(1 / (*got.iteration_mean * 4), 0.5, 0.005);
}

TEST(LocalSgd, DelaysEvenOutBetweenAverages) {
  const auto iteration = [](int every) {
    const std::string text =
        "name: local\nmodel: {kind: synthetic, compute: 0 s, gradient: 4 B}\n"
        "machine: ideal\nsoftware: ideal\nwarmup: 10\nsteps: " +
        std::to_string(50'000 * every) +
        "\nworkers: 8\naggregation: allreduce\nupdate: {kind: local-sgd, every: " +
        std::to_string(every) + "}\nstragglers: {compute: " + kExp + "}\n";
    const ExperimentFile file = load_experiment_text("local.yaml", text, {});
    return *simulate(make_prediction(file.points.front(), nullptr)).iteration_mean;
  };
  EXPECT_NEAR(iteration(1) / 2.71786, 1, 0.01);
  // The slowest of 8 sums of 4 exponentials: E[max of 8 Gamma(4)] by quadrature.
  EXPECT_NEAR(iteration(4) / expected_slowest_gamma(4, 8), 1, 0.01);
}

TEST(Downpour, NoReplicaWaitsAndWeightsAreAMiniBatchOld) {
  for (const int push_every : {1, 3}) {
    const std::string text =
        "name: downpour\nmodel: {kind: synthetic, compute: 0 s, gradient: 4 B}\n"
        "machine: ideal\nsoftware: ideal\nwarmup: 500\nsteps: " +
        std::to_string(15'000 * push_every) +
        "\nworkers: 8\nupdate: {kind: downpour, push_every: " + std::to_string(push_every) +
        "}\nstragglers: {compute: " + kExp + "}\n";
    const ExperimentFile file = load_experiment_text("downpour.yaml", text, {});
    const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
    EXPECT_GE(*got.updates, 100'000);
    EXPECT_NEAR(*got.iteration_mean / (push_every / 8.0), 1, 0.005);
    if (push_every == 1) {
      EXPECT_NEAR(*got.staleness_mean, 15, 0.15);  // 2P - 1
    }
  }
}

/// Updates per second of an asynchronous server that serves one gradient at a time, with
/// exponential service times: a closed queue M/M/1//P (theory/queue.hpp).
TEST(Queue, ServerThatServesInTurn) {
  struct Server {
    int workers;
    double service;
    double rate;
  };
  for (const Server& server : {Server{8, 0.1, 6.61682}, Server{8, 0.2, 4.64976},
                               Server{16, 0.1, 9.77698}, Server{4, 0.5, 1.80952}}) {
    EXPECT_NEAR(queue_rate(server.workers, Seconds{server.service}) / server.rate, 1, 0.01)
        << server.workers << " workers, service " << server.service;
  }
}

}  // namespace
}  // namespace paceline
