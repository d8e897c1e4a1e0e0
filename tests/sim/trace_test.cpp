// SPDX-License-Identifier: MIT
// The spans of simulated runs. One run is computed by hand, to the picosecond; for all others the
// sums of the spans must equal the columns of results.csv.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/simulate.hpp"
#include "training/results/trace/critical_path.hpp"
#include "training/results/trace/idle.hpp"
#include "training/results/trace/link_load.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

/// Two workers and a server on one switch; 10 GB/s and 1 us per link, 3 ms forward and 6 ms
/// backward in two equal layers, 10 MB of gradient, worker 1 slower by a half.
constexpr const char* kSmall = R"(name: small
model: {kind: synthetic, compute: 9 ms, gradient: 10 MB, tensors: 2}
machine:
  gpus: [{model: p100-sxm2, count: 2}]
  host: {cores: 1, memory_bandwidth: 100 GB/s}
  vertices: [{kind: network-switch, names: [switch]}]
  link_types: {port: {kind: ethernet, bandwidth: 10 GB/s, latency: 1 us, source: test}}
  links: [{type: port, from: switch, to: [cpu0, gpu0, gpu1]}]
software: ideal
workers: 2
aggregation: {kind: parameter-server, overlap: false}
stragglers: {workers: {1: {slowdown: 1.5}}}
steps: 3
warmup: 1
)";

struct Traced {
  std::unique_ptr<ExperimentFile> file;  ///< the setting points into it
  Prediction setting;
  Measurement measurement;
  Trace trace;
};

Traced run(const std::string& text, std::size_t most = SpanRecorder::kMostSpans) {
  Traced traced;
  traced.file = std::make_unique<ExperimentFile>(load_experiment_text("small.yaml", text, {}));
  traced.setting = make_prediction(traced.file->points.front(), nullptr);
  SpanRecorder spans(most);
  traced.setting.spans = &spans;
  traced.measurement = simulate(traced.setting);
  traced.trace = spans.trace();
  traced.setting.spans = nullptr;
  return traced;
}

/// Microseconds from the first update of the window.
double us(const Trace& trace, Instant at) {
  return (at - trace.begin).value() * 1e6;
}

using Line = std::tuple<SpanKind, RoleId, StreamKind, double, double>;

std::vector<Line> lines_of(const Trace& trace, Instant from, Instant to) {
  std::vector<Line> lines;
  for (const Span& span : trace.spans) {
    if (span.begin < from || span.end > to || span.end == from) continue;
    lines.emplace_back(span.kind, span.stream.role, span.stream.kind,
                       std::round(us(trace, span.begin) * 1e3) / 1e3,
                       std::round(us(trace, span.end) * 1e3) / 1e3);
  }
  return lines;
}

