// SPDX-License-Identifier: MIT
#include "cli/summary.hpp"

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

std::vector<std::string> layer_times(
    const std::vector<std::pair<std::string, std::string>>& sources) {
  const ExperimentFile file = load_experiment_text(
      "s.yaml", "name: s\nmodel: {kind: synthetic, compute: 1 ms}\nmachine: ideal\n", {});
  std::vector<ResultRow> rows;
  for (const auto& [word, from] : sources) {
    ResultRow& row = rows.emplace_back();
    row.point = &file.points.front();
    row.index = rows.size();
    row.layer_times = word;
    row.layer_times_from = from;
  }
  return summary_of(rows, SweptLabels(file.points)).layer_times;
}

TEST(Summary, SaysOnceWhereLayerTimesComeFrom) {
  EXPECT_THAT(
      layer_times(
          {{"given", "given by the experiment"}, {"given", "given by the experiment"}, {"", ""}}),
      ElementsAre("Layer times: given by the experiment."));
  EXPECT_THAT(layer_times({{"published", "published: 142 images/s"},
                           {"published", "published: 128 images/s"},
                           {"measured", "measured on this computer (profile of today)"}}),
              ElementsAre("Layer times: published throughput of one worker, 2 sources (`paceline "
                          "explain` names that of a point).",
                          "Layer times: measured on this computer (profile of today)."));
}

// Saturation is always predicted, and the sentence says so if the other findings are measured.
TEST(Summary, SaturationSaysThatItIsPredicted) {
  const ExperimentFile file = load_experiment_text(
      "s.yaml",
      "name: s\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: ideal\n"
      "workers: 8\nupdate: {kind: k-sync, k: 4}\n",
      {});
  std::vector<ResultRow> rows(1);
  rows[0].point = &file.points.front();
  rows[0].measurement.throughput = 100;
  const SweptLabels labels(file.points);
  EXPECT_THAT(saturations(rows, labels, Device::any, nullptr),
              ElementsAre(testing::StartsWith("More than 4 workers add nothing")));
  rows.push_back(rows[0]);
  rows[1].source = Source::measured;
  EXPECT_THAT(saturations(rows, labels, Device::any, nullptr),
              ElementsAre(testing::StartsWith("Predicted: more than 4 workers add nothing")));
}

}  // namespace
}  // namespace paceline
