// SPDX-License-Identifier: MIT
/// \file
/// The event loop of a process's sockets and timers (Boost.Asio), on one thread. It accepts and
/// authenticates connections, enforces deadlines and sends heartbeats; copies of floats run on the
/// threads of their streams.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace boost::asio {
class io_context;
}

namespace paceline {

/// Shared by connections and listeners. The thread starts at the first use, so that a process may
/// fork before.
class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// The loop with its thread running.
  boost::asio::io_context& running();
  /// The loop, running or not: for sockets that are used without the loop.
  boost::asio::io_context& context() { return *context_; }
  /// Runs `work` on the loop's thread, or on the caller's if the loop has not started; returns at
  /// its end.
  void run(const std::function<void()>& work);
  /// Runs `work`, which must not throw, on the thread every `period` until `stop`.
  void repeat(std::chrono::milliseconds period, std::function<void()> work);
  /// Ends the thread and drops pending work. Must not be called on the thread itself.
  void stop();

 private:
  std::unique_ptr<boost::asio::io_context> context_;
  std::once_flag started_;
  std::atomic<bool> runs_{false};
  std::thread thread_;
};

/// Closes the descriptor in programs that this one executes.
void close_on_exec(int descriptor);

}  // namespace paceline
