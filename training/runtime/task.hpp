// SPDX-License-Identifier: MIT
/// \file
/// The coroutine type of roles and of the programs they call. `Task<>` starts when it is awaited or
/// resumed, returns to its caller by symmetric transfer, and owns its frame.
#pragma once
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace paceline {

template <class T = void>
class Task;

namespace detail {
struct TaskPromise {
  std::coroutine_handle<> caller = std::noop_coroutine();
  std::exception_ptr error;

  struct Return {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      return self.promise().caller;
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  Return final_suspend() const noexcept { return {}; }
  void unhandled_exception() { error = std::current_exception(); }
};

template <class T>
struct ValuePromise : TaskPromise {
  std::optional<T> value;
  Task<T> get_return_object();
  void return_value(T result) { value = std::move(result); }
  T take() { return std::move(*value); }
};
template <>
struct ValuePromise<void> : TaskPromise {
  Task<void> get_return_object();
  void return_void() const {}
  void take() const {}
};
}  // namespace detail

/// A coroutine that yields a `T` to the coroutine that awaits it.
template <class T>
class Task {
 public:
  using promise_type = detail::ValuePromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  Handle handle() const { return handle_; }
  bool done() const { return !handle_ || handle_.done(); }
  /// Rethrows what the coroutine threw.
  void rethrow() const {
    if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() const {
    rethrow();
    return handle_.promise().take();
  }

 private:
  Handle handle_;
};

namespace detail {
template <class T>
Task<T> ValuePromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<ValuePromise<T>>::from_promise(*this));
}
inline Task<void> ValuePromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<ValuePromise<void>>::from_promise(*this));
}
}  // namespace detail

}  // namespace paceline
