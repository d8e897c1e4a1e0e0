// SPDX-License-Identifier: MIT
#include "cli/findings.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>

#include "cli/compared_groups.hpp"
#include "cli/comparison.hpp"
#include "cli/findings_of_settings.hpp"
#include "cli/scaling_finding.hpp"
#include "cli/target_finding.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

/// Throughputs count as equal if their relative difference is below this, or below their
/// uncertainty.
constexpr double kEqual = 0.01;
/// The least relative gain of throughput for which doubling the workers pays.
constexpr double kPays = 0.05;

double uncertainty(const ComparedPoint& entry) {
  return entry.row->measurement.throughput_stderr.value_or(0) / entry.rate();
}

bool equal(const ComparedPoint& a, const ComparedPoint& b) {
  const double apart = std::fabs(a.rate() / b.rate() - 1);
  return apart <= std::max(kEqual, 2 * (uncertainty(a) + uncertainty(b)));
}

/// The same comparison by the predictions, such as ", predicted 1.97 x"; "" if there is none.
std::string also_predicted(const ComparedPoint& fast, const ComparedPoint& slow,
                           const std::vector<ResultRow>& rows) {
  if (fast.row->source != Source::measured) return "";
  const auto predicted = [&](const ComparedPoint& entry) -> const ResultRow* {
    for (const ResultRow& row : rows) {
      if (row.index == entry.row->index && has_throughput(row, Source::predicted)) return &row;
    }
    return nullptr;
  };
  const ResultRow* mine = predicted(fast);
  const ResultRow* other = predicted(slow);
  if (mine == nullptr || other == nullptr) return "";
  return ", predicted " +
         ratio_text(*mine->measurement.throughput / *other->measurement.throughput);
}

/// "Fastest at 16 workers: async, 50,390 samples/sec, 1.96 x sync, predicted 1.97 x."
std::string fastest(const ComparedGroup& group, int workers, const std::vector<ResultRow>& rows) {
  const std::vector<ComparedPoint> there = ranked(group, workers);
  const ComparedPoint& best = there.front();
  const ComparedPoint& other = reference(there);
  std::string text = "Fastest " + at_workers(workers) + ": " + best.choice;
  std::vector<std::string> ties;
  double apart = 0;                       // the best relative to the slowest tie
  const ComparedPoint* second = nullptr;  // the fastest that is not a tie
  for (std::size_t i = 1; i < there.size(); ++i) {
    if (equal(best, there[i])) {
      ties.push_back(there[i].choice);
      apart = best.rate() / there[i].rate() - 1;
    } else if (second == nullptr) {
      second = &there[i];
    }
  }
  const std::string rate = thousands(best.rate(), 4) + " " + group.item + "/sec";
  if (second == nullptr && apart > kEqual) {
    return "No choice is fastest beyond doubt " + at_workers(workers) + ": they differ by " +
           percent_size(apart) + " at most, which is within the noise; the first is " +
           best.choice + ", " + rate + ".";
  }
  if (second == nullptr) {
    return "All choices are equal " + at_workers(workers) + " within " + percent_size(apart) +
           ": " + rate + ".";
  }
  if (!ties.empty()) {
    const std::string limit = apart > kEqual ? "the noise" : significant(100 * kEqual, 1) + " %";
    text += " (equal within " + limit + ": " + join(ties) + ")";
  }
  text += ", " + rate;
  const bool usual = other.has_default_update();
  if (!usual && second != nullptr && second != &there.back()) {
    return text + ", " + ratio_text(best.rate() / second->rate()) + " the next, " + second->choice +
           also_predicted(best, *second, rows) + ", and " + ratio_text(best.rate() / other.rate()) +
           " the slowest, " + other.choice + ".";
  }
  if (&other == &best) {
    return text + ", " + ratio_text(best.rate() / second->rate()) + " the next, " + second->choice +
           also_predicted(best, *second, rows) + ".";
  }
  return text + ", " + ratio_text(best.rate() / other.rate()) + " " + other.choice +
         per_item(group.item) + also_predicted(best, other, rows) + ".";
}

