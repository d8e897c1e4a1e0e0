// SPDX-License-Identifier: MIT
// The threads of a block run one after another on one fiber until one of them waits. A waiting
// thread keeps its fiber, and the next threads continue on another one. The last thread to reach a
// barrier releases the others and does not switch fibers itself.
#include "tests/exec/cuda/emulation/block.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <thread>
#include <vector>

#include "tests/exec/cuda/emulation/warp.hpp"

constinit thread_local uint3 threadIdx{0, 0, 0};
constinit thread_local uint3 blockIdx{0, 0, 0};
constinit thread_local dim3 blockDim{1, 1, 1};
constinit thread_local dim3 gridDim{1, 1, 1};

namespace paceline::cuda::emulation {
namespace {

std::string place(const std::source_location& at) {
  const std::string file = at.file_name();
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.line());
}

/// Ends a kernel without a fault: its device is being reset.
struct Cancelled {};
/// Unwinds the stack of a waiting thread after another thread of its block has failed.
struct Abandoned {};

}  // namespace

bool launchable(const dim3& grid, const dim3& block) {
  const auto threads = static_cast<std::uint64_t>(block.x) * block.y * block.z;
  return threads > 0 && threads <= 1024 && block.z <= 64 && grid.x > 0 && grid.y > 0 &&
         grid.z > 0 && grid.x <= 0x7fffffffU && grid.y <= 0xffffU && grid.z <= 0xffffU;
}

class Block {
 public:
  /// The block that runs on this thread of the CPU; null: none.
  static Block*& current() {
    static constinit thread_local Block* block = nullptr;
    return block;
  }

  void run(const Kernel& kernel, bool backwards, const std::atomic<bool>& cancelled) {
    kernel_ = &kernel;
    backwards_ = backwards;
    cancelled_ = &cancelled;
    blockDim = kernel.block;
    gridDim = kernel.grid;
    const std::uint64_t blocks =
        static_cast<std::uint64_t>(kernel.grid.x) * kernel.grid.y * kernel.grid.z;
    current() = this;
    for (std::uint64_t i = 0; i < blocks && !cancelled.load(); ++i) {
      const std::uint64_t at = backwards ? blocks - 1 - i : i;
      blockIdx = {static_cast<unsigned>(at % kernel.grid.x),
                  static_cast<unsigned>(at / kernel.grid.x % kernel.grid.y),
                  static_cast<unsigned>(at / kernel.grid.x / kernel.grid.y)};
      run_block();
    }
    current() = nullptr;
  }

  int wait_for_block(int vote, const std::source_location& at) {
    Thread& self = threads_[current_];
    self.state = State::at_barrier;
    self.bits = static_cast<std::uint64_t>(vote);
    self.at = at;
    if (++at_barrier_ == alive_) {
      release_barrier();
    } else {
      wait();
    }
    return static_cast<int>(threads_[current_].result);
  }

  std::uint64_t wait_for_warp(WarpCall call, unsigned mask, std::uint64_t bits, int source,
                              const std::source_location& at) {
    Thread& self = threads_[current_];
    if (((mask >> (current_ % kLanes)) & 1U) == 0) {
      throw KernelFault(cudaErrorIllegalInstruction,
                        "a thread is not in its own mask: " + place(at));
    }
    self = {State::in_warp, call, mask, bits, source, 0, at, self.fiber};
    ++in_warps_;
    if (complete(threads_, current_)) {
      release_warp(current_);
    } else {
      wait();
    }
    return threads_[current_].result;
  }

  int lane() const { return static_cast<int>(current_ % kLanes); }
  bool cancelled() const { return cancelled_->load(); }

 private:
  void run_block() {
    threads_.assign(static_cast<std::size_t>(blockDim.x) * blockDim.y * blockDim.z, Thread{});
    started_ = 0;
    at_barrier_ = 0;
    in_warps_ = 0;
    alive_ = threads_.size();
    failure_ = nullptr;
    ready_.clear();
    while (failure_ == nullptr) {
      if (!ready_.empty()) {
        become(ready_.front());
        ready_.pop_front();
        fiber_ = threads_[current_].fiber;
      } else if (started_ < threads_.size()) {
        fiber_ = idle_fiber();
      } else {
        break;
      }
      fiber_->enter();
    }
    if (failure_ == nullptr && alive_ == 0) return;
    if (failure_ == nullptr) {
      failure_ = std::make_exception_ptr(KernelFault(cudaErrorLaunchFailure, deadlock()));
    }
    abandon_waiting_threads();
    current() = nullptr;
    try {
      std::rethrow_exception(failure_);
    } catch (const Cancelled&) {  // not a fault
    }
  }

  void abandon_waiting_threads() {
    for (const auto& fiber : fibers_) {
      if (std::find(idle_.begin(), idle_.end(), fiber.get()) != idle_.end()) continue;
      fiber_ = fiber.get();
      fiber_->enter();
    }
  }

