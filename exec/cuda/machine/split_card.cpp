// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/split_card.hpp"

namespace paceline::cuda {
namespace {

std::vector<int> groups_of(const ExperimentPoint& point, const Plan& plan,
                           const GreenContexts& green) {
  std::vector<int> groups;
  for (int worker = 0; worker < plan.workers; ++worker) groups.push_back(worker);
  for (int shard = 0; shard < plan.shards; ++shard) {
    switch (point.experiment.aggregation->placement()) {
      case Placement::cpu:
      case Placement::hosts:
        groups.push_back(kWholeCard);
        break;
      case Placement::gpu:
        groups.push_back(green.server_group());
        break;
      case Placement::sharded_gpus:
        groups.push_back(shard % plan.workers);
        break;
    }
  }
  return groups;
}

}  // namespace

SplitCard::SplitCard(const ExperimentPoint& point, const Plan& plan) {
  const auto& devices = point.experiment.devices;
  if (!devices) return;
  said_ = "streams";
  if (devices->split == Split::streams) return;
  try {
    green_ = std::make_unique<const GreenContexts>(devices->gpu, devices->virtual_gpus);
  } catch (const NoGreenContexts& error) {
    said_ += std::string(" (") + error.what() + ")";
    return;
  }
  groups_ = groups_of(point, plan, *green_);
  said_ = "green: " + green_->describe();
}

}  // namespace paceline::cuda