TEST(SimulatedTrace, HasTheSpansOfAStepByHand) {
  const Traced traced_run = run(kSmall);
  const Trace& trace = traced_run.trace;
  const Instant second = trace.begin + Seconds{*traced_run.measurement.iteration_mean};
  const auto part = SpanKind::part, whole = SpanKind::compute, copy = SpanKind::copy;
  const auto compute = StreamKind::compute, push = StreamKind::push, fetch = StreamKind::fetch;
  EXPECT_THAT(
      lines_of(trace, trace.begin, second),
      ElementsAre(Line{copy, 0, fetch, 0, 2002},  // both at once over one link
                  Line{copy, 1, fetch, 0, 2002}, Line{part, 0, compute, 2002, 3502},
                  Line{part, 0, compute, 3502, 5002},
                  Line{whole, 0, compute, 2002, 5002},  // forward
                  Line{part, 1, compute, 2002, 4252}, Line{part, 1, compute, 4252, 6502},
                  Line{whole, 1, compute, 2002, 6502},  // slower by a half
                  Line{part, 0, compute, 5002, 8002}, Line{part, 0, compute, 8002, 11002},
                  Line{whole, 0, compute, 5002, 11002},  // backward
                  Line{copy, 0, push, 11002, 12004}, Line{part, 1, compute, 6502, 11002},
                  Line{part, 1, compute, 11002, 15502}, Line{whole, 1, compute, 6502, 15502},
                  Line{copy, 1, push, 15502, 16504}, Line{SpanKind::wait, 0, compute, 12004, 16504},
                  Line{SpanKind::sum, 2, compute, 16504, 16804},
                  Line{SpanKind::update, 2, compute, 16804, 17104}));
  const Span& backward = trace.spans[10];
  EXPECT_EQ(backward.layers.pass, Pass::backward);
  EXPECT_EQ(backward.work.step, 1);
  EXPECT_EQ(trace.spans[8].layers.first, 1);  // the last layer comes first
  EXPECT_EQ(trace.spans[9].layers.first, 0);
  EXPECT_EQ(trace.spans[0].bytes, 10e6);
  EXPECT_EQ(trace.spans[0].from, 2);
  EXPECT_EQ(trace.spans[0].to, 0);
  EXPECT_FALSE(trace.cut);
  ASSERT_GE(trace.taken.size(), 2U);
  EXPECT_EQ(trace.taken[0].worker, 0);
  EXPECT_EQ(trace.taken[1].version, 2);
}

TEST(SimulatedTrace, RecordsTheLoadOfLinks) {
  const Traced traced_run = run(kSmall);
  CopyLinks copy_links = copy_links_of(traced_run.setting);
  const auto loads = link_loads(traced_run.trace, copy_links);
  std::map<std::string, std::vector<std::pair<double, double>>> first_step;  // us, GB/s
  double crossed = 0;
  for (std::size_t link = 0; link < loads.size(); ++link) {
    const std::vector<LoadChange>& changes = loads[link];
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const double at = us(traced_run.trace, changes[i].at);
      if (at < 17000)
        first_step[copy_links.name(link)].emplace_back(at, changes[i].load.value() / 1e9);
      if (i > 0)
        crossed += changes[i - 1].load.value() * (changes[i].at - changes[i - 1].at).value();
    }
  }
  const auto near = [](double us_at, double rate) {
    return testing::Pair(testing::DoubleNear(us_at, 1e-3), testing::DoubleNear(rate, 1e-3));
  };
  EXPECT_THAT(first_step["cpu0->switch"], ElementsAre(near(0, 20e-3 / 2.002e-3), near(2002, 0)));
  EXPECT_THAT(first_step["switch->gpu1"], ElementsAre(near(0, 10e-3 / 2.002e-3), near(2002, 0)));
  EXPECT_THAT(first_step["switch->cpu0"],
              ElementsAre(near(11002, 10e-3 / 1.002e-3), near(12004, 0),
                          near(15502, 10e-3 / 1.002e-3), near(16504, 0)));
  // Every byte crosses two links; three times 10 MB each way for two workers.
  EXPECT_NEAR(crossed, 2 * 3 * 2 * 2 * 10e6, 1);
}

TEST(SimulatedTrace, WalksTheCriticalPathOfAStep) {
  const Traced traced_run = run(kSmall);
  const auto updates = all_updates(traced_run.trace);
  ASSERT_TRUE(updates);
  ASSERT_EQ(updates->updates, 3);
  EXPECT_NEAR((updates->end - updates->begin).value(), 3 * 17.104e-3, 1e-12);
  UpdateWindow last = *updates;
  last.begin = traced_run.trace.moments[traced_run.trace.moments.size() - 2].at;
  std::vector<std::pair<SpanKind, double>> path;
  for (const PathPiece& piece : critical_path(traced_run.trace, last)) {
    ASSERT_NE(piece.span, nullptr);
    path.emplace_back(piece.span->kind, std::round((piece.end - piece.begin).value() * 1e9) / 1e3);
    EXPECT_NE(piece.span->stream.role, 0);  // the fast worker delays no update
  }
  EXPECT_THAT(path,
              ElementsAre(std::pair{SpanKind::copy, 2002.0}, std::pair{SpanKind::compute, 4500.0},
                          std::pair{SpanKind::compute, 9000.0}, std::pair{SpanKind::copy, 1002.0},
                          std::pair{SpanKind::sum, 300.0}, std::pair{SpanKind::update, 300.0}));
}

