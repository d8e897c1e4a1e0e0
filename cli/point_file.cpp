// SPDX-License-Identifier: MIT
#include "cli/point_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "cli/hash.hpp"
#include "cli/version.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/whole_file.hpp"
#include "models/network_text.hpp"
#include "sim/costs/calibrating_row.hpp"
#include "topology/machine_text.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/learning/saved_weights.hpp"

namespace paceline {
namespace {

// The version of the file format. The program's version is part of the key, so a file of another
// format also has another key.
constexpr const char* kFormat = "paceline point 6";
constexpr int kStepsKept = 400;

/// The profile without the parts that the point cannot use, so that calibrating another network
/// does not change the point's key. Any part that is not removed here changes it.
Profile used_by(const ExperimentPoint& point, Profile profile, bool on_gpus) {
  const bool on_host = !point.machine && !on_gpus;
  std::vector<NetworkProfile> networks;
  const auto keep = [&](const ExperimentPoint& one) {
    const NetworkProfile* times = on_host ? times_of(one, profile) : times_on_gpu(one, profile);
    if (times != nullptr) networks.push_back(*times);
  };
  keep(point);
  if (const auto validation = validation_of(point)) keep(*validation);
  profile.networks = std::move(networks);
  if (on_host) profile.forget_gpus();
  if (point.experiment.process_count() == 1) profile.tcp.reset();
  return profile;
}

/// The end of a file: the checksum of the text before it.
std::string checksum_of(std::string_view text) {
  return ",\"checksum\": \"" + Hash().add(text).text() + "\"}\n";
}

}  // namespace

void keep_first_steps(Measurement& measurement, int workers) {
  const std::int64_t each = std::max(1, kStepsKept / workers);
  std::vector<StepRow> first_steps;
  std::set<std::pair<int, std::int64_t>> seen;
  for (const StepRow& row : measurement.steps) {
    if (row.step >= each || row.worker >= kStepsKept) continue;
    if (seen.insert({row.worker, row.step}).second)
      first_steps.push_back(row);  // else of another repeat
  }
  measurement.steps = std::move(first_steps);
}

std::string point_text(const std::string& key, const Measurement& measurement) {
  Tree tree = Tree::map();
  tree.set("format", Tree::quoted_scalar(kFormat));
  tree.set("key", Tree::quoted_scalar(key));
  tree.set("measurement", write_keys(measurement));
  std::string text = to_json(tree);
  text.pop_back();  // the bracket, before which the checksum stands
  return text + checksum_of(text);
}

std::optional<Measurement> read_point_text(const std::string& key, const std::string& text) {
  const std::size_t end = text.size() - std::min(text.size(), checksum_of("").size());
  if (text.substr(end) != checksum_of(std::string_view(text).substr(0, end))) return std::nullopt;
  try {
    const Tree tree = parse_json("", text);
    const auto is = [&](const char* name, const std::string& value) {
      const Tree* found = tree.find(name);
      return found != nullptr && found->text == value;
    };
    const Tree* written = tree.find("measurement");
    if (written == nullptr || !is("format", kFormat) || !is("key", key)) return std::nullopt;
    Diagnostics errors;
    Measurement measurement = read<Measurement>(*written, errors);
    if (errors.count() > 0) return std::nullopt;
    return measurement;
  } catch (const SpecError&) {
    return std::nullopt;
  }
}

std::string SharedParts::hash_of(const Network& network) {
  return known(&network, [&] { return canonical_text(network); });
}

std::string SharedParts::hash_of(const Machine& machine) {
  return known(&machine, [&] { return canonical_text(machine); });
}

std::string SharedParts::hash_of(const Software& software) {
  return known(&software, [&] { return to_json(write_keys(software)); });
}

std::string SharedParts::known(const void* part, const std::function<std::string()>& text) {
  const std::lock_guard lock(mutex_);
  const auto at = hashes_.find(part);
  if (at != hashes_.end()) return at->second;
  return hashes_.emplace(part, Hash().add(text()).text()).first->second;
}

std::string point_content(const ExperimentPoint& point, const Profile* profile, bool on_gpus,
                          SharedParts& parts) {
  Tree experiment = write_keys(point.experiment);
  std::erase_if(experiment.members, [](const Member& member) { return member.key == "expect"; });
  Tree tree = Tree::map();
  tree.set("version", Tree::quoted_scalar(version()));
  tree.set("git", Tree::quoted_scalar(git_commit()));
  tree.set("experiment", std::move(experiment));
  tree.set("times", Tree::quoted_scalar(point.experiment.stragglers.content()));
  const AllReduce* algorithm = point.experiment.aggregation->all_reduce();
  if (algorithm != nullptr) tree.set("program", Tree::quoted_scalar(algorithm->content()));
  tree.set("software", Tree::quoted_scalar(parts.hash_of(*point.software)));
  tree.set("network", Tree::quoted_scalar(parts.hash_of(*point.network)));
  if (point.initial != nullptr) tree.set("initial", Tree::quoted_scalar(point.initial->hash));
  if (point.machine) tree.set("machine", Tree::quoted_scalar(parts.hash_of(*point.machine)));
  if (profile != nullptr) tree.set("profile", write_keys(used_by(point, *profile, on_gpus)));
  tree.set("one_worker", Value<std::optional<CostRow>>::write(calibrating_row(point)));
  std::vector<Tree> beside;
  for (const auto& other : point.beside) {
    beside.push_back(Tree::quoted_scalar(point_content(*other, profile, on_gpus, parts)));
  }
  if (!beside.empty()) tree.set("beside", Tree::list(std::move(beside)));
  return Hash().add(to_json(tree)).text();
}

std::string key_of(const std::string& content, const std::string& source) {
  return Hash().add(content).add(source).text();
}

std::string point_key(const ExperimentPoint& point, const Profile* profile,
                      const std::string& source, bool on_gpus) {
  SharedParts parts;
  return key_of(point_content(point, profile, on_gpus, parts), source);
}

std::optional<Measurement> load_point(const std::filesystem::path& folder, const std::string& key,
                                      std::ostream& notes) {
  std::error_code absent;
  if (std::filesystem::exists(folder / key, absent) &&
      !std::filesystem::is_regular_file(folder / key, absent))
    throw SpecError((folder / key).string() + ": error: not a file (move it away)");
  std::ifstream file(folder / key, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::optional<Measurement> measurement = read_point_text(key, text);
  if (!measurement)
    notes << "note: " << (folder / key).string() << " is damaged; its point runs again\n";
  return measurement;
}

void save_point(const std::filesystem::path& folder, const std::string& key,
                const Measurement& measurement, bool flush) {
  const std::string text = point_text(key, measurement);
  if (flush) {
    write_whole(folder / key, text);
  } else {
    write_whole_unflushed(folder / key, text);
  }
}

}  // namespace paceline
