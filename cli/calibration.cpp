// SPDX-License-Identifier: MIT
#include "cli/calibration.hpp"

#include <algorithm>
#include <stdexcept>

#include "cli/computer.hpp"
#include "cli/profile_file.hpp"
#include "cli/progress.hpp"
#include "cli/round_digits.hpp"
#include "cli/timestamp.hpp"
#include "cli/version.hpp"
#include "exec/calibrate/host_steps.hpp"
#include "exec/calibrate/tcp.hpp"
#include "experiments/language/counted.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/experiment/setting.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/learning/arithmetic/library_versions.hpp"
#include "training/profile/bounds.hpp"
#include "training/profile/measured_machine.hpp"

namespace paceline {
namespace {

std::map<std::string, std::string> gpu_software(const AcceleratorFacts& facts) {
  return {{"driver", facts.driver},
          {"CUDA", facts.runtime},
          {"cuDNN", facts.cudnn},
          {"cuBLAS", facts.cublas},
          {"NCCL", facts.nccl}};
}

/// True if the profile was measured on the present GPUs with the present drivers and libraries.
bool same_gpus(const Profile& profile, const AcceleratorFacts& facts) {
  if (profile.gpus.size() != facts.gpus.size()) return false;
  for (std::size_t i = 0; i < facts.gpus.size(); ++i) {
    if (profile.gpus[i].name != facts.gpus[i].name) return false;
  }
  if (!has_links(profile)) return false;
  for (const auto& [name, version] : gpu_software(facts)) {
    const auto known = profile.software.find(name);
    if (!version.empty() && (known == profile.software.end() || known->second != version)) {
      return false;
    }
  }
  return true;
}

/// The profile as it reads back from its file: rounded to six digits.
Profile rounded(const Profile& profile) {
  Diagnostics diagnostics;
  Profile again = read<Profile>(six_digits(write_keys(profile)), diagnostics);
  diagnostics.throw_if_any();
  if (const std::string wrong = impossible_figure(again); !wrong.empty()) {
    throw std::runtime_error("calibration measured an impossible value: " + wrong +
                             " (close other programs and calibrate again)");
  }
  return again;
}

bool among(const Workload& workload, const std::vector<Workload>& others) {
  return std::find(others.begin(), others.end(), workload) != others.end();
}

}  // namespace

std::map<std::string, std::string> host_software() {
  std::map<std::string, std::string> versions = arithmetic_libraries();
  versions["compiler"] = compiler();
  versions["system"] = this_computer().os;
  return versions;
}

Calibration::Calibration(const CalibrationOrder& order, std::optional<Profile>& profile)
    : order_(order), profile_(profile) {
  const bool fresh = !profile_;
  if (fresh) profile_.emplace();
  if (fresh || order_.all_figures) {
    profile_->measured = utc_now();
    profile_->version = version();
    profile_->software = host_software();
    profile_->links.clear();
    steps_ = host_steps(order_.all_figures, order_.effort, *profile_);
  }
  add_exchange();
  add_host();
  add_gpus();
  add_tcp();
}

void Calibration::add_tcp() {
  const auto& points = order_.on_host;
  const bool several_processes = std::any_of(
      points.begin(), points.end(),
      [](const ExperimentPoint* point) { return point->experiment.process_count() > 1; });
  if (!order_.all_figures && (!several_processes || profile_->tcp)) return;
  steps_.push_back({"TCP between processes", [this] {
                      profile_->tcp = order_.group != nullptr ? measure_link(*order_.group)
                                                              : measure_loopback();
                      return std::string();
                    }});
}

/// A collective alone is predicted from its parts.
void Calibration::add_exchange() {
  const bool needed = std::ranges::any_of(order_.on_host, [](const ExperimentPoint* point) {
    return point->experiment.workload && point->experiment.process_count() == 1;
  });
  if (!order_.all_figures && (!needed || profile_->exchange)) return;
  steps_.push_back(exchange_step(order_.effort, *profile_));
}

void Calibration::add_host() {
  std::vector<Workload> workloads;
  const auto add = [&](const ExperimentPoint& point) {
    const Workload workload = workload_of(point);
    if (!lacks_host_times(point, *profile_) || among(workload, workloads)) return;
    workloads.push_back(workload);
    if (const std::string why = untrainable(*point.network, workload.batch); !why.empty()) {
      add_problem(workload, why);
      return;
    }
    steps_.push_back(host_network_step(point, *profile_));
  };
  for (const ExperimentPoint* point : order_.on_host) {
    const std::optional<ExperimentPoint> validation = validation_of(*point);
    if (!validation) {
      add(*point);
      continue;
    }
    ExperimentPoint training = *point;
    training.experiment.validation.reset();
    add(training);
    add(*validation);
  }
}

void Calibration::add_gpus() {
  if (order_.gpus == nullptr || (order_.on_gpus.empty() && !order_.all_figures)) return;
  const AcceleratorFacts& facts = order_.gpus->facts();
  GpuCalibration what;
  what.effort = order_.effort;
  what.figures = order_.all_figures || !same_gpus(*profile_, facts);
  if (what.figures) {
    profile_->forget_gpus();
    for (const auto& [name, version] : gpu_software(facts)) {
      if (!version.empty()) profile_->software[name] = version;
    }
  }
  std::vector<Workload> workloads;
  for (const ExperimentPoint* point : order_.on_gpus) {
    if (point->network->classes == 0) continue;
    if (const std::string why = order_.gpus->not_executable(*point); !why.empty()) {
      add_problem(workload_of(*point), why);
      continue;
    }
    const auto gpu = static_cast<std::size_t>(gpu_of(point->experiment.devices, 0));
    const Workload workload = workload_on_gpu(*point, facts.gpus.at(gpu).name);
    if (profile_->find(workload) != nullptr || among(workload, workloads)) continue;
    workloads.push_back(workload);
    what.networks.push_back({point, workload});
  }
  for (CalibrationStep& step : order_.gpus->calibration(what, *profile_)) {
    steps_.push_back(std::move(step));
  }
}

void Calibration::add_problem(const Workload& workload, const std::string& why) {
  const std::string line =
      workload.network + " at batch " + std::to_string(workload.batch) + ": " + why;
  if (std::ranges::find(problems_, line) == problems_.end()) problems_.push_back(line);
}

std::vector<std::string> Calibration::run(const Terminal& terminal) {
  std::vector<std::string> problems = problems_;
  if (steps_.empty()) return problems;
  if (!order_.quiet && !terminal.live) {
    terminal.err << "calibrating this computer (" << counted(steps_.size(), "measurement") << ")\n"
                 << std::flush;
  }
  ProgressBar progress(terminal, "calibrating this computer", steps_.size(), order_.quiet, "done");
  for (const CalibrationStep& step : steps_) {
    progress.set_current(step.what);
    if (const std::string why = step.run(); !why.empty())
      problems.push_back(step.what + ": " + why);
    progress.advance();
  }
  *profile_ = rounded(*profile_);
  return problems;
}

}  // namespace paceline
