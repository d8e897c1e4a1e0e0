// SPDX-License-Identifier: MIT
#include "cli/profile_file.hpp"

#include <algorithm>

#include "cli/block_yaml.hpp"
#include "cli/computer.hpp"
#include "cli/execution_device.hpp"
#include "cli/timestamp.hpp"
#include "cli/version.hpp"
#include "exec/calibrate/calibrate.hpp"
#include "exec/calibrate/tcp.hpp"
#include "experiments/whole_file.hpp"
#include "experiments/yaml.hpp"
#include "training/arithmetic/arithmetic.hpp"
#include "training/setting.hpp"

namespace paceline {
namespace {

// A profile's own keys say what was measured; this one, beside them, says of which computer.
constexpr const char* kComputer = "computer";

std::vector<const ExperimentPoint*> points_on_host(const std::vector<ExperimentFile>& files,
                                                   Device asked) {
  std::vector<const ExperimentPoint*> points;
  for (const ExperimentFile& file : files) {
    for (const ExperimentPoint& point : file.points) {
      if (!point.machine && !runs_on_cuda(point, asked)) points.push_back(&point);
    }
  }
  return points;
}

/// Whether the point's network has arithmetic whose times can be measured here.
bool needs_times(const ExperimentPoint& point) {
  return point.network->classes > 0 && untrainable(*point.network, point.experiment.batch).empty();
}

bool has_times(const Profile& profile, const ExperimentPoint& point) {
  return times_of(point, profile) != nullptr;
}

}  // namespace

std::filesystem::path default_profile_path() {
  return std::filesystem::path("results") / ".profiles" / (this_computer().host + ".yaml");
}

std::optional<Profile> load_profile(const std::filesystem::path& path, std::ostream& err) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const auto ignore = [&](const std::string& why) {
    err << "paceline: profile " << path.string() << " is not used: " << why << "\n";
    return std::nullopt;
  };
  try {
    const Tree tree = read_yaml_file(path.string());
    const Tree* computer = tree.find(kComputer);
    if (computer == nullptr || computer->text != this_computer().identity()) {
      return ignore("it is of another computer");
    }
    Diagnostics diagnostics;
    Profile profile;
    read_keys(profile, tree, diagnostics, kComputer);
    diagnostics.throw_if_any();
    if (profile.version != version()) return ignore("it is of version " + profile.version);
    return profile;
  } catch (const SpecError& error) {
    return ignore(error.what());
  }
}

void save_profile(const std::filesystem::path& path, const Profile& profile) {
  Tree tree = Tree::map();
  tree.set(kComputer, Tree::scalar(this_computer().identity()));
  tree.find(kComputer)->quoted = true;
  for (const Member& member : write_keys(profile).members) tree.set(member.key, member.value);
  write_whole(path,
              "# What paceline measured of this computer; `paceline calibrate` measures anew.\n" +
                  block_yaml(tree));
}

bool calibrate_missing(std::optional<Profile>& profile,
                       const std::vector<const ExperimentPoint*>& points, std::ostream& err) {
  bool said = false;
  const auto say = [&] {
    if (!said) err << "calibrating this computer (a few seconds)\n" << std::flush;
    said = true;
  };
  if (!profile) {
    say();
    profile.emplace();
    profile->measured = utc_now();
    profile->version = version();
    profile->host = measure_host();
  }
  for (const ExperimentPoint* point : points) {
    if (!needs_times(*point) || has_times(*profile, *point)) continue;
    say();
    profile->networks.push_back(measure_network(*point));
  }
  const bool several = std::any_of(points.begin(), points.end(), [](const ExperimentPoint* point) {
    return point->experiment.process_count() > 1;
  });
  if (several && !profile->tcp) {
    say();
    profile->tcp = measure_loopback();
  }
  return said;
}

std::optional<Profile> profile_for(const std::vector<ExperimentFile>& files, Device asked,
                                   std::ostream& err) {
  const std::vector<const ExperimentPoint*> points = points_on_host(files, asked);
  if (points.empty()) return std::nullopt;
  const std::filesystem::path path = default_profile_path();
  std::optional<Profile> profile = load_profile(path, err);
  if (calibrate_missing(profile, points, err)) save_profile(path, *profile);
  return profile;
}

}  // namespace paceline
