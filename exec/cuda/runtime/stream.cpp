// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/stream.hpp"

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

DeviceStream::DeviceStream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  stream_.reset(stream);
}

void DeviceStream::Destroy::operator()(cudaStream_t stream) const {
  cudaStreamDestroy(stream);
}

DeviceEvent::DeviceEvent() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDefault), "making an event");
  event_.reset(event);
}

void DeviceEvent::Destroy::operator()(cudaEvent_t event) const {
  cudaEventDestroy(event);
}

void DeviceEvent::record(cudaStream_t stream) const {
  check(cudaEventRecord(event_.get(), stream), "recording an event");
}

void DeviceEvent::record_in_graph(cudaStream_t stream) const {
  check(cudaEventRecordWithFlags(event_.get(), stream, cudaEventRecordExternal),
        "recording an event in a graph");
}

bool DeviceEvent::passed() const {
  const cudaError_t status = cudaEventQuery(event_.get());
  if (status == cudaErrorNotReady) return false;
  check(status, "computing");
  return true;
}

}  // namespace paceline::cuda
