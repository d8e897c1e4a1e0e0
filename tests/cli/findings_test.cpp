// SPDX-License-Identifier: MIT
// The findings of a run in words.
#include "cli/findings.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/result_rows.hpp"

namespace paceline {
namespace {

using test::load;
using test::predicted;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

/// The rows, with a measured row after the row of each point in `rates`.
std::vector<ResultRow> with_measured(const std::vector<ResultRow>& rows,
                                     const std::map<std::size_t, double>& rates) {
  std::vector<ResultRow> all;
  for (const ResultRow& row : rows) {
    all.push_back(row);
    const auto rate = rates.find(row.index);
    if (rate == rates.end()) continue;
    all.push_back(row);
    all.back().source = Source::measured;
    all.back().measurement.throughput = rate->second;
  }
  return all;
}

// Points:   workers x update: (1, sync), (1, async), (4, sync), (4, async), (16, ...)
// Expected: async at 16 is 1600 / 800 = 2 x sync; from its own single worker 16 x, sync 8 x.
TEST(Findings, FastestChoicePerSampleThenHowItScales) {
  const ExperimentFile file = load("workers: [1, 4, 16]\nupdate: [sync, async]\n");
  const auto rows = predicted(file, {100, 100, 300, 400, 800, 1600});
  EXPECT_THAT(
      findings(rows, SweptLabels(file.points)),
      ElementsAre("Fastest at 16 workers: async, 1,600 samples/sec, 2.00 x sync per sample.",
                  "From 1 to 16 workers async gains 16.0 x: an efficiency of 100.0 %. From "
                  "1 to 16 workers sync gains 8.00 x: an efficiency of 50.0 %.",
                  "Fastest with fewer workers: 1: all equal; 4: async (1.33 x)."));
}

TEST(Findings, ChoicesOfOneKindStayApart) {
  const ExperimentFile file = load(
      "workers: 4\naggregation: [{kind: allreduce, algorithm: ring}, {kind: allreduce, algorithm: "
      "nccl}]\n");
  EXPECT_THAT(findings(predicted(file, {100, 150}), SweptLabels(file.points)),
              ElementsAre("Fastest at 4 workers: allreduce nccl, 150.0 samples/sec, 1.50 x "
                          "allreduce ring per sample."));
}

// Without a usual choice among them, the slowest says least: the next is what one would take.
TEST(Findings, ChoicesWithoutAUsualOneAreHeldAgainstTheNextAndTheSlowest) {
  const ExperimentFile file = load("workers: 4\nprecision: [fp32, fp16, bf16]\n");
  EXPECT_THAT(findings(predicted(file, {10, 935, 700}), SweptLabels(file.points)).front(),
              testing::AllOf(testing::HasSubstr("Fastest at 4 workers: fp16, 935.0 samples/sec, "
                                                "1.34 x the next, bf16"),
                             testing::EndsWith("and 93.5 x the slowest, fp32.")));
}

TEST(Findings, NameTheFastestOfSeveralMachines) {
  const ExperimentFile file = load_experiment_text(
      "machines.yaml",
      "name: machines\nmodel: resnet50\nmachine: [dgx1-p100, dgx1-v100]\nworkers: 8\n", {});
  EXPECT_EQ(findings(predicted(file, {1655, 2179}), SweptLabels(file.points)).front(),
            "Fastest machine: dgx1-v100 at 8 workers, 2,179 images/sec, 1.32 x dgx1-p100 at 8 "
            "workers.");
  EXPECT_THAT(findings(predicted(file, {1655, 1656}), SweptLabels(file.points)).front(),
              testing::Not(testing::HasSubstr("Fastest machine")))
      << "they are equal";
}

TEST(Findings, SyncThatIsFastestIsHeldAgainstTheNext) {
  const ExperimentFile file = load("workers: 4\nupdate: [async, sync]\n");
  EXPECT_THAT(
      findings(predicted(file, {100, 150}), SweptLabels(file.points)),
      ElementsAre("Fastest at 4 workers: sync, 150.0 samples/sec, 1.50 x the next, async."));
}

TEST(Findings, EqualChoicesAreEqual) {
  const ExperimentFile file = load("workers: 4\nupdate: [sync, async]\n");
  EXPECT_THAT(findings(predicted(file, {1000, 1005}), SweptLabels(file.points)),
              ElementsAre("All choices are equal at 4 workers within 0.5 %: 1,005 samples/sec."));
}

TEST(Findings, ChoicesThatDifferLessThanTheNoiseAreNotCalledEqual) {
  const ExperimentFile file = load("workers: [2, 4]\nupdate: [sync, async]\n");
  std::vector<ResultRow> rows = predicted(file, {500, 600, 1000, 1550});
  for (ResultRow& row : rows) row.measurement.throughput_stderr = 300;
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              IsSupersetOf({"No choice is fastest beyond doubt at 4 workers: they differ by 55.0 % "
                            "at most, which is within the noise; the first is async, 1,550 "
                            "samples/sec.",
                            "Fastest with fewer workers: 2: all within the noise."}));
}

TEST(Findings, OneChoiceSaysHowItScalesAndWhereItStops) {
  const ExperimentFile file = load("workers: [1, 2, 4, 8]\n");
  EXPECT_THAT(findings(predicted(file, {100, 200, 380, 385}), SweptLabels(file.points)),
              ElementsAre("8 workers train 385.0 samples/sec. From 1 to 8 workers throughput gains "
                          "3.85 x: an efficiency of 48.1 %.",
                          "More than 4 workers do not pay: 8 change throughput by +1.3 %."));
}

// The last step, from 21 to 22 workers, adds 4.8 %, but a doubling would add 100 %.
TEST(Findings, PerfectScalingAlwaysPays) {
  const ExperimentFile file = load("workers: [1, 16, 20, 21, 22]\n");
  EXPECT_THAT(findings(predicted(file, {100, 1600, 2000, 2100, 2200}), SweptLabels(file.points)),
              ElementsAre("22 workers train 2,200 samples/sec. From 1 to 22 workers throughput "
                          "gains 22.0 x: an efficiency of 100.0 %."));
}

// The second worker adds communication; 4 and 8 workers compensate for it.
TEST(Findings, MoreWorkersPayDespiteADip) {
  const ExperimentFile file = load("workers: [1, 2, 4, 8]\n");
  EXPECT_THAT(findings(predicted(file, {100, 90, 180, 360}), SweptLabels(file.points)),
              ElementsAre("8 workers train 360.0 samples/sec. From 1 to 8 workers throughput gains "
                          "3.60 x: an efficiency of 45.0 %."));
}

TEST(Findings, SingleWorkerIsBest) {
  const ExperimentFile file = load("workers: [1, 2, 4]\n");
  EXPECT_THAT(findings(predicted(file, {100, 90, 95}), SweptLabels(file.points)),
              testing::Contains("More than 1 worker does not pay: 4 change throughput by -5.0 %."));
}

TEST(Findings, SwitchesAreNamedWithTheirKey) {
  const ExperimentFile file =
      load("workers: 4\naggregation: {kind: parameter-server, overlap: [true, false]}\n");
  EXPECT_THAT(findings(predicted(file, {150, 100}), SweptLabels(file.points)),
              ElementsAre("Fastest at 4 workers: overlap=true, 150.0 samples/sec, 1.50 x "
                          "overlap=false per sample."));
}

TEST(Findings, ChoicesWithinOnePercentAreEqual) {
  const ExperimentFile file = load("workers: 4\nupdate: [sync, async, {kind: ssp, slack: 2}]\n");
  EXPECT_THAT(findings(predicted(file, {100, 200, 199}), SweptLabels(file.points)),
              ElementsAre("Fastest at 4 workers: async (equal within 1 %: ssp), 200.0 samples/sec, "
                          "2.00 x sync per sample."));
}

// ssp is 5.3 % slower, which is within 2 standard errors of 4.2 %; async is 4.2 % slower without
// uncertainty.
TEST(Findings, NextIsTheFastestThatIsNotEqual) {
  const ExperimentFile file = load("workers: 4\nupdate: [sync, async, {kind: ssp, slack: 2}]\n");
  std::vector<ResultRow> rows = predicted(file, {1000, 960, 950});
  rows[2].measurement.throughput_stderr = 40;
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              ElementsAre("Fastest at 4 workers: sync (equal within the noise: ssp), 1,000 "
                          "samples/sec, 1.04 x the next, async."));
}

