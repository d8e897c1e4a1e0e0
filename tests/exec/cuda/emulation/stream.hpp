// SPDX-License-Identifier: MIT
/// \file
/// Emulated streams, events and graphs behind CUDA's own handles, and the only function to queue
/// work. Not for tests.
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

#include "exec/cuda/kernels/cost.hpp"
#include "tests/exec/cuda/emulation/green.hpp"
#include "tests/exec/cuda/emulation/machine.hpp"

namespace paceline::cuda::emulation {

/// One recording of an event.
class Mark {
 public:
  /// `bytes`: moved by the stream so far, where its work is listed.
  void pass(std::int64_t bytes);
  /// Returns early if `cancelled` becomes true.
  void wait(const std::atomic<bool>& cancelled);
  bool passed() const { return passed_.load(); }
  std::chrono::steady_clock::time_point time() const { return time_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::atomic<bool> passed_{false};
  std::chrono::steady_clock::time_point time_;
  std::int64_t bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// One operation of a stream, which runs once or (in a graph) many times.
struct Work {
  Kind kind = Kind::other;
  std::function<void()> run;                ///< called on the stream's thread
  std::shared_ptr<CUevent_st> record = {};  ///< an event to record, if there is no `run`
  Cost cost = {};
};

/// The operations collected by a capture, in an order that respects the dependencies of streams.
struct Capture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id owner;
  std::vector<Work> works;
  bool broken = false;  ///< a call was made that capture forbids
  CUstream_st* origin = nullptr;
  std::set<CUstream_st*> joined;  ///< further streams, through events
};

}  // namespace paceline::cuda::emulation

/// An event, with its last recording.
struct CUevent_st {
  bool timed = true;
  std::mutex mutex;
  std::shared_ptr<paceline::cuda::emulation::Mark> mark;  ///< null: never recorded
  std::shared_ptr<paceline::cuda::emulation::Capture>
      capture;  ///< the capture in which it was recorded
};

/// A work of a graph.
struct CUgraphNode_st {
  const CUgraph_st* graph = nullptr;
  std::size_t place = 0;
};

struct CUgraph_st {
  explicit CUgraph_st(std::vector<paceline::cuda::emulation::Work> captured);
  std::vector<paceline::cuda::emulation::Work> works;
  std::vector<CUgraphNode_st> nodes;  ///< by work
};

struct CUgraphExec_st {
  std::shared_ptr<const std::vector<paceline::cuda::emulation::Work>> works;
  std::vector<std::shared_ptr<CUevent_st>> records;  ///< by work: the event to record, or null
};

/// A stream: runs work in order on a thread of its own.
struct CUstream_st {
 public:
  explicit CUstream_st(int device);
  ~CUstream_st();
  int device() const { return device_.index; }

  /// Queues for the thread; `always`: run also after a fault of the device.
  void push(std::function<void()> run, bool always = false);
  /// Returns when all work queued so far has run.
  void wait();
  bool idle();
  /// Lets the thread end when its queue is empty.
  void finish();
  bool finished() const { return finished_.load(); }
  /// Runs one operation on the stream's thread.
  void perform(const paceline::cuda::emulation::Work& work);

  std::shared_ptr<paceline::cuda::emulation::Capture> capture;   ///< guarded by the machine's mutex
  std::shared_ptr<paceline::cuda::emulation::GreenGroup> group;  ///< null: the whole card
  std::int64_t launches = 0;  ///< kernels launched; written by the stream's thread
  std::int64_t bytes = 0;     ///< moved by listed work; written by the stream's thread

 private:
  struct Job {
    std::function<void()> run;
    bool always = false;
  };
  void work_off(paceline::cuda::emulation::BlockRunner& blocks);
  bool runs(const paceline::cuda::emulation::Work& work) const;

  paceline::cuda::emulation::Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::uint64_t queued_ = 0;
  std::uint64_t done_ = 0;
  bool finishing_ = false;
  std::atomic<bool> finished_{false};
};

namespace paceline::cuda::emulation {

/// Queues work on a stream, or appends it to the stream's capture.
cudaError_t submit(cudaStream_t stream, Work work);
/// Records an event in the stream; in a capture with `external`, as a node of the graph.
cudaError_t record(cudaStream_t stream, cudaEvent_t event, bool external);
/// Success, or the error of a call that the current captures forbid (which invalidates them).
cudaError_t not_capturing();
/// The cancellation flag of the device of the calling stream's thread.
const std::atomic<bool>& cancelled_here();
/// Discards all captures.
void forget_captures();

}  // namespace paceline::cuda::emulation
