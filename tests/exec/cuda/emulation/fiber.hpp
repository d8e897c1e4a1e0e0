// SPDX-License-Identifier: MIT
/// \file
/// A stack of its own that a thread of the CPU switches to and back from, made known to the
/// sanitizers. It goes back only to who switched to it.
#pragma once
#include <cstddef>
#include <functional>

namespace paceline::cuda::emulation {

class Fiber {
 public:
  /// `body` runs on the first switch; it must not return or throw.
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the fiber until it calls leave().
  void enter();
  /// Called on the fiber: goes on after the enter() that came here.
  void leave();
  /// Forgets what lies on the stack: the next enter() starts the body anew.
  void restart();

  class Switch;

 private:
  std::function<void()> body_;
  std::byte* stack_ = nullptr;  ///< with a guard page below
  void* context_ = nullptr;     ///< of the fiber
  void* home_ = nullptr;        ///< context of who entered
  const void* home_bottom_ = nullptr;
  std::size_t home_bytes_ = 0;
  void* sanitizer_fiber_ = nullptr;
  void* sanitizer_home_ = nullptr;
};

}  // namespace paceline::cuda::emulation
