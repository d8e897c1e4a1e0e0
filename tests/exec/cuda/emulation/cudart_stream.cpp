// SPDX-License-Identifier: MIT
// Streams, events and copies of the CUDA runtime; capture is in stream.cpp.
#include <cstring>
#include <vector>

#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

namespace {

/// Whether the `bytes` from `data` on are inside one block or in unregistered memory; sets
/// `pageable` for the latter.
bool whole(const void* data, std::size_t bytes, bool* pageable) {
  std::size_t behind = 0;
  Machine::instance().block_of(data, &behind);
  *pageable = behind == 0;
  return *pageable || bytes <= behind;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  *stream = new CUstream_st(current_device());
  if (const auto group = current_group()) {
    (*stream)->group = group;
    ++group->streams;
    ++group->live_streams;
  }
  Machine::instance().add(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const auto found = Machine::instance().remove(stream);
  if (found == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (found->group != nullptr) --found->group->live_streams;
  found->finish();
  return returned(callable(found->device()));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const auto found = Machine::instance().find(stream);
  if (found == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (const auto status = callable(found->device()); status != cudaSuccess) {
    return returned(status);
  }
  if (found->capture != nullptr) {
    found->capture->broken = true;
    return returned(cudaErrorStreamCaptureUnsupported);
  }
  found->wait();
  return returned(callable(found->device()));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const auto found = Machine::instance().find(stream);
  if (found == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (found->capture != nullptr) {
    found->capture->broken = true;
    return returned(cudaErrorStreamCaptureUnsupported);
  }
  const bool idle = found->idle();
  if (const auto status = callable(found->device()); status != cudaSuccess) {
    return returned(status);
  }
  return returned(idle ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  const auto at = Machine::instance().find(stream);
  const auto waited = Machine::instance().find(event);
  if (at == nullptr || waited == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (const auto status = callable(at->device()); status != cudaSuccess) return returned(status);
  if (flags != 0) return returned(cudaErrorNotSupported);
  const std::lock_guard lock(waited->mutex);
  if (waited->capture != nullptr) {
    if (at->capture == nullptr) {  // from now on, the stream's work is captured too
      at->capture = waited->capture;
      waited->capture->joined.insert(stream);
    }
    return returned(at->capture == waited->capture ? cudaSuccess : cudaErrorStreamCaptureIsolation);
  }
  if (waited->mark == nullptr) return cudaSuccess;
  if (at->capture != nullptr) {
    at->capture->broken = true;
    return returned(cudaErrorStreamCaptureIsolation);
  }
  at->push([mark = waited->mark] { mark->wait(cancelled_here()); });
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return returned(submit(stream, {Kind::host_function,
                                  [=] {
                                    in_host_function() = true;
                                    function(data);
                                    in_host_function() = false;
                                  },
                                  {}}));
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  bool pageable = false;
  if (!whole(data, bytes, &pageable) || (pageable && bytes > 0)) {
    return returned(cudaErrorInvalidValue);
  }
  return returned(submit(stream, {Kind::memset,
                                  [=] { std::memset(data, value, bytes); },
                                  {},
                                  {"memset", 0, static_cast<std::int64_t>(bytes)}}));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  bool pageable_to = false;
  bool pageable_from = false;
  if (!whole(to, bytes, &pageable_to) || !whole(from, bytes, &pageable_from)) {
    return returned(cudaErrorInvalidValue);
  }
  const auto at = Machine::instance().find(stream);
  if (at == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (bytes == 0) return returned(callable(at->device()));
  if (at->capture != nullptr && (pageable_to || pageable_from)) {
    at->capture->broken = true;
    return returned(cudaErrorStreamCaptureUnsupported);
  }
  if (pageable_from) {  // staged before the call returns, as in the real runtime
    std::vector<std::byte> staged(bytes);
    std::memcpy(staged.data(), from, bytes);
    return returned(submit(
        stream, {Kind::copy, [to, staged] { std::memcpy(to, staged.data(), staged.size()); }, {}}));
  }
  const auto moved = static_cast<std::int64_t>(bytes);
  return returned(submit(
      stream, {Kind::copy, [=] { std::memmove(to, from, bytes); }, {}, {"copy", moved, moved}}));
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  bool pageable = false;
  const bool late = Machine::instance().device(current_device()).late_copies;
  if (late && whole(from, bytes, &pageable) && pageable) {
    constexpr std::chrono::milliseconds kLate{50};
    const auto wait = [kLate] { std::this_thread::sleep_for(kLate); };
    const cudaError_t status = submit(nullptr, {Kind::other, wait, {}});
    return status != cudaSuccess ? returned(status)
                                 : cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  }
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return status != cudaSuccess ? status : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
  const cudaError_t status = cudaMemsetAsync(data, value, bytes, nullptr);
  return status != cudaSuccess ? status : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = nullptr;
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  *event = new CUevent_st;
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  Machine::instance().add(*event);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return returned(Machine::instance().remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return returned(record(stream, event, false));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return returned(record(stream, event, (flags & cudaEventRecordExternal) != 0));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const auto found = Machine::instance().find(event);
  if (found == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (const auto status = not_capturing(); status != cudaSuccess) return returned(status);
  const std::lock_guard lock(found->mutex);
  if (found->capture != nullptr) return returned(cudaErrorCapturedEvent);
  const bool passed = found->mark == nullptr || found->mark->passed();
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  return returned(passed ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const auto found = Machine::instance().find(event);
  if (found == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (const auto status = not_capturing(); status != cudaSuccess) return returned(status);
  std::shared_ptr<Mark> mark;
  {
    const std::lock_guard lock(found->mutex);
    if (found->capture != nullptr) return returned(cudaErrorCapturedEvent);
    mark = found->mark;
  }
  if (in_host_function()) return returned(cudaErrorNotPermitted);
  if (mark != nullptr) mark->wait(Machine::instance().device(current_device()).cancelled);
  return returned(callable(current_device()));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const auto first = Machine::instance().find(start);
  const auto last = Machine::instance().find(end);
  if (first == nullptr || last == nullptr || !first->timed || !last->timed) {
    return returned(cudaErrorInvalidResourceHandle);
  }
  const auto mark_of = [](CUevent_st& event) {
    const std::lock_guard lock(event.mutex);
    return event.mark;
  };
  const auto from = mark_of(*first);
  const auto to = mark_of(*last);
  if (from == nullptr || to == nullptr) return returned(cudaErrorInvalidResourceHandle);
  if (!from->passed() || !to->passed()) return returned(cudaErrorNotReady);
  if (Machine::instance().device(current_device()).listing) {
    constexpr float kBytesPerMillisecond = 3e9F;
    *milliseconds = static_cast<float>(to->bytes() - from->bytes()) / kBytesPerMillisecond;
    return returned(callable(current_device()));
  }
  *milliseconds = std::chrono::duration<float, std::milli>(to->time() - from->time()).count();
  return returned(callable(current_device()));
}

}  // extern "C"
