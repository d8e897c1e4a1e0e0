// SPDX-License-Identifier: MIT
#include "cli/summary.hpp"

#include <algorithm>

#include "cli/agreement.hpp"
#include "cli/findings.hpp"
#include "cli/saturation.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostSentences = 3;
constexpr std::size_t kMostAsked = 2;

std::string as_sentence(std::string clause, const std::string& lead) {
  if (lead.empty() && !clause.empty()) {
    clause.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(clause.front())));
  }
  return lead + clause + (clause.ends_with('.') ? "" : ".");
}

/// "Layer times: ...", once for each place that they come from.
std::vector<std::string> layer_times_of(const std::vector<ResultRow>& rows) {
  std::vector<std::string> places;
  for (const ResultRow& row : rows) {
    const std::string& place = row.layer_times_from;
    const bool known = std::find(places.begin(), places.end(), place) != places.end();
    if (!place.empty() && !known) places.push_back(place);
  }
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < std::min(places.size(), kMostSentences); ++i) {
    sentences.push_back(as_sentence(places[i], "Layer times: "));
  }
  if (places.size() > kMostSentences) {
    sentences.push_back("And " + std::to_string(places.size() - kMostSentences) +
                        " more sources of layer times (`paceline explain` names that of a point).");
  }
  return sentences;
}

}  // namespace

Summary summary_of(const std::vector<ResultRow>& rows, const SweptLabels& labels) {
  return {findings(rows, labels), agreement(rows, labels), layer_times_of(rows)};
}

std::vector<std::string> saturations(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                                     Device asked, const Profile* profile) {
  std::vector<std::string> sentences;
  for (const LargestPoint& largest : largest_points(rows, labels)) {
    if (sentences.size() == kMostAsked) break;
    if (!not_predictable(*largest.point, asked, profile).empty()) continue;
    const std::string clause =
        sentence_of(find_saturation(*largest.point, asked, profile), *largest.point);
    if (clause.empty()) continue;
    sentences.push_back(as_sentence(clause, largest.name.empty() ? "" : largest.name + ": "));
  }
  return sentences;
}

}  // namespace paceline
