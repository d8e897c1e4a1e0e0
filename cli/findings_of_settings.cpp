// SPDX-License-Identifier: MIT
#include "cli/findings_of_settings.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/comparison.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {

std::string at_workers(int workers) {
  return "at " + counted(workers, "worker");
}

std::string per_item(const std::string& item) {
  return " per " + (item.ends_with('s') ? item.substr(0, item.size() - 1) : item);
}

std::string more_settings(std::size_t number) {
  return "The table has " + counted(number, "more setting") + ".";
}

namespace {

/// For many settings: "Fastest in all 5 settings: async, 1.50 x sync (uniform, 32 workers) to 4.02
/// x (exponential, 32 workers) per sample.", or how often each choice is; "" where some setting has
/// no choice.
std::string fastest_of_settings(const std::vector<ComparedGroup>& groups) {
  struct Gain {
    double ratio;
    std::string where;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Gain>> gains;  // by choice and other
  std::map<std::string, int> wins;
  for (const ComparedGroup& group : groups) {
    if (group.entries.empty()) return "";
    const int most = worker_counts(group).back();
    const std::vector<ComparedPoint> there = ranked(group, most);
    if (there.size() < 2) return "";
    const ComparedPoint& best = there.front();
    const ComparedPoint& usual = reference(there);
    const ComparedPoint& other = &usual == &best ? there[1] : usual;
    ++wins[best.choice];
    gains[{best.choice, other.choice}].push_back(
        {best.rate() / other.rate(), " (" + group.setting + ", " + counted(most, "worker") + ")"});
  }
  if (gains.size() > 1) {
    std::vector<std::string> each;
    for (const auto& [choice, times] : wins)
      each.push_back(choice + " in " + std::to_string(times));
    return "Fastest of " + counted(groups.size(), "setting") + ": " + join(each) + ".";
  }
  auto& [choices, all] = *gains.begin();
  const auto [least, most] = std::ranges::minmax_element(all, {}, &Gain::ratio);
  return "Fastest in all " + counted(groups.size(), "setting") + ": " + choices.first + ", " +
         ratio_text(least->ratio) + " " + choices.second + least->where + " to " +
         ratio_text(most->ratio) + most->where + per_item(groups.front().item) + ".";
}

/// For many settings: the best and the worst efficiency at their largest numbers of workers; empty
/// unless at least two settings have an efficiency.
std::vector<std::string> extremes(const std::vector<ComparedGroup>& groups) {
  struct Extreme {
    const ComparedGroup* group;
    const ResultRow* row;
    int workers;
  };
  std::vector<Extreme> all;
  for (const ComparedGroup& group : groups) {
    if (group.entries.empty()) continue;
    const int most = worker_counts(group).back();
    const std::vector<ComparedPoint> there = ranked(group, most);
    const ResultRow* row = there.front().row;
    if (row->efficiency && row->base_workers && *row->base_workers < most)
      all.push_back({&group, row, most});
  }
  if (all.size() < 2) return {};
  std::stable_sort(all.begin(), all.end(), [](const Extreme& a, const Extreme& b) {
    return *a.row->efficiency > *b.row->efficiency;
  });
  const auto one = [](const Extreme& extreme) {
    return percent_size(*extreme.row->efficiency) + " " + at_workers(extreme.workers) + " (" +
           extreme.group->setting + (extreme.group->label_predicted ? ", predicted " : ", ") +
           thousands(*extreme.row->measurement.throughput, 4) + " " + extreme.group->item + "/sec)";
  };
  std::vector<std::string> sentences{"Of " + counted(all.size(), "setting") +
                                     ", efficiency is between " + one(all.front()) + " and " +
                                     one(all.back()) + "."};
  if (all.size() < groups.size()) sentences.push_back(more_settings(groups.size() - all.size()));
  return sentences;
}

}  // namespace

std::vector<std::string> findings_of_settings(const std::vector<ComparedGroup>& groups) {
  std::vector<std::string> sentences = extremes(groups);
  if (sentences.empty()) return sentences;
  const std::string first = fastest_of_settings(groups);
  if (!first.empty()) sentences.insert(sentences.begin(), first);
  return sentences;
}

}  // namespace paceline
