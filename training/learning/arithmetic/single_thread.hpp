// SPDX-License-Identifier: MIT
/// \file
/// oneDNN spreads its work over OpenMP threads, as many as the calling thread may use. A worker has
/// one thread; this holds oneDNN to it.
#pragma once

namespace paceline {

/// While it lives, oneDNN uses the calling thread alone. Other threads are not affected. oneDNN
/// sizes a primitive for the threads at its creation, so creation needs this as much as execution
/// does.
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