  Fiber* idle_fiber() {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>([this] { start_threads(); }));
      return fibers_.back().get();
    }
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  /// The body of every fiber.
  void start_threads() {
    while (started_ < threads_.size() && failure_ == nullptr) {
      become(backwards_ ? threads_.size() - 1 - started_ : started_);
      ++started_;
      threads_[current_].state = State::running;
      try {
        kernel_->thread();
        end_thread();
      } catch (const Abandoned&) {
      } catch (...) {
        failure_ = std::current_exception();
      }
    }
    idle_.push_back(fiber_);
  }

  void become(std::size_t thread) {
    current_ = thread;
    if (blockDim.x == threads_.size()) {  // most are: without the divisions
      threadIdx = {static_cast<unsigned>(thread), 0, 0};
      return;
    }
    threadIdx = {static_cast<unsigned>(thread % blockDim.x),
                 static_cast<unsigned>(thread / blockDim.x % blockDim.y),
                 static_cast<unsigned>(thread / blockDim.x / blockDim.y)};
  }

  void wait() {
    threads_[current_].fiber = fiber_;
    fiber_->leave();
    if (failure_ != nullptr) throw Abandoned{};
  }

  void end_thread() {
    const std::size_t self = current_;
    threads_[self].state = State::ended;
    --alive_;
    if (alive_ > 0 && at_barrier_ == alive_) release_barrier();
    if (in_warps_ == 0) return;
    const std::size_t first = self / kLanes * kLanes;
    for (std::size_t i = first; i < threads_.size() && i < first + kLanes; ++i) {
      if (threads_[i].state == State::in_warp && complete(threads_, i)) release_warp(i);
    }
  }

  void go_on(std::size_t thread) {
    threads_[thread].state = State::running;
    if (thread != current_) ready_.push_back(thread);
  }

  void release_barrier() {
    std::uint64_t votes = 0;
    const std::source_location* at = nullptr;
    for (const Thread& thread : threads_) {
      if (thread.state != State::at_barrier) continue;
      votes += thread.bits;
      if (at != nullptr && (at->line() != thread.at.line() || at->column() != thread.at.column())) {
        throw KernelFault(cudaErrorLaunchFailure,
                          "threads of a block wait at different barriers: " + place(*at) + " and " +
                              place(thread.at));
      }
      at = &thread.at;
    }
    at_barrier_ = 0;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i].state != State::at_barrier) continue;
      threads_[i].result = votes;
      go_on(i);
    }
  }

  void release_warp(std::size_t thread) {
    const unsigned lanes = answer_lanes(threads_, thread);
    const std::size_t first = thread / kLanes * kLanes;
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (((lanes >> i) & 1U) == 0) continue;
      --in_warps_;
      go_on(first + i);
    }
  }

  std::string deadlock() const {
    std::string text = "threads of a block wait for each other:";
    int named = 0;
    for (std::size_t i = 0; i < threads_.size() && named < 4; ++i) {
      if (threads_[i].state == State::ended) continue;
      text += " thread " + std::to_string(i) +
              (threads_[i].state == State::in_warp ? " for its warp at " : " at the barrier ") +
              place(threads_[i].at) + ";";
      ++named;
    }
    return text;
  }

  const Kernel* kernel_ = nullptr;
  bool backwards_ = false;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::vector<Thread> threads_;
  std::size_t started_ = 0;
  std::size_t current_ = 0;
  std::size_t at_barrier_ = 0;
  std::size_t in_warps_ = 0;  ///< threads that wait for their warps
  std::size_t alive_ = 0;
  std::deque<std::size_t> ready_;
  std::exception_ptr failure_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Fiber* fiber_ = nullptr;
};

namespace {

Block& block_here(const char* call) {
  Block* block = Block::current();
  if (block == nullptr) {
    std::fprintf(stderr, "%s outside a kernel\n", call);
    std::abort();
  }
  return *block;
}

}  // namespace

int wait_for_block(int vote, const std::source_location& at) {
  return block_here("a barrier").wait_for_block(vote, at);
}

std::uint64_t wait_for_warp(WarpCall call, unsigned mask, std::uint64_t bits, int source,
                            const std::source_location& at) {
  return block_here("a call of a warp").wait_for_warp(call, mask, bits, source, at);
}

int lane() {
  return block_here("a call of a warp").lane();
}

void fence() {
#ifdef __SANITIZE_THREAD__
  static std::atomic<int> order{0};  // TSan does not support fences
  order.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void sleep_for(unsigned nanoseconds) {
  // a shorter sleep takes no less time, and keeps a processor from what others have to compute
  constexpr unsigned kShortest = 200'000;
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::max(nanoseconds, kShortest)));
  if (block_here("__nanosleep").cancelled()) throw Cancelled{};
}

void trap(const std::source_location& at) {
  throw KernelFault(cudaErrorLaunchFailure, "a trap at " + place(at));
}

BlockRunner::BlockRunner() : block_(std::make_unique<Block>()) {}
BlockRunner::~BlockRunner() = default;

void BlockRunner::run(const Kernel& kernel, bool backwards, const std::atomic<bool>& cancelled) {
  block_->run(kernel, backwards, cancelled);
}

}  // namespace paceline::cuda::emulation
