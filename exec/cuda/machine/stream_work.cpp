// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/stream_work.hpp"

#include "exec/cuda/runtime/check.hpp"
#include "training/learning/host_arrays.hpp"

namespace paceline::cuda {

std::vector<std::unique_ptr<ArrayWork>> work_on(const RoleStreams& streams) {
  std::vector<std::unique_ptr<ArrayWork>> work;
  for (std::size_t role = 0; role < streams.devices().size(); ++role) {
    const int device = streams.devices()[role];
    if (device != kOnHost) check(cudaSetDevice(device), "choosing a device");
    for (int kind = 0; kind < kStreamKinds; ++kind) {
      const Stream stream{static_cast<RoleId>(role), static_cast<StreamKind>(kind)};
      if (device == kOnHost) {
        work.push_back(std::make_unique<HostArrayWork>());
      } else {
        work.push_back(std::make_unique<StreamArrayWork>(streams.of(stream)));
      }
    }
  }
  return work;
}

}  // namespace paceline::cuda
