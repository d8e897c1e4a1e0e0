// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/role_streams.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

RoleStreams::RoleStreams(std::vector<int> devices, std::vector<RoleId> pushes_at,
                         const GreenContexts* green, std::vector<int> groups)
    : devices_(std::move(devices)),
      pushes_at_(std::move(pushes_at)),
      green_(green),
      groups_(std::move(groups)) {
  for (std::size_t lane = 0; lane < devices_.size() * kStreamKinds; ++lane) {
    streams_.emplace_back(nullptr);
  }
}

GreenContexts::Current RoleStreams::enter(Stream stream) const {
  check(cudaSetDevice(device(stream)), "choosing a device");
  if (group(stream) == kWholeCard) return {};
  return {*green_, group(stream)};
}

cudaStream_t RoleStreams::of(Stream stream) const {
  DeviceStream& made = streams_[lane(stream)];
  if (made.get() == nullptr) {
    check(cudaSetDevice(device(stream)), "choosing a device");
    made = green_ == nullptr ? DeviceStream() : green_->stream(group(stream));
  }
  return made.get();
}

int RoleStreams::most_on_a_card() const {
  std::map<int, int> on;
  int most = 0;
  for (std::size_t lane = 0; lane < streams_.size(); ++lane) {
    if (streams_[lane].get() == nullptr) continue;
    const Stream stream{static_cast<RoleId>(lane / kStreamKinds),
                        static_cast<StreamKind>(lane % kStreamKinds)};
    most = std::max(most, ++on[device(stream)]);
  }
  return most;
}

void RoleStreams::drain() const {
  for (const DeviceStream& stream : streams_) {
    if (stream.get() != nullptr) cudaStreamSynchronize(stream.get());
  }
}

}  // namespace paceline::cuda
