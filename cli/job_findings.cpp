// SPDX-License-Identifier: MIT
#include "cli/job_findings.hpp"

#include <algorithm>

#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostReported = 8;
constexpr double kEqual = 0.005;  ///< a loss below this is not mentioned

std::string value_of(const ExperimentPoint& point, const char* path) {
  for (const SweptKey& key : point.swept) {
    if (key.path == path) return key.value;
  }
  return "";
}

/// "infiniband-edr: resnet50 beside vgg16: 1,467 images/sec, 2.3 % fewer than alone."
std::string sentence_of(const ResultRow& row, const SweptLabels& labels) {
  const ExperimentPoint& point = *row.point;
  std::string setting;
  for (const SweptKey& key : point.swept) {
    if (key.path != kJobKey && key.path != kFabricKey) setting += labels.of(key) + ", ";
  }
  std::vector<std::string> others;
  for (const auto& other : point.beside) others.push_back(value_of(*other, kJobKey));
  const double fewer = 1 - 1 / *row.slowdown;
  return setting + value_of(point, kJobKey) + " beside " + join(others, " and ") + ": " +
         thousands(*row.measurement.throughput, 4) + " " + point.network->item + "/sec, " +
         (fewer < kEqual ? "as many as alone."
                         : significant(100 * fewer, 2) + " % fewer than alone.");
}

}  // namespace

bool are_jobs(const std::vector<ResultRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ResultRow& row) { return !row.point->beside.empty(); });
}

std::vector<std::string> job_findings(const std::vector<ResultRow>& rows,
                                      const SweptLabels& labels) {
  std::vector<const ResultRow*> jobs;
  for (const ResultRow& row : rows) {
    if (row.slowdown) jobs.push_back(&row);
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const ResultRow* a, const ResultRow* b) {
    return *a->slowdown > *b->slowdown;
  });
  const std::size_t all = jobs.size();
  jobs.resize(std::min(all, kMostReported));
  std::vector<std::string> sentences;
  for (const ResultRow* job : jobs) sentences.push_back(sentence_of(*job, labels));
  if (all > kMostReported) {
    sentences.push_back("The table has " + counted(all - kMostReported, "more job") +
                        ", less slowed down.");
  }
  return sentences;
}

}  // namespace paceline
