// SPDX-License-Identifier: MIT
/// \file
/// A coroutine with its own stack, which a thread of the CPU enters and leaves. Its switches are
/// announced to the sanitizers. The threads of an emulated block run on fibers.
#pragma once
#include <cstddef>
#include <functional>

#include <boost/context/fiber.hpp>

namespace paceline::cuda::emulation {

class Fiber {
 public:
  /// `body` runs in enter(), and again in the first enter() after it has returned. It must not
  /// throw.
  explicit Fiber(std::function<void()> body);
  /// Requires that `body` is not suspended in leave().
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs `body` until it returns or calls leave().
  void enter();
  /// Suspends `body`, which calls it: returns from enter(). The next enter() continues here.
  void leave();

 private:
  boost::context::fiber run(boost::context::fiber&& home);

  std::function<void()> body_;
  bool ending_ = false;
  boost::context::fiber fiber_;  ///< the suspended fiber
  boost::context::fiber home_;   ///< the suspended caller of enter()
  // for the sanitizers:
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  const void* home_bottom_ = nullptr;
  std::size_t home_bytes_ = 0;
  void* sanitizer_fiber_ = nullptr;
  void* sanitizer_home_ = nullptr;
};

}  // namespace paceline::cuda::emulation
