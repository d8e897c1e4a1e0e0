// SPDX-License-Identifier: MIT
#include "exec/calibrate/calibrate.hpp"

#include <numeric>

#include "cli/command.hpp"
#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/joint_points.hpp"
#include "cli/profile_file.hpp"
#include "cli/shown_quantity.hpp"
#include "exec/calibrate/tcp.hpp"

namespace paceline {
namespace {

std::string sum_of(const std::vector<Seconds>& times) {
  return shown(std::accumulate(times.begin(), times.end(), Seconds{}));
}

void print_tcp(const TcpProfile& tcp, std::ostream& out) {
  out << "\n"
      << text_table({{"TCP between processes"}, {tcp.between}},
                    {{"an empty copy takes", shown(tcp.latency)},
                     {"one stream", shown(tcp.stream)},
                     {"several streams together", shown(tcp.together)},
                     {"processor time to send 1 GB", shown(tcp.send)},
                     {"processor time to receive it", shown(tcp.receive)}});
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
  if (profile.tcp) print_tcp(*profile.tcp, out);
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
  const std::unique_ptr<Group> group = join_group(options, "calibrate");
  if (group != nullptr && !group->leads()) {
    measure_link(*group);
    return kDone;
  }
  std::optional<Profile> profile;  // none: everything is measured anew
  calibrate_missing(profile, points, terminal.err);
  profile->tcp = group != nullptr ? measure_link(*group) : measure_loopback();
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
          {"-o", "--set", "--seed", "--processes", "--rank", "--address", "--quiet"},
          calibrate};
}

}  // namespace paceline
