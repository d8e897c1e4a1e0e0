// SPDX-License-Identifier: MIT
#include "cli/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace paceline {

void for_each_parallel(const std::vector<std::size_t>& todo, int jobs,
                       const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::exception_ptr error;
  const auto loop = [&] {
    for (std::size_t i = next++; i < todo.size() && !stopped; i = next++) {
      try {
        work(todo[i]);
      } catch (...) {
        if (!stopped.exchange(true)) error = std::current_exception();
      }
    }
  };
  const std::size_t count = std::min(todo.size(), static_cast<std::size_t>(jobs));
  if (count <= 1) {
    loop();
  } else {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(loop);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace paceline
