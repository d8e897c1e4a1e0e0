// SPDX-License-Identifier: MIT
/// \file
/// Handles Ctrl-C. Finished points are on the disk as complete files, so an immediate stop loses
/// only the running points; waiting for these could take hours.
#pragma once
#include <functional>
#include <thread>

namespace paceline {

/// Makes SIGINT and SIGTERM end the program with one line and exit code 130.
void stop_cleanly_on_interrupt();

/// True once a signal has arrived that a `Salvage` handles: other threads should write no more to
/// the terminal.
bool interrupted();

/// While this object exists, the first signal calls `work` on a thread of its own, beside the
/// running points, and then ends the program with exit code 130. A second signal ends it at once.
class Salvage {
 public:
  /// `work` must flush what it writes. At most one object exists at a time.
  explicit Salvage(std::function<void()> work);
  ~Salvage();  ///< does not return if a signal has arrived
  Salvage(const Salvage&) = delete;
  Salvage& operator=(const Salvage&) = delete;

 private:
  void wait_for_signal();

  std::function<void()> work_;
  int read_ = -1;
  int write_ = -1;
  std::thread thread_;
};

}  // namespace paceline
