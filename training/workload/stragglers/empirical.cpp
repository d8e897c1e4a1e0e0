// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/empirical.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "experiments/language/presets.hpp"

namespace paceline {
namespace {

/// The times of a file. All points of a sweep that name the file share one copy, kept as long as
/// one of them exists: ten million times per point would not fit in memory. Null after noting an
/// error.
std::shared_ptr<const TimeSample> shared_times(const std::string& path, const TimesQuery& query,
                                               Diagnostics& diagnostics) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const TimeSample>> known;
  std::error_code refused;
  const auto changed = std::filesystem::last_write_time(path, refused).time_since_epoch().count();
  const auto size = std::filesystem::file_size(path, refused);
  const int unit = query.unit ? static_cast<int>(*query.unit) : -1;
  const std::string key = path + "\n" + query.column + "\n" + std::to_string(unit) + " " +
                          std::to_string(changed) + " " + std::to_string(size);
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& each) { return each.second.expired(); });
  if (const auto found = known.find(key); found != known.end()) {
    if (auto times = found->second.lock()) return times;
  }
  std::optional<Times> read = read_times(path, query, diagnostics);
  if (!read) return nullptr;
  auto times = std::make_shared<const TimeSample>(std::move(read->seconds));
  known[key] = times;
  return times;
}

}  // namespace

bool EmpiricalStraggler::settle(const Tree& tree, Diagnostics& diagnostics) {
  const Location& at = tree.find("file")->at;
  const std::string path = path_from(at, file_);
  std::error_code refused;
  if (!std::filesystem::is_regular_file(path, refused) || !std::ifstream(path)) {
    diagnostics.error(at, "cannot open file of times " + quote(path));
    return false;
  }
  times_ = shared_times(path, {column_.value_or(""), unit_, {}}, diagnostics);
  return times_ != nullptr;
}

StragglerShape EmpiricalStraggler::shape() const {
  const Seconds low{times_->times().front()};
  const Seconds high{times_->times().back()};
  return {.low = low, .high = high, .aging = low == high ? Aging::new_longer : Aging::neither};
}

std::vector<Seconds> EmpiricalStraggler::corners() const {
  std::vector<Seconds> all;
  all.reserve(times_->times().size());
  for (const double time : times_->times()) {
    if (all.empty() || Seconds{time} != all.back()) all.emplace_back(time);
  }
  return all;
}

}  // namespace paceline
