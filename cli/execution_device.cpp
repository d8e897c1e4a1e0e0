// SPDX-License-Identifier: MIT
#include "cli/execution_device.hpp"

#include <cmath>

#include "cli/computer.hpp"
#include "cli/core_times.hpp"
#include "cli/joint_points.hpp"
#include "exec/host/execute.hpp"
#include "exec/plugin/matching.hpp"
#include "exec/processes/joint_execution.hpp"
#include "sim/costs/prediction.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"

namespace paceline {
namespace {

template <class Gpu>
std::vector<std::string> names_of(const std::vector<Gpu>& gpus) {
  std::vector<std::string> names;
  for (const Gpu& gpu : gpus) names.push_back(gpu.name);
  return names;
}

/// True if a described machine is the computer of the profile.
bool is_of(const Machine& machine, const Profile* profile) {
  return profile != nullptr && !machine.fingerprint().empty() &&
         machine.fingerprint() == fingerprint_with(names_of(profile->gpus));
}

bool described(const ExperimentPoint& point) {
  return point.machine && point.machine->kind() == Machine::Kind::described &&
         point.machine->gpu_count() > 0;
}

}  // namespace

bool runs_on_cuda(const ExperimentPoint& point, Device device) {
  if (device != Device::any) return device == Device::cuda;
  if (point.machine) return described(point);
  const Experiment& experiment = point.experiment;
  const AllReduce* all_reduce = experiment.aggregation->all_reduce();
  return experiment.devices || experiment.precision != Precision::fp32 ||
         (all_reduce != nullptr && all_reduce->native());
}

std::string not_predictable(const ExperimentPoint& point, Device device, const Profile* profile) {
  if (point.machine || !runs_on_cuda(point, device)) return "";
  const int gpu = gpu_of(point.experiment.devices, 0);
  if (profile == nullptr || gpu >= static_cast<int>(profile->gpus.size())) {
    return "no profile of GPU " + std::to_string(gpu) + " (run paceline calibrate where it is)";
  }
  if (point.network->classes == 0 || times_on_gpu(point, *profile) != nullptr) return "";
  return "no profile of '" + point.network->name + "' at batch " +
         std::to_string(point.experiment.batch) + " on this GPU (run paceline calibrate FILE)";
}

namespace {

/// "" or why there is no memory for mini-batches of every length.
std::string too_many_shapes(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  if (!experiment.lengths || (point.machine && !experiment.train)) return "";
  const int engines = point.machine ? 1 : experiment.workers;
  const double bytes = arrays_of_shapes(point).value() * engines;
  if (bytes <= memory_of_this_computer().value()) return "";
  return "mini-batches of every length need some " + print_number(std::round(bytes / 1e9)) +
         " GB, more than this computer has (set 'pad_to', or use fewer workers)";
}

}  // namespace

TooLarge too_large_here(const ExperimentPoint& point, Device device) {
  const Experiment& experiment = point.experiment;
  const auto place = [&](const char* key) {
    const Tree* value = point.tree.find(key);
    return value != nullptr ? value->at : point.tree.at;
  };
  if (experiment.train && experiment.process_count() == 1) {
    // per worker: weights, a gradient, a receive buffer and the optimizer's state
    const double copies = 3 + experiment.optimizer->copies();
    const double bytes =
        4 * copies * static_cast<double>(point.network->parameters()) * experiment.workers;
    if (bytes > memory_of_this_computer().value()) {
      return {"real gradients of " + std::to_string(experiment.workers) + " workers need some " +
                  print_number(std::round(bytes / 1e9)) +
                  " GB, more than this computer has (use fewer workers or a smaller model)",
              place("workers")};
    }
  }
  if (const std::string shapes = too_many_shapes(point); !shapes.empty()) {
    return {shapes, place("lengths")};
  }
  if (point.machine || point.network->classes == 0 || runs_on_cuda(point, device)) return {};
  const std::string why = untrainable(*point.network, experiment.batch);
  if (why.empty()) return {};
  return {"no arithmetic of '" + point.network->name + "' on this computer: " + why,
          place("model")};
}

const Profile* profile_of(const ExperimentPoint& point, const Profile* profile) {
  return !point.machine || is_of(*point.machine, profile) ? profile : nullptr;
}

Prediction prediction_of(const ExperimentPoint& point, Device device, const Profile* profile) {
  profile = profile_of(point, profile);
  if (!point.machine && profile != nullptr && runs_on_cuda(point, device))
    return make_prediction_on_gpus(point, *profile);
  return make_prediction(point, profile);
}

std::string ExecutionDevices::not_on_cuda(const ExperimentPoint& point, const Group* group) {
  Accelerator* accelerator = plugin_.accelerator();
  if (accelerator != nullptr && described(point) && !point.machine->fingerprint().empty() &&
      point.machine->fingerprint() != fingerprint_with(names_of(accelerator->facts().gpus))) {
    return "machine '" + point.machine->name() + "' is not this machine (it is " +
           point.machine->fingerprint() + ")";
  }
  if (accelerator != nullptr) return accelerator->not_executable(point, group);
  if (device_ == Device::cuda) return plugin_.problem();
  // The device was not chosen by the user: name the requested machine first, then the missing
  // layer.
  const std::string reason = plugin_.installed() ? plugin_.problem() : "";
  if (described(point)) {
    const std::string different = "machine '" + point.machine->name() + "' is not this machine";
    return reason.empty() ? different : different + "; " + reason;
  }
  const std::string host = not_executable_on_host(point);
  return host.empty() ? plugin_.problem() : host + "; " + plugin_.problem();
}

namespace {

/// Batches that go to the workers in a way that no test has executed on GPUs.
std::string unfit_for_cuda(const ExperimentPoint& point) {
  const Aggregation& aggregation = *point.experiment.aggregation;
  const bool loads = bool(point.experiment.input->loading());
  if (aggregation.inputs() == InputsOfWorkers::scattered && !(loads && aggregation.trains_only()))
    return "";
  return "batches that do not come from the server that updates are not executed on GPUs (leave "
         "'inputs' and 'optimizer' out, or use --device host)";
}

}  // namespace

std::string ExecutionDevices::not_executable(const ExperimentPoint& point) {
  if (!point.beside.empty()) return "jobs that share a machine are only simulated";
  if (point.experiment.input->loading().pageable)
    return "copies from pageable memory are only simulated (leave 'pinned' out)";
  if (point.experiment.lengths && point.experiment.lengths->pad_to == 0)
    return "sequences without padding are only simulated (use pad_to: 1 or more)";
  const Group* group = leader_ != nullptr ? &leader_->group() : nullptr;
  if (std::string why = unfit_for_group(point, group); !why.empty()) return why;
  if (!runs_on_cuda(point, device_)) return not_executable_on_host(point);
  const std::string why = not_on_cuda(point, group);
  return why.empty() ? unfit_for_cuda(point) : why;
}

std::string ExecutionDevices::lacks_times(const ExperimentPoint& point,
                                          const Profile* profile) const {
  if (!point.experiment.stragglers.need_arithmetic()) return "";
  const std::string why = not_predictable(point, device_, profile);
  if (why.empty()) return "";
  return "a straggler that applies to the total needs the time of the arithmetic; " + why;
}

Setting ExecutionDevices::setting_of(const ExperimentPoint& point, const Profile* profile) {
  profile_ = profile;
  if (runs_on_cuda(point, device_) && !not_predictable(point, device_, profile).empty()) {
    return make_setting(point);
  }
  return paceline::prediction_of(point, device_, profile);
}

void ExecutionDevices::take_part_in(const ExperimentPoint& point, const Profile* profile,
                                    Group& group, bool traced) {
  const Setting setting = setting_of(point, profile);
  if (!runs_on_cuda(point, device_)) return paceline::take_part_in(setting, group, traced);
  Accelerator* accelerator = plugin_.accelerator();
  const std::string why = not_on_cuda(point, &group);
  if (!why.empty()) return decline(group, why);
  const std::string problem = accelerator->take_part_in(setting, group, traced);
  if (!problem.empty()) throw ProtocolError(problem);
}

Measurement ExecutionDevices::execute(const Setting& setting, bool keep_steps) {
  // the other processes of this run would count as other programs
  if (leader_ != nullptr) return on_its_layer(setting, keep_steps);
  const std::optional<CoreTimes> before = core_times_now();
  Measurement measured = on_its_layer(setting, keep_steps);
  const std::optional<CoreTimes> after = core_times_now();
  if (before && after) measured.other_cores = cores_of_others(*before, *after);
  return measured;
}

Measurement ExecutionDevices::on_its_layer(const Setting& setting, bool keep_steps) {
  if (leader_ != nullptr) {
    leader_->announce(setting, profile_);
    if (!runs_on_cuda(*setting.point, device_))
      return execute_jointly(setting, leader_->group(), keep_steps);
    return plugin_.accelerator()->execute_jointly(setting, leader_->group(), keep_steps);
  }
  if (!runs_on_cuda(*setting.point, device_)) return execute_on_host(setting, keep_steps);
  return plugin_.accelerator()->execute(setting, keep_steps);
}

}  // namespace paceline