TEST(Findings, SettingsAreNotComparedWithEachOther) {
  const ExperimentFile file = load(
      "workers: 2\nprecision: fp32\nseed: [1, 2]\nupdate: [sync, "
      "async]\n");
  EXPECT_THAT(findings(predicted(file, {100, 200, 100, 300}), SweptLabels(file.points)),
              ElementsAre("seed 1: fastest at 2 workers: async, 200.0 samples/sec, 2.00 x sync per "
                          "sample.",
                          "seed 2: fastest at 2 workers: async, 300.0 samples/sec, 3.00 x sync per "
                          "sample."));
}

// A zipped key with one value in each setting is not a choice.
TEST(Findings, OfManySettingsTheExtremesOfEfficiency) {
  const ExperimentFile file = load(
      "zip: [{seed: 1, aggregation: allreduce}, {seed: 2, aggregation: parameter-server}, {seed: "
      "3, aggregation: parameter-server}, {seed: 4, aggregation: allreduce}]\nworkers: [1, 4]\n");
  EXPECT_THAT(
      findings(predicted(file, {10, 40, 10, 20, 10, 30, 10, 35}), SweptLabels(file.points)),
      ElementsAre("Of 4 settings, efficiency is between 100.0 % at 4 workers (seed 1, 40.00 "
                  "samples/sec) and 50.0 % at 4 workers (seed 2, 20.00 samples/sec)."));
}

