// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/single_thread.hpp"

// OpenMP's own functions (OpenMP 5.1, 18.2.1 and 18.2.3), which come into the program with oneDNN.
// Weak, because a oneDNN built without OpenMP brings none; there are no threads to limit then.
extern "C" {
[[gnu::weak]] void omp_set_num_threads(int threads);
[[gnu::weak]] int omp_get_max_threads(void);
}

namespace paceline {

SingleThread::SingleThread() {
  if (omp_get_max_threads == nullptr || omp_set_num_threads == nullptr) return;
  threads_before_ = omp_get_max_threads();
  omp_set_num_threads(1);
}

SingleThread::~SingleThread() {
  if (threads_before_ > 0) omp_set_num_threads(threads_before_);
}

}  // namespace paceline
