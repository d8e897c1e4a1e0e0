// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/role_streams.hpp"

#include <utility>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

RoleStreams::RoleStreams(std::vector<int> devices, const GreenContexts* green,
                         std::vector<int> groups)
    : devices_(std::move(devices)), green_(green), groups_(std::move(groups)) {
  for (RoleId role = 0; role < static_cast<RoleId>(devices_.size()); ++role) {
    const bool on_gpu = device(role) != kOnHost;
    if (on_gpu) check(cudaSetDevice(device(role)), "choosing a device");
    for (int kind = 0; kind < kStreamKinds; ++kind) {
      if (!on_gpu || kind == static_cast<int>(StreamKind::input)) {
        streams_.emplace_back(nullptr);
      } else {
        streams_.push_back(green_ == nullptr ? DeviceStream() : green_->stream(group(role)));
      }
    }
  }
}

GreenContexts::Current RoleStreams::enter(RoleId role) const {
  check(cudaSetDevice(device(role)), "choosing a device");
  if (group(role) == kWholeCard) return {};
  return {*green_, group(role)};
}

void RoleStreams::drain() const {
  for (const DeviceStream& stream : streams_) {
    if (stream.get() != nullptr) cudaStreamSynchronize(stream.get());
  }
}

}  // namespace paceline::cuda