TEST(Findings, OfManySettingsTheChoiceThatIsFastestComesFirst) {
  const ExperimentFile file = load("seed: [1, 2, 3, 4]\nworkers: [1, 4]\nupdate: [sync, async]\n");
  const auto rows_of = [&](double last) {  // of a setting: sync and async of 1, then of 4 workers
    return predicted(file, {10, 10, 20, 40, 10, 10, 20, 30, 10, 10, 20, 30, 10, 10, 20, last});
  };
  EXPECT_EQ(
      findings(rows_of(30), SweptLabels(file.points)).front(),
      "Fastest in all 4 settings: async, 1.50 x sync (seed 2, 4 workers) to 2.00 x (seed 1, 4 "
      "workers) per sample.");
  EXPECT_EQ(findings(rows_of(10), SweptLabels(file.points)).front(),
            "Fastest of 4 settings: async in 3, sync in 1.");
}

TEST(Findings, OfOneSettingThatScalesNoExtremes) {
  const ExperimentFile file = load(
      "zip: [{seed: 1, workers: 1}, {seed: 1, workers: 4}, {seed: 2, workers: 4}, {seed: 3, "
      "workers: 4}, {seed: 4, workers: 4}]\n");
  EXPECT_THAT(
      findings(predicted(file, {10, 40, 10, 10, 20}), SweptLabels(file.points)),
      ElementsAre("seed 1: 4 workers train 40.00 samples/sec. From 1 to 4 workers "
                  "throughput gains 4.00 x: an efficiency of 100.0 %.",
                  "seed 2: 4 workers train 10.00 samples/sec.",
                  "seed 3: 4 workers train 10.00 samples/sec.", "The table has 1 more setting."));
}

TEST(Findings, ExtremesCountTheSettingsThatTheyLeaveOut) {
  const ExperimentFile file = load(
      "zip: [{seed: 1, workers: 1}, {seed: 1, workers: 4}, {seed: 2, workers: 1}, {seed: 2, "
      "workers: 4}, {seed: 3, workers: 4}, {seed: 4, workers: 4}]\n");
  EXPECT_THAT(findings(predicted(file, {10, 40, 10, 20, 10, 10}), SweptLabels(file.points)),
              ElementsAre("Of 2 settings, efficiency is between 100.0 % at 4 workers (seed 1, "
                          "40.00 samples/sec) and 50.0 % at 4 workers (seed 2, 20.00 samples/sec).",
                          "The table has 2 more settings."));
}

TEST(Findings, MeasurementsAnswerWhereThereAreAll) {
  const ExperimentFile file = load("workers: 4\nupdate: [sync, async]\n");
  const auto rows = with_measured(predicted(file, {100, 210}), {{0, 100}, {1, 200}});
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              ElementsAre("Fastest at 4 workers: async, 200.0 samples/sec, 2.00 x sync per sample, "
                          "predicted 2.10 x."));
}

// Regression: one measured row suppressed the predictions of all other points.
TEST(Findings, PredictionsAnswerWhereMeasurementsMissAPoint) {
  const ExperimentFile file = load("workers: 4\nupdate: [sync, async]\n");
  EXPECT_THAT(
      findings(with_measured(predicted(file, {100, 210}), {{0, 100}}), SweptLabels(file.points)),
      ElementsAre("Predicted: fastest at 4 workers: async, 210.0 samples/sec, 2.10 x sync "
                  "per sample."));
}