/// "Fastest with fewer workers: 2: all equal; 4: async (1.3 x)."; "" with only one number of
/// workers.
std::string fastest_with_fewer(const ComparedGroup& group, const std::vector<int>& counts) {
  std::string text;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
    const std::vector<ComparedPoint> there = ranked(group, counts[i]);
    if (there.size() < 2) continue;
    const ComparedPoint& other = reference(there);
    std::string choice = there.front().choice;
    if (std::all_of(there.begin() + 1, there.end(),
                    [&](const ComparedPoint& entry) { return equal(there.front(), entry); })) {
      const bool noisy = there.front().rate() / there.back().rate() - 1 > kEqual;
      choice = noisy ? "all within the noise" : "all equal";
    } else if (&other != &there.front()) {
      choice += " (" + ratio_text(there.front().rate() / other.rate()) + ")";
    }
    text += (text.empty() ? "" : "; ") + std::to_string(counts[i]) + ": " + choice;
  }
  return text.empty() ? "" : "Fastest with fewer workers: " + text + ".";
}

const ComparedPoint* same_choice(const ComparedGroup& group, const ComparedPoint& entry,
                                 int workers) {
  for (const ComparedPoint& other : group.entries) {
    if (other.workers == workers && other.choice == entry.choice) return &other;
  }
  return nullptr;
}

/// The throughput at which `workers` pay, compared with an entry with fewer workers.
double paying_rate(const ComparedPoint& entry, int workers) {
  return entry.rate() * std::pow(1 + kPays, std::log2(1.0 * workers / entry.workers));
}

/// Reports the least number of workers that no larger swept number improves on; "" if more workers
/// always pay.
std::string stops_paying(const ComparedGroup& group, const ComparedPoint& entry,
                         const std::vector<int>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const ComparedPoint* before = same_choice(group, entry, counts[i]);
    if (before == nullptr) continue;
    const ComparedPoint* most = nullptr;  // the fastest with more workers
    bool pays = false;
    for (std::size_t j = i + 1; j < counts.size() && !pays; ++j) {
      const ComparedPoint* after = same_choice(group, entry, counts[j]);
      if (after == nullptr) continue;
      pays = after->rate() >= paying_rate(*before, after->workers);
      if (most == nullptr || after->rate() > most->rate()) most = after;
    }
    if (most == nullptr || pays) continue;
    return "More than " + counted(before->workers, "worker") +
           (before->workers == 1 ? " does not pay" : " do not pay") +
           (entry.choice.empty() ? "" : " with " + entry.choice) + ": " +
           std::to_string(most->workers) + " change throughput by " +
           percent(most->rate() / before->rate() - 1) + ".";
  }
  return "";
}

/// The sentences about one group; some may be "".
std::vector<std::string> sentences_of(const ComparedGroup& group,
                                      const std::vector<ResultRow>& rows) {
  if (group.entries.empty()) return {target_finding(group)};
  const std::vector<int> counts = worker_counts(group);
  const int most = counts.back();
  const std::vector<ComparedPoint> there = ranked(group, most);
  const ComparedPoint& best = there.front();
  std::vector<std::string> sentences;
  if (there.size() > 1) {
    sentences.push_back(fastest(group, most, rows));
  } else {
    sentences.push_back(counted(most, "worker") +
                        (best.choice.empty() ? "" : " with " + best.choice) +
                        (most == 1 ? " trains " : " train ") + thousands(best.rate(), 4) + " " +
                        group.item + "/sec.");
  }
  if (const std::string text = scaling(best, rows); !text.empty()) {
    if (there.size() > 1) {
      sentences.push_back(text);
    } else {
      sentences.front() += " " + text;
    }
  }
  if (there.size() > 1) {
    const ComparedPoint& other = reference(there);
    const std::string text = &other == &best ? "" : scaling(other, rows);
    if (!text.empty()) sentences.back() += " " + text;
  }
  sentences.push_back(stops_paying(group, best, counts));
  sentences.push_back(target_finding(group));
  if (there.size() > 1) sentences.push_back(fastest_with_fewer(group, counts));
  return sentences;
}

