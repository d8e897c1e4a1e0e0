// SPDX-License-Identifier: MIT
#include "cli/summary.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "cli/agreement.hpp"
#include "cli/assumptions.hpp"
#include "cli/collective_table.hpp"
#include "cli/compared_groups.hpp"
#include "cli/computer.hpp"
#include "cli/disturbances.hpp"
#include "cli/findings.hpp"
#include "cli/job_findings.hpp"
#include "cli/saturation.hpp"
#include "sim/costs/layer_times.hpp"
#include "training/experiment/profiled_workload.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostSearched = 2;

std::string as_sentence(std::string clause, const std::string& lead) {
  if (lead.empty() && !clause.empty()) {
    clause.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(clause.front())));
  }
  return lead + clause + (clause.ends_with('.') ? "" : ".");
}

/// A general description of a source of layer times, used if there are too many sentences.
std::string in_general(const std::string& word) {
  if (word == "measured") return "measured on this computer";
  if (word == "published") return "published throughput of one worker";
  if (word == "given") return "given by the experiment";
  if (word == "roofline") return "lower bounds at the GPUs' peaks, not measured";
  return "estimated with the efficiencies of the GPUs' files, not measured (" +
         known_error_of_estimates() + ")";
}

/// "Layer times: ...", one line per kind of source.
std::vector<std::string> layer_times_of(const std::vector<ResultRow>& rows) {
  std::vector<std::pair<std::string, std::set<std::string>>> sources;  // by word
  for (const ResultRow& row : rows) {
    if (row.layer_times_from.empty()) continue;
    auto known = std::find_if(sources.begin(), sources.end(),
                              [&](const auto& source) { return source.first == row.layer_times; });
    if (known == sources.end()) known = sources.insert(sources.end(), {row.layer_times, {}});
    known->second.insert(row.layer_times_from);
  }
  std::vector<std::string> sentences;
  for (const auto& [word, places] : sources) {
    sentences.push_back(as_sentence(places.size() == 1
                                        ? *places.begin()
                                        : in_general(word) + ", " + std::to_string(places.size()) +
                                              " sources (`paceline explain` names that of a point)",
                                    "Layer times: "));
  }
  return sentences;
}

/// The points that have a prediction.
std::vector<const ExperimentPoint*> predicted_points(const std::vector<ResultRow>& rows) {
  std::vector<const ExperimentPoint*> points;
  for (const ResultRow& row : rows) {
    if (has_throughput(row, Source::predicted)) points.push_back(row.point);
  }
  return points;
}

Summary answers_of(const std::vector<ResultRow>& rows, const SweptLabels& labels) {
  if (are_jobs(rows)) return {job_findings(rows, labels), {}, layer_times_of(rows)};
  if (are_collectives(rows)) {
    return {collective_findings(rows, labels), agreement(rows, labels), {}};
  }
  return {findings(rows, labels), agreement(rows, labels), layer_times_of(rows)};
}

}  // namespace

Summary summary_of(const std::vector<ResultRow>& rows, const SweptLabels& labels) {
  Summary summary = answers_of(rows, labels);
  if (std::string text = undescribed_input(predicted_points(rows)); !text.empty())
    summary.findings.push_back(std::move(text));
  for (std::string& text : disturbances(rows, this_computer().cores)) {
    summary.findings.push_back(std::move(text));
  }
  return summary;
}

std::vector<std::string> saturations(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                                     Device device, const Profile* profile) {
  const std::vector<LargestPoint> points = largest_points(rows, labels);
  const bool label_predicted = has_measurements(rows);
  std::vector<std::string> sentences;
  if (points.size() > kSettingsReported || are_jobs(rows)) return sentences;
  for (const LargestPoint& largest : points) {
    if (sentences.size() == kMostSearched) break;
    if (!not_predictable(*largest.point, device, profile).empty()) continue;
    const std::string clause =
        sentence_of(find_saturation(*largest.point, device, profile), *largest.point);
    if (clause.empty()) continue;
    sentences.push_back(as_sentence(clause, lead_of(largest.name, label_predicted)));
  }
  return sentences;
}

}  // namespace paceline
