// SPDX-License-Identifier: MIT
#include "exec/calibrate/calibrate.hpp"

#include <numeric>

#include "cli/command.hpp"
#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/profile_file.hpp"
#include "cli/shown_quantity.hpp"

namespace paceline {
namespace {

std::string sum_of(const std::vector<Seconds>& times) {
  return shown(std::accumulate(times.begin(), times.end(), Seconds{}));
}

void print_profile(const Profile& profile, std::ostream& out) {
  const HostFigures& host = profile.host;
  out << text_table({{"this computer"}, {host.cpu_model}},
                    {{"cores", std::to_string(host.cores)},
                     {"a thread copies", shown(host.copy_bandwidth)},
                     {"all threads copy", shown(host.memory_bandwidth)},
                     {"a copy starts after", shown(host.copy_latency)},
                     {"a decision takes", shown(host.decision_latency)},
                     {"an operation keeps the roles' thread busy", shown(host.operation_handling)},
                     {"a timed wait is late by", shown(host.timer_error)}});
  if (profile.networks.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const NetworkProfile& network : profile.networks) {
    rows.push_back({network.network, std::to_string(network.parameters),
                    std::to_string(network.batch), network.optimizer, sum_of(network.forward),
                    sum_of(network.backward), shown(network.update), shown(network.reduce),
                    shown(network.copy)});
  }
  out << "\n"
      << text_table({{"network"},
                     {"parameters", true},
                     {"batch", true},
                     {"optimizer"},
                     {"forward", true},
                     {"backward", true},
                     {"update", true},
                     {"sum", true},
                     {"copy", true}},
                    rows);
}

int calibrate(const Options& options, const Terminal& terminal) {
  std::vector<ExperimentFile> files;
  if (!options.operands.empty()) files = load_experiments(options);
  std::vector<const ExperimentPoint*> points;
  for (const ExperimentFile& file : files) {
    for (const ExperimentPoint& point : file.points) {
      if (!point.machine && !runs_on_cuda(point, Device::any)) points.push_back(&point);
    }
  }
  std::optional<Profile> profile;  // none: everything is measured anew
  calibrate_missing(profile, points, terminal.err);
  const std::filesystem::path path =
      options.output.empty() ? default_profile_path() : std::filesystem::path(options.output);
  save_profile(path, *profile);
  if (!options.quiet) {
    print_profile(*profile, terminal.out);
    terminal.out << "\nprofile: " << path.string() << "\n";
  }
  return kDone;
}

}  // namespace

CommandRow calibrate_command() {
  return {"calibrate",
          "[FILE...]",
          "measure this computer, and the networks of these experiments on it",
          {"-o", "--set", "--seed", "--quiet"},
          calibrate};
}

}  // namespace paceline
