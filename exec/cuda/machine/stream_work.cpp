// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/stream_work.hpp"

#include "exec/cuda/runtime/check.hpp"
#include "training/learning/host_arrays.hpp"

namespace paceline::cuda {

StreamWork::StreamWork(const RoleStreams& streams) : streams_(streams), work_(streams.lanes()) {
  for (std::size_t lane = 0; lane < work_.size(); ++lane) {
    // threads of the host need theirs at the same time
    const Stream stream{static_cast<RoleId>(lane / kStreamKinds),
                        static_cast<StreamKind>(lane % kStreamKinds)};
    if (streams.device(stream) == kOnHost) work_[lane] = std::make_unique<HostArrayWork>();
  }
}

ArrayWork& StreamWork::of(Stream stream) {
  std::unique_ptr<ArrayWork>& work = work_[RoleStreams::lane(stream)];
  if (work == nullptr) {
    cudaStream_t cuda = streams_.of(stream);
    check(cudaSetDevice(streams_.device(stream)), "choosing a device");
    work = std::make_unique<StreamArrayWork>(cuda);
  }
  return *work;
}

}  // namespace paceline::cuda
