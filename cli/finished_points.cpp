// SPDX-License-Identifier: MIT
#include "cli/finished_points.hpp"

#include <filesystem>

#include "cli/attempt.hpp"
#include "cli/trace_file.hpp"
#include "cli/trained_weights.hpp"
#include "exec/plugin/matching.hpp"
#include "experiments/language/whole_file.hpp"

namespace paceline {

FinishedPoints::FinishedPoints(const PointRun& run) : run_(run), keys_(run.file->points.size()) {}

bool FinishedPoints::on_cuda(std::size_t point) const {
  return runs_on_cuda(run_.file->points[point], device());
}

const std::string& FinishedPoints::key(std::size_t point, Kept result) const {
  std::string& key = keys_[point].keys[static_cast<std::size_t>(result)];
  if (key.empty()) key = new_key(point, result);
  return key;
}

std::string FinishedPoints::new_key(std::size_t point, Kept result) const {
  const ExperimentPoint& of = run_.file->points[point];
  const bool cuda = on_cuda(point);
  // Measurements of GPUs and of the host have different names, so that one is never used for the
  // other. Those of GPUs do not depend on the profile.
  if (result == Kept::measured && cuda) {
    return key_of(point_content(of, nullptr, cuda, parts_), "measured on cuda");
  }
  std::string& content = keys_[point].content;
  if (content.empty()) content = point_content(of, profile_of(of, run_.profile), cuda, parts_);
  if (result == Kept::measured) return key_of(content, "measured");
  return key_of(content, run_.by_events ? "by events" : "predicted");
}

std::optional<Measurement> FinishedPoints::load(std::size_t point, Kept result,
                                                std::ostream& notes) const {
  const std::string& name = key(point, result);
  std::optional<Measurement> known = load_point(run_.folder, name, notes);
  if (known || run_.also_finished.empty()) return known;
  known = load_point(run_.also_finished, name, notes);
  try {
    if (known) save_point(run_.folder, name, *known, result == Kept::measured);
  } catch (const WriteError& error) {
    notes << "note: " << error.what() << "\n";
  }
  return known;
}

std::unordered_set<std::string> FinishedPoints::names() const {
  std::unordered_set<std::string> all;
  for (const std::filesystem::path& folder : {run_.folder, run_.also_finished}) {
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
      all.insert(entry.path().filename().string());
    }
  }
  return all;
}

void FinishedPoints::save(std::size_t point, Kept result, const Measurement& measurement,
                          const Setting& setting, const std::vector<float>& weights) const {
  const std::string& name = key(point, result);
  if (setting.spans != nullptr) save_trace(run_.folder, name, setting.spans->trace(), setting);
  if (!weights.empty() && measurement.status == "ok") {
    const Source source = result == Kept::predicted ? Source::predicted : Source::measured;
    save_weights(weights_file(point, result), run_.file->points[point], source, weights);
  }
  save_point(run_.folder, name, measurement, result == Kept::measured);
}

void FinishedPoints::keep(std::size_t point, Kept result, const Measurement& measurement,
                          const Setting& setting, const std::vector<float>& weights) {
  if (!kept() || failed(measurement)) return;
  try {
    save(point, result, measurement, setting, weights);
  } catch (const WriteError& error) {
    const std::lock_guard lock(unsaved_mutex_);
    if (unsaved_.empty()) unsaved_ = error.what();
  }
}

std::filesystem::path FinishedPoints::weights_file(std::size_t point, Kept result) const {
  return run_.folder.parent_path() / "weights" / (key(point, result) + ".safetensors");
}

bool FinishedPoints::has_weights(std::size_t point, Kept result) const {
  std::error_code none;
  return kept() && std::filesystem::is_regular_file(weights_file(point, result), none);
}

bool FinishedPoints::has_trace(std::size_t point, Kept result) const {
  return paceline::has_trace(run_.folder, key(point, result));
}

}  // namespace paceline
