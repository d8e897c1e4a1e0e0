// SPDX-License-Identifier: MIT
/// \file
/// Limits oneDNN to the calling thread, because a worker has one thread. By default oneDNN spreads
/// its work over as many OpenMP threads as the calling thread may use.
#pragma once

namespace paceline {

/// While it lives, oneDNN uses the calling thread alone. Other threads are not affected. oneDNN
/// fixes the number of threads of a primitive at its creation, so both creation and execution need
/// this.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int threads_before_ = 0;
};

}  // namespace paceline
