// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/role_streams.hpp"

#include <utility>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

RoleStreams::RoleStreams(std::vector<int> devices) : devices_(std::move(devices)) {
  for (const int device : devices_) {
    if (device != kOnHost) check(cudaSetDevice(device), "choosing a device");
    for (int kind = 0; kind < kStreamKinds; ++kind) {
      const bool used = device != kOnHost && kind != static_cast<int>(StreamKind::input);
      streams_.push_back(used ? DeviceStream() : DeviceStream(nullptr));
    }
  }
}

void RoleStreams::drain() const {
  for (const DeviceStream& stream : streams_) {
    if (stream.get() != nullptr) cudaStreamSynchronize(stream.get());
  }
}

}  // namespace paceline::cuda
