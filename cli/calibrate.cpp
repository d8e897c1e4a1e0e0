// SPDX-License-Identifier: MIT
#include "cli/block_yaml.hpp"
#include "cli/calibration.hpp"
#include "cli/calibration_table.hpp"
#include "cli/colour.hpp"
#include "cli/command.hpp"
#include "cli/computer.hpp"
#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/joint_points.hpp"
#include "cli/kept_file.hpp"
#include "cli/profile_file.hpp"
#include "exec/calibrate/tcp.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/whole_file.hpp"
#include "training/profile/measured_machine.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

/// The path of the machine file beside the profile: "gpubox.yaml" gives "gpubox.machine.yaml".
std::filesystem::path machine_path_of(std::filesystem::path profile) {
  return profile.replace_extension(".machine.yaml");
}

void save_machine(const std::filesystem::path& path, const Profile& profile) {
  std::vector<std::string> gpus;
  for (const GpuProfile& gpu : profile.gpus) gpus.push_back(gpu.name);
  const MachineSpec spec = measured_machine_spec(profile, fingerprint_with(gpus));
  write_whole(path, "# " + spec.title + "\n" + block_yaml(write_keys(spec)));
}

std::string json_of(const Profile& profile, const std::filesystem::path& path,
                    const std::filesystem::path& machine,
                    const std::vector<std::string>& problems) {
  Tree tree = Tree::map();
  tree.set("profile", Tree::quoted_scalar(path.string()));
  tree.set("machine", Tree::quoted_scalar(machine.string()));
  std::vector<Tree> lines;
  for (const std::string& problem : problems) lines.push_back(Tree::quoted_scalar(problem));
  tree.set("not_measured", Tree::list(std::move(lines)));
  tree.set("figures", write_keys(profile));
  return to_json(tree, 2) + "\n";
}

int calibrate(const Options& options, const Terminal& terminal) {
  std::vector<ExperimentFile> files;
  if (!options.operands.empty()) files = load_experiments(options);
  ExecutionDevices devices(options.device);
  CalibrationOrder order;
  order.all_figures = true;
  order.effort = options.quick ? Effort::quick : Effort::thorough;
  order.quiet = options.quiet;
  if (options.device != Device::host) order.gpus = devices.accelerator();
  if (options.device == Device::cuda && order.gpus == nullptr) {
    terminal.err << "paceline: error: " << devices.problem() << "\n";
    return kNotHere;
  }
  for (const ExperimentFile& file : files) {
    const std::size_t before = order.on_host.size() + order.on_gpus.size();
    for (const ExperimentPoint& point : file.points) {
      if (point.machine && point.machine->kind() != Machine::Kind::described) continue;
      const bool cuda = runs_on_cuda(point, options.device);
      if (!cuda && point.machine) continue;
      (cuda ? order.on_gpus : order.on_host).push_back(&point);
    }
    if (order.on_host.size() + order.on_gpus.size() == before) {
      terminal.err << "note: " << file.path << ": no point runs on this computer (machine: this)\n";
    }
  }
  const std::unique_ptr<Group> group = join_group(options, "calibrate");
  if (group != nullptr && !group->leads()) {
    measure_link(*group);
    return kDone;
  }
  const std::filesystem::path path =
      options.output.empty() ? writable_profile_path() : std::filesystem::path(options.output);
  const std::filesystem::path machine = machine_path_of(path);
  if (!options.output.empty()) {  // the file of this computer is written again
    expect_absent(path, options);
    expect_absent(machine, options);
  }
  expect_place(path, "file");
  std::optional<Profile> profile;  // empty, so that everything is measured
  order.group = group.get();
  Calibration calibration(order, profile);
  const std::vector<std::string> problems = calibration.run(terminal);
  save_profile(path, *profile);
  save_machine(machine, *profile);
  for (const std::string& problem : problems) {
    terminal.err << coloured_errors("paceline: error: not measured: " + problem + "\n",
                                    terminal.colour);
  }
  if (options.json) {
    terminal.out << json_of(*profile, path, machine, problems);
  } else if (options.markdown) {
    terminal.out << calibration_table(*profile, TableStyle::markdown);
  } else if (!options.quiet) {
    terminal.out << calibration_table(*profile) << "\nprofile: " << path.string()
                 << "\nmachine: " << machine.string() << "\n";
  }
  return problems.empty() ? kDone : kPointFailed;
}

}  // namespace

CommandRow calibrate_command() {
  return {"calibrate",
          "[FILE...]",
          "measure this computer and, on it, the networks of these experiments",
          {"-o", "--set", "--seed", "--device", "--processes", "--rank", "--address",
           "--secret-file", "--quick", "--force", "--quiet", "--json", "--markdown"},
          calibrate,
          "profile to write (default: ~/.cache/paceline/HOST-KEY.yaml)"};
}

}  // namespace paceline
