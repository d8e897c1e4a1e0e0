// SPDX-License-Identifier: MIT
// A block's threads start one after another on one fiber for as long as none of them waits. One
// that waits keeps its fiber, and the threads after it go on on the next. Whoever comes last to a
// barrier lets the others go on and never leaves its fiber itself.
#include "tests/exec/cuda/emulation/block.hpp"

#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <thread>
#include <vector>

#include "tests/exec/cuda/emulation/device_code.hpp"
#include "tests/exec/cuda/emulation/fiber.hpp"

constinit thread_local uint3 threadIdx{0, 0, 0};
constinit thread_local uint3 blockIdx{0, 0, 0};
constinit thread_local dim3 blockDim{1, 1, 1};
constinit thread_local dim3 gridDim{1, 1, 1};

namespace paceline::cuda::emulation {
namespace {

enum class State : std::uint8_t { unstarted, running, at_barrier, in_warp, ended };

struct Thread {
  State state = State::unstarted;
  WarpCall call = WarpCall::sync;
  unsigned mask = 0;
  std::uint64_t bits = 0;  ///< given to the warp, or its vote at a barrier
  int source = 0;
  std::uint64_t result = 0;
  std::source_location at;
  Fiber* fiber = nullptr;
};

std::string place(const std::source_location& at) {
  const std::string file = at.file_name();
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.line());
}

/// A kernel is not at fault: its device is being reset.
struct Cancelled {};

}  // namespace

bool launchable(const dim3& grid, const dim3& block) {
  const auto threads = static_cast<std::uint64_t>(block.x) * block.y * block.z;
  return threads > 0 && threads <= 1024 && block.z <= 64 && grid.x > 0 && grid.y > 0 &&
         grid.z > 0 && grid.x <= 0x7fffffffU && grid.y <= 0xffffU && grid.z <= 0xffffU;
}

class Block {
 public:
  /// The one that runs on this thread of the CPU.
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
    if (((mask >> (current_ % 32)) & 1U) == 0) {
      throw KernelFault(cudaErrorIllegalInstruction,
                        "a thread is not in its own mask: " + place(at));
    }
    self = {State::in_warp, call, mask, bits, source, 0, at, self.fiber};
    if (complete(current_)) {
      release_warp(current_);
    } else {
      wait();
    }
    return threads_[current_].result;
  }

  int lane() const { return static_cast<int>(current_ % 32); }
  bool cancelled() const { return cancelled_->load(); }

 private:
  void run_block() {
    threads_.assign(static_cast<std::size_t>(blockDim.x) * blockDim.y * blockDim.z, Thread{});
    started_ = 0;
    at_barrier_ = 0;
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
    idle_.clear();
    for (const auto& fiber : fibers_) {
      fiber->restart();
      idle_.push_back(fiber.get());
    }
    current() = nullptr;
    if (failure_ == nullptr) throw KernelFault(cudaErrorLaunchFailure, deadlock());
    try {
      std::rethrow_exception(failure_);
    } catch (const Cancelled&) {  // nobody asks what came of it
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
    for (;;) {
      while (started_ < threads_.size() && failure_ == nullptr) {
        become(backwards_ ? threads_.size() - 1 - started_ : started_);
        ++started_;
        threads_[current_].state = State::running;
        try {
          kernel_->thread();
          end_thread();
        } catch (...) {
          failure_ = std::current_exception();
        }
      }
      idle_.push_back(fiber_);
      fiber_->leave();
    }
  }

  void become(std::size_t thread) {
    current_ = thread;
    threadIdx = {static_cast<unsigned>(thread % blockDim.x),
                 static_cast<unsigned>(thread / blockDim.x % blockDim.y),
                 static_cast<unsigned>(thread / blockDim.x / blockDim.y)};
  }

  void wait() {
    threads_[current_].fiber = fiber_;
    fiber_->leave();
  }

  void end_thread() {
    const std::size_t self = current_;
    threads_[self].state = State::ended;
    --alive_;
    if (alive_ > 0 && at_barrier_ == alive_) release_barrier();
    for (std::size_t i = self / 32 * 32; i < threads_.size() && i < self / 32 * 32 + 32; ++i) {
      if (threads_[i].state == State::in_warp && complete(i)) release_warp(i);
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

  /// Whether every lane that this thread waits for has come.
  bool complete(std::size_t thread) const {
    const Thread& self = threads_[thread];
    const std::size_t first = thread / 32 * 32;
    for (std::size_t i = 0; i < 32 && first + i < threads_.size(); ++i) {
      const Thread& other = threads_[first + i];
      if (((self.mask >> i) & 1U) == 0 || other.state == State::ended) continue;
      if (other.state != State::in_warp || other.mask != self.mask || other.call != self.call) {
        return false;
      }
    }
    return true;
  }

  void release_warp(std::size_t thread) {
    const std::size_t first = thread / 32 * 32;
    const unsigned mask = threads_[thread].mask;
    std::uint64_t votes = 0;
    unsigned lanes = 0;
    for (std::size_t i = 0; i < 32 && first + i < threads_.size(); ++i) {
      const Thread& other = threads_[first + i];
      if (((mask >> i) & 1U) == 0 || other.state != State::in_warp) continue;
      lanes |= 1U << i;
      votes |= (other.bits & 1U) << i;
    }
    for (std::size_t i = 0; i < 32; ++i) {
      if (((lanes >> i) & 1U) == 0) continue;
      Thread& other = threads_[first + i];
      const auto source = static_cast<unsigned>(other.source);
      switch (other.call) {
        case WarpCall::shuffle:
          other.result = source < 32 && ((lanes >> source) & 1U) != 0
                             ? threads_[first + source].bits
                             : ~std::uint64_t{0};
          break;
        case WarpCall::ballot:
          other.result = votes;
          break;
        case WarpCall::any:
          other.result = votes != 0;
          break;
        case WarpCall::all:
          other.result = votes == lanes;
          break;
        case WarpCall::sync:
          break;
      }
    }
    for (std::size_t i = 0; i < 32; ++i) {
      if (((lanes >> i) & 1U) != 0) go_on(first + i);
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
  static std::atomic<int> order{0};  // the sanitizer knows no fences
  order.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void sleep_for(unsigned nanoseconds) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
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
