// SPDX-License-Identifier: MIT
#include "cli/compared_groups.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace paceline {
namespace {

/// True if a swept key describes the task (the setting) and is not the user's choice. Throughputs
/// are not compared across settings.
bool is_setting(const std::string& path) {
  static constexpr std::array<std::string_view, 10> kKeys{
      "model", "machine", "batch", "global_batch",      "stragglers",
      "train", "seed",    "steps", "samples_per_epoch", "warmup"};
  const std::string top = path.substr(0, path.find('.'));
  return std::find(kKeys.begin(), kKeys.end(), top) != kKeys.end();
}

/// True if a group contains the row, as an entry or as a diverged point.
bool belongs(const ResultRow& row) {
  const bool answers = row.source == Source::measured || row.source == Source::predicted;
  return answers && (has_throughput(row, row.source) || row.measurement.diverged());
}

/// The keys that are choices. A zipped row may set the setting and other keys at once (a model and
/// its aggregation). A key that has a single value in each setting is not a choice.
std::set<std::string> chosen_keys(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> values;
  for (const ResultRow& row : rows) {
    if (!belongs(row)) continue;
    std::string setting;
    for (const SweptKey& key : row.point->swept) {
      if (is_setting(key.path)) setting += key.path + "=" + key.value + "\n";
    }
    for (const SweptKey& key : row.point->swept) {
      if (!is_setting(key.path) && key.path != "workers") {
        values[key.path][setting].insert(key.value);
      }
    }
  }
  std::set<std::string> keys;
  for (const auto& [path, by_setting] : values) {
    for (const auto& [setting, all] : by_setting) {
      if (all.size() > 1) keys.insert(path);
    }
  }
  return keys;
}

/// True if the measured rows of a group contain all predicted points.
bool covers(const ComparedGroup& measured, const ComparedGroup& predicted) {
  std::set<std::size_t> known;
  for (const ComparedPoint& entry : measured.entries) known.insert(entry.row->index);
  for (const ComparedPoint& entry : measured.diverged) known.insert(entry.row->index);
  if (measured.entries.empty() && !predicted.entries.empty()) return false;
  return !known.empty() &&
         std::all_of(predicted.entries.begin(), predicted.entries.end(),
                     [&](const ComparedPoint& entry) { return known.contains(entry.row->index); });
}

}  // namespace

bool ComparedPoint::has_default_update() const {
  const auto usual = default_update(*row->point->experiment.aggregation);
  return usual && choice == usual->kind();
}

bool has_throughput(const ResultRow& row, Source source) {
  return row.source == source && row.usable() && row.measurement.throughput &&
         *row.measurement.throughput > 0;
}

bool has_measurements(const std::vector<ResultRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ResultRow& row) { return has_throughput(row, Source::measured); });
}

std::vector<ComparedGroup> groups_of(const std::vector<ResultRow>& rows,
                                     const SweptLabels& labels) {
  struct BySource {
    ComparedGroup predicted, measured;
  };
  const std::set<std::string> chosen = chosen_keys(rows);
  const bool any_measured = has_measurements(rows);
  std::vector<BySource> all;
  std::map<std::string, std::size_t> places;
  for (const ResultRow& row : rows) {
    if (!belongs(row)) continue;
    ComparedPoint entry{&row, "", row.point->experiment.workers};
    std::string setting;
    for (const SweptKey& key : row.point->swept) {
      if (key.path == "workers") continue;
      std::string& text = chosen.count(key.path) > 0 ? entry.choice : setting;
      const bool constant = !is_setting(key.path) && chosen.count(key.path) == 0;
      if (!constant) text += (text.empty() ? "" : ", ") + labels.named(key);
    }
    const auto [place, added] = places.emplace(setting, all.size());
    const std::string& item = row.point->network->item;
    if (added) all.push_back({{setting, item, {}, {}, any_measured}, {setting, item, {}, {}}});
    BySource& sources = all[place->second];
    ComparedGroup& group = row.source == Source::measured ? sources.measured : sources.predicted;
    (row.measurement.diverged() ? group.diverged : group.entries).push_back(std::move(entry));
  }
  std::vector<ComparedGroup> groups;
  for (BySource& one : all) {
    groups.push_back(std::move(covers(one.measured, one.predicted) ? one.measured : one.predicted));
  }
  return groups;
}

std::vector<ComparedPoint> ranked(const ComparedGroup& group, int workers) {
  std::vector<ComparedPoint> there;
  for (const ComparedPoint& entry : group.entries) {
    if (entry.workers == workers) there.push_back(entry);
  }
  std::stable_sort(there.begin(), there.end(), [](const ComparedPoint& a, const ComparedPoint& b) {
    return a.rate() > b.rate();
  });
  return there;
}

std::vector<int> worker_counts(const ComparedGroup& group) {
  std::set<int> counts;
  for (const ComparedPoint& entry : group.entries) counts.insert(entry.workers);
  return {counts.begin(), counts.end()};
}

const ComparedPoint& reference(const std::vector<ComparedPoint>& there) {
  for (const ComparedPoint& entry : there) {
    if (entry.has_default_update()) return entry;
  }
  return there.back();
}

}  // namespace paceline
