// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/stream.hpp"

#include <algorithm>
#include <utility>

#include "tests/exec/cuda/emulation/block.hpp"
#include "tests/exec/cuda/emulation/launch.hpp"

namespace emulation = paceline::cuda::emulation;

namespace paceline::cuda::emulation {
namespace {

/// The interval at which waiting threads check for a reset of their device.
constexpr std::chrono::milliseconds kLook{5};

/// The role of the calling thread, if it belongs to a stream.
struct StreamThread {
  CUstream_st* stream = nullptr;
  Device* device = nullptr;
  BlockRunner* blocks = nullptr;
};
StreamThread& here() {
  static thread_local StreamThread thread;
  return thread;
}

/// All captures in progress.
struct Captures {
  std::mutex mutex;
  std::vector<std::shared_ptr<Capture>> open;
};
Captures& captures() {
  static Captures all;
  return all;
}

bool forbids_here(const Capture& capture) {
  if (capture.mode == cudaStreamCaptureModeRelaxed) return false;
  return capture.mode == cudaStreamCaptureModeGlobal || capture.owner == std::this_thread::get_id();
}

}  // namespace

void Mark::pass(std::int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ = bytes;
    time_ = std::chrono::steady_clock::now();
    passed_ = true;
  }
  changed_.notify_all();
}

void Mark::wait(const std::atomic<bool>& cancelled) {
  std::unique_lock lock(mutex_);
  while (!passed_ && !cancelled) changed_.wait_for(lock, kLook);
}

cudaError_t not_capturing() {
  const std::lock_guard lock(captures().mutex);
  cudaError_t status = cudaSuccess;
  for (const auto& capture : captures().open) {
    if (!forbids_here(*capture)) continue;
    capture->broken = true;
    status = cudaErrorStreamCaptureUnsupported;
  }
  return status;
}

void forget_captures() {
  const std::lock_guard lock(captures().mutex);
  captures().open.clear();
}

const std::atomic<bool>& cancelled_here() {
  return here().device->cancelled;
}

cudaError_t submit(cudaStream_t stream, Work work) {
  const auto found = Machine::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t status = callable(found->device()); status != cudaSuccess) return status;
  if (found->capture != nullptr) {
    if (found->capture->broken) return cudaErrorStreamCaptureInvalidated;
    found->capture->works.push_back(std::move(work));
    return cudaSuccess;
  }
  if (stream == nullptr && not_capturing() != cudaSuccess) return cudaErrorStreamCaptureImplicit;
  found->push([at = found.get(), work = std::move(work)] { at->perform(work); });
  return cudaSuccess;
}

cudaError_t record(cudaStream_t stream, cudaEvent_t event, bool external) {
  const auto at = Machine::instance().find(stream);
  const auto marked = Machine::instance().find(event);
  if (at == nullptr || marked == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t status = callable(at->device()); status != cudaSuccess) return status;
  const std::lock_guard lock(marked->mutex);
  if (at->capture != nullptr) {
    if (at->capture->broken) return cudaErrorStreamCaptureInvalidated;
    if (external) {
      at->capture->works.push_back({Kind::other, {}, marked});
    } else {
      marked->capture = at->capture;
    }
    return cudaSuccess;
  }
  if (external) return cudaErrorIllegalState;
  marked->capture = nullptr;
  marked->mark = std::make_shared<Mark>();
  at->push([mark = marked->mark, at = at.get()] { mark->pass(at->bytes); }, true);
  return cudaSuccess;
}

cudaError_t launch_kernel(const Cost& cost, dim3 grid, dim3 block, cudaStream_t stream,
                          std::function<void()> thread) {
  if (!launchable(grid, block)) return returned(cudaErrorInvalidConfiguration);
  return returned(submit(stream, {Kind::kernel,
                                  [kernel = Kernel{grid, block, std::move(thread)}] {
                                    const bool backwards = here().stream->launches % 2 == 0;
                                    here().blocks->run(kernel, backwards, cancelled_here());
                                  },
                                  {},
                                  cost}));
}

}  // namespace paceline::cuda::emulation

CUstream_st::CUstream_st(int device) : device_(emulation::Machine::instance().device(device)) {
  emulation::Machine::instance().threads().run(
      [this](emulation::BlockRunner& blocks) { work_off(blocks); });
}

CUstream_st::~CUstream_st() {
  finish();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return finished_.load(); });
}

void CUstream_st::push(std::function<void()> run, bool always) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(run), always});
    ++queued_;
  }
  changed_.notify_all();
}

