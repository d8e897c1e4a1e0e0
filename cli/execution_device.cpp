// SPDX-License-Identifier: MIT
#include "cli/execution_device.hpp"

#include "cli/joint_points.hpp"
#include "exec/host/execute.hpp"
#include "exec/plugin/matching.hpp"
#include "exec/processes/joint_execution.hpp"

namespace paceline {
namespace {

bool described(const ExperimentPoint& point) {
  return point.machine && point.machine->kind() == Machine::Kind::described;
}

}  // namespace

bool runs_on_cuda(const ExperimentPoint& point, Device asked) {
  if (asked != Device::any) return asked == Device::cuda;
  if (point.machine) return described(point);
  const Experiment& experiment = point.experiment;
  const AllReduce* all_reduce = experiment.aggregation->all_reduce();
  return experiment.devices || experiment.precision != Precision::fp32 ||
         (all_reduce != nullptr && all_reduce->native());
}

std::string not_predictable(const ExperimentPoint& point, Device asked) {
  if (point.machine || !runs_on_cuda(point, asked)) return "";
  return "no profile of this GPU yet";
}

std::string ExecutionDevices::not_on_cuda(const ExperimentPoint& point) {
  Accelerator* accelerator = plugin_.accelerator();
  if (accelerator != nullptr) return accelerator->not_executable(point);
  if (asked_ == Device::cuda) return plugin_.problem();
  // Chosen by us: first what is asked for, then what there is.
  const std::string reason = plugin_.installed() ? plugin_.problem() : "";
  if (described(point)) {
    const std::string different = "machine '" + point.machine->name() + "' is not this machine";
    return reason.empty() ? different : different + "; " + reason;
  }
  const std::string host = not_executable_on_host(point);
  return host.empty() ? plugin_.problem() : host + "; " + plugin_.problem();
}

std::string ExecutionDevices::not_executable(const ExperimentPoint& point) {
  const Group* group = leader_ != nullptr ? &leader_->group() : nullptr;
  if (group != nullptr && runs_on_cuda(point, asked_)) {
    return "several processes run on the host only";
  }
  if (const std::string why = unfit_for_group(point, group); !why.empty()) return why;
  return runs_on_cuda(point, asked_) ? not_on_cuda(point) : not_executable_on_host(point);
}

Setting ExecutionDevices::setting_of(const ExperimentPoint& point, const Profile* profile) {
  profile_ = profile;
  if (!runs_on_cuda(point, asked_)) return make_setting(point, profile);
  return point.machine ? make_setting(point, nullptr) : make_setting_without_costs(point);
}

Measurement ExecutionDevices::execute(const Setting& setting, bool keep_steps) {
  if (leader_ != nullptr) {
    leader_->announce(setting, profile_);
    return execute_jointly(setting, leader_->group(), keep_steps);
  }
  if (!runs_on_cuda(*setting.point, asked_)) return execute_on_host(setting, keep_steps);
  return plugin_.accelerator()->execute(setting, keep_steps);
}

}  // namespace paceline
