// SPDX-License-Identifier: MIT
#include "cli/joint_points.hpp"

#include "cli/block_yaml.hpp"
#include "cli/execution_device.hpp"
#include "cli/hash.hpp"
#include "cli/version.hpp"
#include "exec/processes/joint_execution.hpp"
#include "exec/processes/launch.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/yaml.hpp"
#include "sim/costs/prediction.hpp"
#include "training/learning/saved_weights.hpp"

namespace paceline {
namespace {

// Replaces the index of a file: there are no further points.
constexpr std::uint32_t kNoMore = 0xffffffff;

[[noreturn]] void fail(const std::string& problem) {
  throw SpecError("paceline: error: " + problem);
}

Membership membership(const Options& options) {
  if (!options.processes) return membership_of_mpirun();
  if (!options.rank || options.address.empty()) {
    fail("--processes needs --rank and --address (HOST:PORT of process 0, the same for all)");
  }
  if (*options.rank >= *options.processes) {
    fail("--rank " + std::to_string(*options.rank) + " is not below --processes " +
         std::to_string(*options.processes));
  }
  const std::optional<Endpoint> leader = read_endpoint(options.address);
  if (!leader) fail("--address " + quote(options.address) + " is not HOST:PORT");
  if (const std::string why = unresolved(*leader); !why.empty()) {
    fail("--address: cannot resolve " + quote(std::string_view(leader->host)) + " (" + why + ")");
  }
  if (leader->port + *options.processes > 65'536) {
    fail("--address: process r listens on port " + std::to_string(leader->port) +
         " + r, and ports end at 65535");
  }
  return membership_of_address(*options.processes, *options.rank, *leader,
                               secret_of_group(options.secret_file, *leader));
}

std::string profile_text(const Profile* profile) {
  return profile != nullptr ? block_yaml(write_keys(*profile)) : "";
}

std::optional<Profile> read_profile(const std::string& text) {
  if (text.empty()) return std::nullopt;
  Diagnostics diagnostics;
  Profile profile;
  read_keys(profile, parse_yaml("process 0's profile", text), diagnostics);
  diagnostics.throw_if_any();
  return profile;
}

}  // namespace

std::unique_ptr<Group> join_group(const Options& options, const std::string& identity) {
  if (!options.processes && (options.rank || !options.address.empty())) {
    fail("--rank and --address need --processes");
  }
  if (!options.processes && !options.secret_file.empty()) {
    fail("--secret-file needs --processes (mpirun gives its processes a random secret)");
  }
  const int size = options.processes ? *options.processes : processes_of_mpirun();
  if (size == 1) return nullptr;
  Hash hash;
  hash.add(version()).add(git_commit()).add(compiler()).add(identity);
  return std::make_unique<Group>(membership(options), hash.text());
}

std::string identity_of(const std::vector<ExperimentFile>& files, const Options& options) {
  Hash hash;
  for (const ExperimentFile& file : files) {
    hash.add(file.text);
    // covers the presets and files to which the text refers
    for (const ExperimentPoint& point : file.points) {
      hash.add(to_flow(write_keys(point.experiment)));
      hash.add(static_cast<double>(point.network->parameters()));
      if (point.initial != nullptr) hash.add(point.initial->hash);
    }
  }
  hash.add(static_cast<double>(options.device));
  return hash.text();
}

void settle_processes(std::vector<ExperimentFile>& files, const Group* group) {
  if (group == nullptr) return;
  for (ExperimentFile& file : files) {
    for (ExperimentPoint& point : file.points) {
      Experiment& experiment = point.experiment;
      if (experiment.processes || point.machine || experiment.devices) continue;
      if (experiment.workers < group->size()) continue;
      experiment.processes.emplace();
      experiment.processes->count = group->size();
    }
  }
}

std::string unfit_for_group(const ExperimentPoint& point, const Group* group) {
  const int needed = point.experiment.process_count();
  const int here = group != nullptr ? group->size() : 1;
  const int workers = point.experiment.workers;
  if (needed != here && !point.experiment.processes && workers < here) {
    return counted(workers, "worker") + " cannot be spread over " + std::to_string(here) +
           " processes (start at most " + std::to_string(workers) + ")";
  }
  if (needed != here) {
    const std::string need =
        needed == 1 ? "it needs one process" : "it needs " + std::to_string(needed) + " processes";
    return need + ", but " +
           (here == 1 ? "one was started" : std::to_string(here) + " were started") +
           (needed > 1 ? " (mpirun -n " + std::to_string(needed) + ", or --processes)" : "");
  }
  if (group == nullptr) return "";
  const std::string absent = group->absence();
  return absent.empty() ? "" : absent + "; the same command continues from here";
}

void Leader::announce(const Setting& setting, const Profile* profile) {
  const ExperimentPoint& point = *setting.point;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const std::vector<ExperimentPoint>& points = files_[file].points;
    if (points.empty() || &point < &points.front() || &point > &points.back()) continue;
    FrameWriter frame(FrameKind::point);
    frame.put(static_cast<std::uint32_t>(file));
    frame.put(static_cast<std::uint32_t>(&point - points.data()));
    frame.put(setting.spans != nullptr).put_text(profile_text(profile));
    return group_.send_to_all(frame);
  }
}

void Leader::end(int code) {
  FrameWriter frame(FrameKind::point);
  group_.send_to_all(frame.put(kNoMore).put(code));
}

int follow(Group& group, const std::vector<ExperimentFile>& files, ExecutionDevices& devices) {
  for (;;) {
    const Frame frame = group.receive(0, FrameKind::point);
    FrameReader reader = frame.reader();
    const auto file = reader.take<std::uint32_t>();
    if (file == kNoMore) return reader.take<int>();
    const ExperimentPoint& point = files.at(file).points.at(reader.take<std::uint32_t>());
    const bool traced = reader.take<bool>();
    const std::optional<Profile> profile = read_profile(reader.take_text());
    devices.take_part_in(point, profile ? &*profile : nullptr, group, traced);
  }
}

}  // namespace paceline