TEST(Findings, EachSettingHasItsOwnSource) {
  const ExperimentFile file = load("workers: 2\nseed: [1, 2]\nupdate: [sync, async]\n");
  EXPECT_THAT(
      findings(with_measured(predicted(file, {100, 200, 100, 300}), {{0, 100}, {1, 200}}),
               SweptLabels(file.points)),
      ElementsAre("seed 1: fastest at 2 workers: async, 200.0 samples/sec, 2.00 x sync per sample, "
                  "predicted 2.00 x.",
                  "seed 2, predicted: fastest at 2 workers: async, 300.0 samples/sec, 3.00 x sync "
                  "per sample."));
}

/// Three points with a target and the further keys `rest`.
ExperimentFile load_training(const std::string& rest) {
  return load_experiment_text(
      "findings.yaml",
      "name: findings\nmodel: {kind: mlp, inputs: 4, hidden: [4], classes: 2}\nmachine: ideal\n"
      "workers: 4\nupdate: [sync, async, {kind: ssp, slack: 2}]\n"
      "train: {dataset: gaussian-mixture, target_loss: 0.5}\n" +
          rest,
      {});
}

TEST(Findings, TimeToTheTarget) {
  const ExperimentFile file = load_training("");
  std::vector<ResultRow> rows = predicted(file, {100, 200, 150});
  rows[0].measurement.time_to_target = 6;
  rows[1].measurement.time_to_target = 2;
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              testing::Contains("The target (loss 0.5) is reached first by async with 4 workers, "
                                "after 2.000 s; sync takes 6.000 s (3.00 x); 1 of 3 points never "
                                "reach it. An update of 1 and one of 4 mini-batches have the same "
                                "learning rate, so that a mini-batch counts differently (schedule: "
                                "linear-scaling gives each the same)."));
  const ExperimentFile scaled =
      load_training("optimizer: {kind: sgd, schedule: {kind: linear-scaling, warmup: 0}}\n");
  std::vector<ResultRow> rows_of_scaled = predicted(scaled, {100, 200, 150});
  rows_of_scaled[0].measurement.time_to_target = 6;
  rows_of_scaled[1].measurement.time_to_target = 2;
  EXPECT_THAT(findings(rows_of_scaled, SweptLabels(scaled.points)),
              testing::Contains(testing::EndsWith("1 of 3 points never reach it.")));
  rows[0].measurement.time_to_target.reset();
  rows[1].measurement.time_to_target.reset();
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              testing::Contains("No point reaches the target (loss 0.5) in its steps."));
}

// The mean time of a point is blank if one repeat misses the target.
TEST(Findings, TargetThatSomeRepeatsMiss) {
  const ExperimentFile file = load_training("repeats: 3\n");
  std::vector<ResultRow> rows = predicted(file, {100, 200, 150});
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              testing::Contains("No point reaches the target (loss 0.5) in every repeat."));
  rows[1].measurement.time_to_target = 2;
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              testing::Contains("The target (loss 0.5) is reached first by async with 4 workers, "
                                "after 2.000 s; 2 of 3 points do not reach it in every repeat."));
}

TEST(Findings, PointsThatDivergedAreCounted) {
  const ExperimentFile file = load_training("");
  std::vector<ResultRow> rows = predicted(file, {100, 200, 150});
  rows[0].measurement.time_to_target = 6;
  rows[1].measurement.time_to_target = 2;
  rows[2].measurement.status = "diverged at update 7 (loss nan)";
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              testing::Contains("The target (loss 0.5) is reached first by async with 4 workers, "
                                "after 2.000 s; sync takes 6.000 s (3.00 x); 1 of 3 points never "
                                "reach it; 1 of 3 points diverged. An update of 1 and one of 4 "
                                "mini-batches have the same learning rate, so that a mini-batch "
                                "counts differently (schedule: linear-scaling gives each the "
                                "same)."));
  for (ResultRow& row : rows) {
    row.measurement.status = "diverged at update 7 (loss nan)";
    row.measurement.time_to_target.reset();
  }
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              ElementsAre("No point reaches the target (loss 0.5) in its steps; 3 of 3 points "
                          "diverged."));
  EXPECT_THAT(largest_points(rows, SweptLabels(file.points)), IsEmpty());
}

TEST(Findings, NoneOfFailures) {
  const ExperimentFile file = load("workers: 4\nupdate: [sync, async]\n");
  std::vector<ResultRow> rows = predicted(file, {100, 200});
  for (ResultRow& row : rows) row.measurement.status = "failed: no reason";
  EXPECT_THAT(findings(rows, SweptLabels(file.points)), IsEmpty());
}

}  // namespace
}  // namespace paceline
