// SPDX-License-Identifier: MIT
// The spans of GPUs: the same as the simulator's, with pieces of passes if they may be given up.
#include <algorithm>
#include <map>

#include "exec/cuda/cuda_execution.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

constexpr int kWorkers = 2;

ExperimentFile traced_experiment(const std::string& update) {
  ExperimentFile file = load_experiment_text(
      "trace.yaml",
      "name: trace\nmodel: {kind: mlp, inputs: 8, hidden: [16, 16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 4\nwarmup: 1\nworkers: 2\ntrain: {held_out: 64}\n"
      "aggregation: {kind: parameter-server, placement: gpu}\n"
      "stragglers: {compute: {kind: shifted-exponential, shift: 1 ms, mean: 5 ms}}\nupdate: " +
          update + "\n",
      {});
  file.points.front().experiment.devices.emplace().virtual_gpus = kWorkers;
  return file;
}

class CudaTraceTest : public DeviceTest, public testing::WithParamInterface<const char*> {};

TEST_P(CudaTraceTest, HasEveryStreamAndItsSumsAreTheColumnsOfTheResults) {
  const ExperimentFile file = traced_experiment(GetParam());
  Setting setting = make_setting(file.points.front());
  SpanRecorder spans;
  setting.spans = &spans;
  Recorder metrics(setting.counting);
  spans.follow(metrics);
  CudaExecution execution(setting, "");
  ASSERT_EQ(execution.run(0, metrics).status, "ok");
  spans.finish();
  const Trace& trace = spans.trace();
  const Measurement measurement = metrics.result();

  std::map<SpanKind, double> sums;
  std::map<std::pair<RoleId, SpanKind>, int> counts;
  for (const Span& span : trace.spans) {
    ++counts[{span.stream.role, span.kind}];
    const Instant from = std::max(span.begin, trace.begin), to = std::min(span.end, trace.end);
    if (to > from && span.stream.role < kWorkers) sums[span.kind] += (to - from).value();
  }
  const double steps = kWorkers * (trace.end - trace.begin).value() / *measurement.step_mean;
  EXPECT_NEAR(sums[SpanKind::compute] / steps, *measurement.compute, 1e-9);
  EXPECT_NEAR(sums[SpanKind::delay] / steps, *measurement.delay, 1e-9);
  EXPECT_NEAR(sums[SpanKind::wait] / steps, *measurement.wait, 1e-9);
  for (RoleId worker = 0; worker < kWorkers; ++worker) {
    EXPECT_GE((counts[{worker, SpanKind::delay}]), 2) << worker;
    EXPECT_GE((counts[{worker, SpanKind::copy}]), 2) << worker;
  }
  EXPECT_GE((counts[{kWorkers, SpanKind::update}]), 4);
  const bool cancels = setting.plan.gives_up();
  EXPECT_EQ((counts[{0, SpanKind::part}]) > 0, cancels);
}

INSTANTIATE_TEST_SUITE_P(All, CudaTraceTest,
                         testing::Values("sync", "async", "{kind: k-sync, k: 1}"));

}  // namespace
}  // namespace paceline::cuda