TEST(SimulatedTrace, StopsAtAnUpdateWhenThereAreTooManySpans) {
  const Traced whole = run(kSmall);
  const Traced cut = run(kSmall, 25);
  EXPECT_TRUE(cut.trace.cut);
  EXPECT_NEAR((cut.trace.end - cut.trace.begin).value(), 17.104e-3, 1e-12);
  const Instant end = cut.trace.end;
  EXPECT_EQ(lines_of(cut.trace, cut.trace.begin, end), lines_of(whole.trace, cut.trace.begin, end));
  EXPECT_EQ(cut.measurement.throughput, whole.measurement.throughput);
}

// ---- sums

struct Kind {
  std::string aggregation;
  std::string update;
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.aggregation << " " << kind.update;
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto& row : family<Aggregation>().rows) {
    const std::vector<std::string> served = updates_served(*row.blank());
    for (const std::string& update : served) {
      if (!Choice<UpdatePolicy>(update)->needs_loss()) all.push_back({row.name, update});
    }
    if (served.empty()) all.push_back({row.name, ""});
  }
  all.push_back({"{kind: allreduce, algorithm: nccl}", "sync"});
  all.push_back({"{kind: parameter-server, shards: 3, bucket: 1 MB}", "k-batch-async"});
  all.push_back({"{kind: parameter-server, placement: sharded-gpus}", "{kind: ssp, slack: 1}"});
  return all;
}

class TraceSums : public testing::TestWithParam<Kind> {};

