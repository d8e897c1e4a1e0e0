// SPDX-License-Identifier: MIT
/// \file
/// Emulated streams, events and graphs, behind CUDA's own handles, and the one way to queue work.
/// Not for tests.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <variant>
#include <vector>

#include "tests/exec/cuda/emulation/green.hpp"
#include "tests/exec/cuda/emulation/machine.hpp"

namespace paceline::cuda::emulation {

/// One recording of an event.
class Mark {
 public:
  void pass();
  /// Ends early where `cancelled` becomes true.
  void wait(const std::atomic<bool>& cancelled);
  bool passed() const { return passed_.load(); }
  std::chrono::steady_clock::time_point time() const { return time_; }

 private:
  std::atomic<bool> passed_{false};
  std::chrono::steady_clock::time_point time_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// library: a kernel of cuDNN or cuBLASLt.
enum class Kind : std::uint8_t { kernel, library, copy, memset, host_function, other };

/// What a stream does, once or (in a graph) many times.
struct Work {
  Kind kind = Kind::other;
  std::function<void()> run;                ///< on the stream's thread
  std::shared_ptr<CUevent_st> record = {};  ///< an event to record, where there is no `run`
};

/// What a capture collects, in an order that the streams' dependences allow.
struct Capture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id owner;
  std::vector<Work> works;
  bool broken = false;  ///< a call that capture forbids was made
  CUstream_st* origin = nullptr;
  std::set<CUstream_st*> joined;  ///< other streams, through events
};

}  // namespace paceline::cuda::emulation

/// An event: its last recording.
struct CUevent_st {
  bool timed = true;
  std::mutex mutex;
  std::shared_ptr<paceline::cuda::emulation::Mark> mark;        ///< null: never recorded
  std::shared_ptr<paceline::cuda::emulation::Capture> capture;  ///< it was recorded in
};

struct CUgraph_st {
  std::vector<paceline::cuda::emulation::Work> works;
};

struct CUgraphExec_st {
  std::shared_ptr<const std::vector<paceline::cuda::emulation::Work>> works;
};

/// A stream: a thread that does its work in order.
struct CUstream_st {
 public:
  explicit CUstream_st(int device);
  ~CUstream_st();
  int device() const { return device_.index; }

  /// Queues for the thread; `always`: also after the device's fault.
  void push(std::function<void()> run, bool always = false);
  /// Returns when everything queued so far is done.
  void wait();
  bool idle();
  /// The thread ends when all is done.
  void finish();
  bool finished() const { return finished_.load(); }
  /// Runs one piece of work on the stream's thread.
  void perform(const paceline::cuda::emulation::Work& work);

  std::shared_ptr<paceline::cuda::emulation::Capture> capture;   ///< under the machine's rules
  std::shared_ptr<paceline::cuda::emulation::GreenGroup> group;  ///< null: the whole card
  std::int64_t launches = 0;  ///< of kernels, by the stream's thread

 private:
  struct Job {
    std::function<void()> run;
    bool always = false;
  };
  void work_off();

  paceline::cuda::emulation::Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::uint64_t queued_ = 0;
  std::uint64_t done_ = 0;
  bool finishing_ = false;
  std::atomic<bool> finished_{false};
  std::thread thread_;
};

namespace paceline::cuda::emulation {

/// Queues work on a stream, or adds it to the stream's capture.
cudaError_t submit(cudaStream_t stream, Work work);
/// Records an event in the stream; in a capture, as a part of the graph where `external`.
cudaError_t record(cudaStream_t stream, cudaEvent_t event, bool external);
/// Success, or the error of a call that captures forbid now (which breaks them).
cudaError_t not_capturing();
/// The cancellation flag of the device whose stream's thread this is.
const std::atomic<bool>& cancelled_here();
/// Forgets all captures.
void forget_captures();

}  // namespace paceline::cuda::emulation
