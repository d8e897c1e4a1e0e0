// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/split_card.hpp"

namespace paceline::cuda {
namespace {

std::vector<int> groups_of(const Placement& placement, const GreenContexts& green) {
  std::vector<int> groups;
  for (const Place& place : placement.roles) {
    if (place.group == Place::kWholeCard) {
      groups.push_back(kWholeCard);
    } else {
      groups.push_back(place.group == Place::kServers ? green.server_group() : place.group);
    }
  }
  return groups;
}

}  // namespace

SplitCard::SplitCard(const std::optional<Devices>& devices, const Placement& placement) {
  if (!devices) return;
  description_ = "streams";
  if (devices->split == Split::streams) return;
  try {
    green_ = std::make_unique<const GreenContexts>(devices->gpu, devices->virtual_gpus);
  } catch (const NoGreenContexts& error) {
    description_ += std::string(" (") + error.what() + ")";
    return;
  }
  groups_ = groups_of(placement, *green_);
  description_ = "green: " + green_->describe();
}

}  // namespace paceline::cuda