void add_sentences(const ComparedGroup& group, const std::vector<ResultRow>& rows,
                   std::vector<std::string>& out) {
  const std::string lead = lead_of(group.setting, group.label_predicted);
  for (std::string& text : sentences_of(group, rows)) {
    if (text.empty()) continue;
    if (!lead.empty()) text.front() = static_cast<char>(std::tolower(text.front()));
    out.push_back(lead + text);
  }
}

/// True if two points have the same task on different machines; both are of one sweep.
bool differ_in_machine(const ExperimentPoint& a, const ExperimentPoint& b) {
  for (std::size_t i = 0; i < a.swept.size(); ++i) {
    const std::string& path = a.swept[i].path;
    const bool task = path == "model" || path == "batch" || path == "global_batch" ||
                      path.starts_with("model.") || path == "stragglers" ||
                      path.starts_with("stragglers.");
    if (task && a.swept[i].value != b.swept[i].value) return false;
  }
  return a.machine_name() != b.machine_name();
}

/// "Fastest machine: hgx-b200 at 16 workers, 5,000 images/sec, 1.31 x dgx-h100 at 8 workers."; ""
/// unless the settings are machines for one task.
std::string fastest_machine(const std::vector<ComparedGroup>& groups) {
  if (groups.size() < 2 || groups.size() > kSettingsReported) return "";
  std::vector<ComparedPoint> best;
  for (const ComparedGroup& group : groups) {
    if (group.entries.empty()) return "";
    best.push_back(ranked(group, worker_counts(group).back()).front());
    for (std::size_t i = 0; i + 1 < best.size(); ++i) {
      if (!differ_in_machine(*best[i].row->point, *best.back().row->point)) return "";
    }
  }
  std::ranges::stable_sort(best, std::ranges::greater{}, &ComparedPoint::rate);
  if (equal(best[0], best[1])) return "";
  const auto named = [](const ComparedPoint& entry) {
    return entry.row->point->machine_name() + " " + at_workers(entry.workers);
  };
  return "Fastest machine: " + named(best[0]) + ", " + thousands(best[0].rate(), 4) + " " +
         groups.front().item + "/sec, " + ratio_text(best[0].rate() / best[1].rate()) + " " +
         named(best[1]) + ".";
}

}  // namespace

std::string lead_of(const std::string& name, bool label_predicted) {
  if (!label_predicted) return name.empty() ? "" : name + ": ";
  return name.empty() ? "Predicted: " : name + ", predicted: ";
}

std::vector<std::string> findings(const std::vector<ResultRow>& rows, const SweptLabels& labels) {
  const std::vector<ComparedGroup> groups = groups_of(rows, labels);
  std::vector<std::string> out;
  if (groups.size() > kSettingsReported) out = findings_of_settings(groups);
  if (!out.empty()) return out;
  if (const std::string text = fastest_machine(groups); !text.empty()) out.push_back(text);
  for (std::size_t i = 0; i < std::min(groups.size(), kSettingsReported); ++i) {
    add_sentences(groups[i], rows, out);
  }
  if (groups.size() > kSettingsReported) {
    out.push_back(more_settings(groups.size() - kSettingsReported));
  }
  return out;
}

std::vector<LargestPoint> largest_points(const std::vector<ResultRow>& rows,
                                         const SweptLabels& labels) {
  std::vector<LargestPoint> points;
  for (const ComparedGroup& group : groups_of(rows, labels)) {
    if (group.entries.empty()) continue;
    const ComparedPoint best = ranked(group, worker_counts(group).back()).front();
    const bool both = !group.setting.empty() && !best.choice.empty();
    points.push_back({best.row->point, group.setting + (both ? ", " : "") + best.choice});
  }
  return points;
}

}  // namespace paceline
