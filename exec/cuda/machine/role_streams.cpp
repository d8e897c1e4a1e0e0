// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/role_streams.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

RoleStreams::RoleStreams(std::vector<int> devices, const GreenContexts* green,
                         std::vector<int> groups)
    : devices_(std::move(devices)), green_(green), groups_(std::move(groups)) {
  for (std::size_t lane = 0; lane < devices_.size() * kStreamKinds; ++lane) {
    streams_.emplace_back(nullptr);
  }
}

GreenContexts::Current RoleStreams::enter(RoleId role) const {
  check(cudaSetDevice(device(role)), "choosing a device");
  if (group(role) == kWholeCard) return {};
  return {*green_, group(role)};
}

cudaStream_t RoleStreams::of(Stream stream) const {
  DeviceStream& made = streams_[lane(stream)];
  if (made.get() == nullptr) {
    check(cudaSetDevice(device(stream.role)), "choosing a device");
    made = green_ == nullptr ? DeviceStream() : green_->stream(group(stream.role));
  }
  return made.get();
}

int RoleStreams::most_on_a_card() const {
  std::map<int, int> on;
  int most = 0;
  for (std::size_t lane = 0; lane < streams_.size(); ++lane) {
    if (streams_[lane].get() == nullptr) continue;
    most = std::max(most, ++on[device(static_cast<RoleId>(lane / kStreamKinds))]);
  }
  return most;
}

void RoleStreams::drain() const {
  for (const DeviceStream& stream : streams_) {
    if (stream.get() != nullptr) cudaStreamSynchronize(stream.get());
  }
}

}  // namespace paceline::cuda
