// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/fiber.hpp"

#include <memory>
#include <utility>

#include <boost/context/protected_fixedsize_stack.hpp>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace paceline::cuda::emulation {
namespace {

namespace context = boost::context;

constexpr std::size_t kStack = 256UL * 1024UL;  // bytes: the frames of a kernel under ASan

/// Boost's stacks with a guard page.
struct Stacks {
  context::stack_context allocate() {
    return context::protected_fixedsize_stack(kStack).allocate();
  }
  void deallocate(context::stack_context& stack) {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(static_cast<std::byte*>(stack.sp) - kStack, kStack);
#endif
    context::protected_fixedsize_stack(kStack).deallocate(stack);
  }
};

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  const context::stack_context stack = Stacks().allocate();
  stack_bottom_ = static_cast<const std::byte*>(stack.sp) - stack.size;
  stack_bytes_ = stack.size;
  fiber_ = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                          Stacks(), [this](context::fiber&& home) { return run(std::move(home)); });
#ifdef __SANITIZE_THREAD__
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  ending_ = true;
  enter();
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

context::fiber Fiber::run(context::fiber&& home) {
  home_ = std::move(home);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &home_bottom_, &home_bytes_);
#endif
  while (!ending_) {
    body_();
    leave();
  }
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(nullptr, home_bottom_, home_bytes_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(sanitizer_home_, 0);
#endif
  return std::move(home_);
}

void Fiber::enter() {
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_bottom_, stack_bytes_);
#endif
#ifdef __SANITIZE_THREAD__
  sanitizer_home_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_fiber_, 0);
#endif
  fiber_ = std::move(fiber_).resume();
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, home_bottom_, home_bytes_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(sanitizer_home_, 0);
#endif
  home_ = std::move(home_).resume();
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, &home_bottom_, &home_bytes_);
#endif
}

}  // namespace paceline::cuda::emulation