void CUstream_st::wait() {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = queued_;
  changed_.wait(lock, [&] { return done_ >= last; });
}

bool CUstream_st::idle() {
  const std::lock_guard lock(mutex_);
  return done_ == queued_;
}

void CUstream_st::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  changed_.notify_all();
}

void CUstream_st::work_off(emulation::BlockRunner& blocks) {
  emulation::here() = {this, &device_, &blocks};
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !jobs_.empty() || finishing_; });
    if (jobs_.empty()) break;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    if (job.always || (device_.fault.load() == cudaSuccess && !device_.cancelled)) job.run();
    job.run = nullptr;  // frees its memory before completion is signalled
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
  finished_ = true;
  changed_.notify_all();  // with the lock, which is the last that is touched
}

/// Work that is only listed does not run, but for kernels that wait for the host or write to it.
bool CUstream_st::runs(const emulation::Work& work) const {
  using emulation::Kind;
  if (work.kind == Kind::library) return !device_.listing && !device_.libraries_idle;
  if (work.kind == Kind::kernel) return !device_.listing || work.cost.bytes() == 0;
  return !device_.listing || work.kind != Kind::memset;
}

void CUstream_st::perform(const emulation::Work& work) {
  using emulation::Kind;
  try {
    switch (work.kind) {
      case Kind::kernel:
      case Kind::library: {
        const int left = device_.kernels_to_fault.load();
        if (left >= 0 && device_.kernels_to_fault.fetch_sub(1) == 0) {
          throw emulation::KernelFault(static_cast<cudaError_t>(device_.fault_to_come.load()),
                                       "a test asked for this fault");
        }
        ++device_.kernels;
        ++launches;
        if (group != nullptr) ++group->kernels;
        break;
      }
      case Kind::copy:
        ++device_.copies;
        if (group != nullptr) ++group->copies;
        break;
      case Kind::memset:
        ++device_.memsets;
        break;
      case Kind::host_function:
        ++device_.host_functions;
        break;
      case Kind::graph:
      case Kind::other:
        break;
    }
    if (device_.listing) {
      bytes += work.cost.bytes();
      device_.list(this, work);
    }
    if (runs(work)) work.run();
  } catch (const emulation::KernelFault& fault) {
    emulation::Machine::instance().set_fault(device_, fault.status(), fault.what());
  }
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const auto found = emulation::Machine::instance().find(stream);
  if (found == nullptr) return emulation::returned(cudaErrorInvalidResourceHandle);
  if (const auto status = emulation::callable(found->device()); status != cudaSuccess) {
    return emulation::returned(status);
  }
  if (stream == nullptr) return emulation::returned(cudaErrorStreamCaptureUnsupported);
  if (found->capture != nullptr) return emulation::returned(cudaErrorIllegalState);
  found->capture = std::make_shared<emulation::Capture>();
  found->capture->mode = mode;
  found->capture->owner = std::this_thread::get_id();
  found->capture->origin = stream;
  const std::lock_guard lock(emulation::captures().mutex);
  emulation::captures().open.push_back(found->capture);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  auto& machine = emulation::Machine::instance();
  const auto found = machine.find(stream);
  if (found == nullptr) return emulation::returned(cudaErrorInvalidResourceHandle);
  const auto capture = found->capture;
  if (capture == nullptr) return emulation::returned(cudaErrorIllegalState);
  if (capture->origin != stream) return emulation::returned(cudaErrorStreamCaptureUnmatched);
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->owner != std::this_thread::get_id()) {
    return emulation::returned(cudaErrorStreamCaptureWrongThread);
  }
  for (CUstream_st* joined : capture->joined) {
    if (const auto other = machine.find(joined); other != nullptr) other->capture = nullptr;
  }
  found->capture = nullptr;
  {
    const std::lock_guard lock(emulation::captures().mutex);
    std::erase(emulation::captures().open, capture);
    if (capture->broken) return emulation::returned(cudaErrorStreamCaptureInvalidated);
  }
  *graph = new CUgraph_st(std::move(capture->works));
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const auto found = emulation::Machine::instance().find(stream);
  if (found == nullptr) return emulation::returned(cudaErrorInvalidResourceHandle);
  *status = cudaStreamCaptureStatusNone;
  if (found->capture != nullptr) {
    const std::lock_guard lock(emulation::captures().mutex);
    *status =
        found->capture->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  }
  return cudaSuccess;
}

}  // extern "C"
