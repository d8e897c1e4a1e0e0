// SPDX-License-Identifier: MIT
// With the test's time source real threads leave the same spans as the simulator: the same work on
// the same streams in the same order, at the same times.
#include <map>
#include <tuple>

#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

/// An operation of a stream: its begin and end in nanoseconds since the run began, and its name.
using Done = std::tuple<double, double, SpanKind, RoleId, std::int64_t, Pass, std::int32_t, RoleId,
                        RoleId, std::int64_t>;
using Streams = std::map<std::pair<RoleId, StreamKind>, std::vector<Done>>;

Streams by_stream(const Trace& trace) {
  Streams streams;
  for (const Span& span : trace.spans) {
    if (span.kind == SpanKind::part || span.kind == SpanKind::wait) continue;
    // at the very begin and end of the window, the order of reports is chance
    const auto here = [](Instant a, Instant b) { return std::abs((a - b).value()) < 1e-6; };
    if (here(span.end, trace.begin) || here(span.begin, trace.end)) continue;
    const auto ns = [](Instant at) { return std::round(static_cast<double>(at.ps) / 1e3); };
    streams[{span.stream.role, span.stream.kind}].emplace_back(
        ns(span.begin), ns(span.end), span.kind, span.work.worker, span.work.step, span.layers.pass,
        span.layers.first, span.from, span.to, span.version);
  }
  // two servers' reports of one instant come in any order
  for (auto& [stream, done] : streams) std::sort(done.begin(), done.end());
  return streams;
}

using Taken = std::tuple<RoleId, std::int64_t, std::int64_t, std::int64_t>;

std::vector<Taken> taken(const Trace& trace) {
  std::vector<Taken> all;
  for (const TakenGradient& one : trace.taken) {
    all.emplace_back(one.worker, one.step, one.computed, one.version);
  }
  return all;
}

ExperimentFile experiment(const std::string& aggregation, const std::string& update) {
  return load_experiment_text(
      "trace.yaml",
      "name: trace\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 8\nwarmup: 2\nworkers: 4\ntrain: {held_out: 64}\n"
      "stragglers: {compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}}\n"
      "aggregation: " +
          aggregation + "\nupdate: " + update + "\n",
      {});
}

/// The trace of a repeat by `run(setting, recorder)`.
template <class Run>
Trace trace_of(Prediction setting, const Run& run) {
  SpanRecorder spans;
  setting.spans = &spans;
  Recorder recorder(setting.counting);
  spans.follow(recorder);
  run(setting, recorder);
  spans.finish();
  return spans.trace();
}

struct Pair {
  std::string aggregation, update;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.aggregation << " " << pair.update;
}

class BothClocksTrace : public testing::TestWithParam<Pair> {};

TEST_P(BothClocksTrace, LeaveTheSameSpans) {
  const ExperimentFile file = experiment(GetParam().aggregation, GetParam().update);
  const ExperimentPoint& point = file.points.front();
  const Profile profile = free_computer(point);
  const Prediction setting = make_prediction(point, &profile);
  const Trace simulated = trace_of(setting, [](const Prediction& traced, Recorder& recorder) {
    Trainer trainer(traced, 1);
    std::string status;
    simulate_training(traced, trainer, 0, recorder, status);
  });
  const Trace real = trace_of(setting, [](const Prediction& traced, Recorder& recorder) {
    Execution execution(traced);
    JumpingTime time;
    execution.run(0, recorder, time);
  });
  EXPECT_NEAR((simulated.end - simulated.begin).value(), (real.end - real.begin).value(), 1e-9);
  const Streams expected = by_stream(simulated);
  const Streams seen = by_stream(real);
  ASSERT_GT(expected.size(), 4U);
  for (const auto& [stream, spans] : expected) {
    ASSERT_TRUE(seen.contains(stream)) << stream.first;
    EXPECT_EQ(spans, seen.at(stream)) << "role " << stream.first;
  }
  EXPECT_EQ(expected.size(), seen.size());
  EXPECT_EQ(taken(simulated), taken(real));
}

INSTANTIATE_TEST_SUITE_P(
    Some, BothClocksTrace,
    testing::Values(Pair{"parameter-server", "sync"}, Pair{"parameter-server", "async"},
                    Pair{"parameter-server", "{kind: k-sync, k: 2}"},
                    Pair{"{kind: parameter-server, shards: 2, bucket: 200 B}", "sync"},
                    Pair{"{kind: parameter-server, shards: 2}", "{kind: ssp, slack: 1}"},
                    Pair{"{kind: allreduce, algorithm: ring}", "sync"},
                    Pair{"replicated", "sync"}));

/// Layers take no time on the clock that jumps: on the wall they do.
TEST(HostTrace, HasEveryLayerOfAMiniBatchInOrder) {
  const ExperimentFile file = load_experiment_text(
      "layers.yaml",
      "name: layers\nmodel: {kind: mlp, inputs: 64, hidden: [64, 64], classes: 8}\n"
      "machine: this\nbatch: 64\nsteps: 3\nwarmup: 1\nworkers: 2\ntrain: {held_out: 64}\n"
      "stragglers: {workers: {1: {slowdown: 2}}}\n",
      {});
  const ExperimentPoint& point = file.points.front();
  const Profile profile = free_computer(point);
  const Trace trace =
      trace_of(make_prediction(point, &profile), [](const Prediction& traced, Recorder& recorder) {
        Execution execution(traced);
        WallTime time;
        execution.run(0, recorder, time);
      });
  const auto layers = static_cast<std::int32_t>(point.network->layers.size());
  int passes = 0;
  for (std::size_t i = 0; i < trace.spans.size(); ++i) {
    const Span& whole = trace.spans[i];
    if (whole.kind != SpanKind::compute || whole.begin < trace.begin) continue;
    ++passes;
    // its layers come before it, the last one first here
    Instant before = whole.end;
    std::int32_t seen = 0;
    for (std::size_t j = i; j-- > 0 && trace.spans[j].kind == SpanKind::part;) {
      const Span& part = trace.spans[j];
      ++seen;
      const bool forward = whole.layers.pass == Pass::forward;
      EXPECT_EQ(part.layers.first,
                forward ? whole.layers.last - seen : whole.layers.first + seen - 1);
      EXPECT_LE(part.end, before);
      EXPECT_GE(part.begin, whole.begin);
      before = part.begin;
    }
    EXPECT_EQ(seen, layers);
  }
  EXPECT_EQ(passes, 3 * 2 * 2);
}

}  // namespace
}  // namespace paceline
