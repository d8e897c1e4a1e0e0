// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/fiber.hpp"

#include <new>
#include <utility>

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace paceline::cuda::emulation {
namespace {

namespace context = boost::context::detail;

constexpr std::size_t kGuard = 4096;            // bytes: a page
constexpr std::size_t kStack = 256UL * 1024UL;  // bytes: frames of a kernel under ASan, and spare

}  // namespace

/// The switches themselves: Boost's, told to the sanitizers.
class Fiber::Switch {
 public:
  static void into(Fiber& fiber) {
#ifdef __SANITIZE_ADDRESS__
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, fiber.stack_ + kGuard, kStack);
#endif
#ifdef __SANITIZE_THREAD__
    fiber.sanitizer_home_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber.sanitizer_fiber_, 0);
#endif
    fiber.context_ = context::jump_fcontext(fiber.context_, &fiber).fctx;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  }

  static void out_of(Fiber& fiber) {
#ifdef __SANITIZE_ADDRESS__
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, fiber.home_bottom_, fiber.home_bytes_);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(fiber.sanitizer_home_, 0);
#endif
    fiber.home_ = context::jump_fcontext(fiber.home_, nullptr).fctx;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake_stack, &fiber.home_bottom_, &fiber.home_bytes_);
#endif
  }

  static void first(context::transfer_t from) {
    Fiber& fiber = *static_cast<Fiber*>(from.data);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &fiber.home_bottom_, &fiber.home_bytes_);
#endif
    fiber.home_ = from.fctx;
    fiber.body_();
  }
};

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  void* memory = mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, kGuard, PROT_NONE);
  stack_ = static_cast<std::byte*>(memory);
  restart();
}

Fiber::~Fiber() {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack_ + kGuard, kStack);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(sanitizer_fiber_);
#endif
  munmap(stack_, kGuard + kStack);
}

void Fiber::restart() {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack_ + kGuard, kStack);
#endif
#ifdef __SANITIZE_THREAD__
  if (sanitizer_fiber_ != nullptr) __tsan_destroy_fiber(sanitizer_fiber_);
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
  context_ = context::make_fcontext(stack_ + kGuard + kStack, kStack, &Switch::first);
}

void Fiber::enter() {
  Switch::into(*this);
}

void Fiber::leave() {
  Switch::out_of(*this);
}

}  // namespace paceline::cuda::emulation