TEST_P(TraceSums, AreTheColumnsOfTheResults) {
  std::string text =
      "name: sums\nmodel: {kind: synthetic, compute: 9 ms, gradient: 10 MB, tensors: 6}\n"
      "machine: dgx1-p100\nworkers: 4\nsteps: 12\nwarmup: 2\naggregation: " +
      GetParam().aggregation +
      "\nstragglers: {compute: {kind: shifted-exponential, shift: 2 ms, mean: 5 ms}, "
      "workers: {2: {slowdown: 1.2}}}\n";
  if (!GetParam().update.empty()) text += "update: " + GetParam().update + "\n";
  const Traced traced_run = run(text);
  const Trace& trace = traced_run.trace;
  const Measurement& measurement = traced_run.measurement;
  std::map<SpanKind, double> sums;
  std::map<std::pair<RoleId, StreamKind>, Instant> last;
  for (const Span& span : trace.spans) {
    const Instant from = std::max(span.begin, trace.begin), to = std::min(span.end, trace.end);
    const bool of_worker = span.stream.role < trace.workers;
    if (to > from && of_worker) {
      // A worker's own updates, and sums of its own gradients, are part of the arithmetic of its
      // step.
      const bool own = span.kind == SpanKind::update ||
                       (span.kind == SpanKind::sum && span.from == span.stream.role);
      sums[own ? SpanKind::compute : span.kind] += (to - from).value();
    }
    if (span.kind == SpanKind::part || span.kind == SpanKind::wait) continue;
    Instant& before = last[{span.stream.role, span.stream.kind}];
    EXPECT_GE(span.begin, before) << "two spans of a stream overlap";
    before = span.end;
  }
  const double window = (trace.end - trace.begin).value();
  const double steps = trace.workers * window / *measurement.step_mean;
  EXPECT_NEAR(sums[SpanKind::compute] / steps, *measurement.compute, 1e-9);
  EXPECT_NEAR(sums[SpanKind::delay] / steps, *measurement.delay, 1e-9);
  EXPECT_NEAR(sums[SpanKind::wait] / steps, *measurement.wait, 1e-9);
  EXPECT_GT(sums[SpanKind::part],
            0.9 * (sums[SpanKind::compute] - *measurement.wasted * steps) - 1e-3);
  double idle = 0;
  for (const Idle& one : idle_times(trace)) idle += (one.end - one.begin).value();
  // Replicas that average have an update to make after they are first counted as ready.
  const bool averages = GetParam().update == "local-sgd";
  const bool overlaps = averages && (GetParam().aggregation == "allreduce" ||
                                     GetParam().aggregation == "peer-to-peer" ||
                                     GetParam().aggregation == "distributed-replicated");
  EXPECT_NEAR(idle / steps, *measurement.exposed_comm, overlaps ? 1e-5 : 1e-9);

  // The pieces of a critical path fill the time of its updates.
  if (const auto update = all_updates(trace)) {
    Instant at = update->begin;
    for (const PathPiece& piece : critical_path(trace, *update)) {
      EXPECT_EQ(piece.begin, at);
      at = piece.end;
    }
    EXPECT_EQ(at, update->end);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TraceSums, testing::ValuesIn(kinds()));

TEST(SimulatedTrace, HasValidationAndCheckpoints) {
  for (const char* aggregation : {"allreduce", "parameter-server"}) {
    for (const char* asynchronous : {"false", "true"}) {
      const Traced traced_run =
          run("name: sums\nmodel: {kind: synthetic, compute: 9 ms, gradient: 10 MB, tensors: 6}\n"
              "machine: dgx1-p100\nworkers: 4\nsteps: 12\nwarmup: 2\naggregation: " +
              std::string(aggregation) +
              "\ninput: {kind: pipeline, decode: {time: 100 us}, prefetch: 1}\n"
              "validation: {every: 3, batches: 2}\n"
              "checkpoint: {every: 4, bandwidth: 1 GB/s, asynchronous: " +
              asynchronous + "}\n");
      const Trace& trace = traced_run.trace;
      const Measurement& measurement = traced_run.measurement;
      double validation = 0, checkpoint = 0, idle = 0, written = 0;
      for (const Span& span : trace.spans) {
        const Instant from = std::max(span.begin, trace.begin), to = std::min(span.end, trace.end);
        const double seconds = std::max(0.0, (to - from).value());
        if (span.kind == SpanKind::compute && span.layers.pass == Pass::validation)
          validation += seconds;
        if (span.kind == SpanKind::checkpoint) checkpoint += seconds;
        if (span.kind == SpanKind::write) written += seconds;
      }
      for (const Idle& one : idle_times(trace)) idle += (one.end - one.begin).value();
      const double steps =
          trace.workers * (trace.end - trace.begin).value() / *measurement.step_mean;
      EXPECT_NEAR(validation / steps, *measurement.validation, 1e-9);
      EXPECT_GT(validation, 0);
      EXPECT_NEAR(checkpoint / steps, *measurement.checkpoint, 1e-9);
      EXPECT_EQ(checkpoint > 0, std::string(aggregation) == "allreduce");
      EXPECT_GT(written, 0.01);
      EXPECT_NEAR(idle / steps, *measurement.exposed_comm, 1e-9) << aggregation << asynchronous;
    }
  }
}

TEST(SimulatedTrace, ChangesNothingOfWhatIsMeasured) {
  const Traced traced_run = run(kSmall);
  const Measurement plain = simulate(traced_run.setting);
  const Measurement& traced = traced_run.measurement;
  EXPECT_EQ(plain.step_mean, traced.step_mean);
  EXPECT_EQ(plain.wait, traced.wait);
  EXPECT_EQ(plain.throughput, traced.throughput);
  EXPECT_EQ(plain.step_times.quantiles, traced.step_times.quantiles);
}

}  // namespace
}  // namespace paceline
