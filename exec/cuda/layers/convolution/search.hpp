// SPDX-License-Identifier: MIT
/// \file
/// The search for the algorithms of a worker's convolutions, on threads, while the other layers are
/// made: cuDNN compiles many engines when their plans are built, and a network has hundreds of
/// plans.
#pragma once
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/cuda/layers/convolution/algorithm.hpp"

namespace paceline::cuda {

class ConvolutionSearch {
 public:
  /// `tools` must outlive this.
  explicit ConvolutionSearch(const Toolbox& tools);
  /// Waits for what its threads are doing; what they have not begun is left out.
  ~ConvolutionSearch();
  ConvolutionSearch(const ConvolutionSearch&) = delete;
  ConvolutionSearch& operator=(const ConvolutionSearch&) = delete;

  struct Candidates {
    ConvolutionAlgorithms all;
    bool known = false;  ///< all.front() is the cache's choice, and the only one
  };
  /// The result of a search, shared by all passes with this problem.
  struct Found {
    std::future<Candidates> candidates;
    std::unique_ptr<ConvolutionAlgorithm> chosen;  ///< null before a pass has chosen
  };
  /// Begins to search, unless that was done: for the algorithm that the cache has under `key`, for
  /// all if it has none or that is not available. The algorithms must not outlive this.
  std::shared_ptr<Found> begin(const ConvolutionProblem& problem, const std::string& key);
  /// Waits for all that was begun and ends the threads. No algorithm may run before: it has the
  /// handle of the thread that found it, and nothing should disturb the timing.
  void wait();

 private:
  /// Tools of a thread: a handle must not be used by two threads at once (cuDNN, Thread Safety).
  using OwnTools = std::unique_ptr<Toolbox>;
  using Task = std::packaged_task<Candidates(OwnTools& tools)>;
  void start(Task task);
  /// Of a thread: tasks until wait() ends it.
  void work();

  const Toolbox& tools_;
  const int device_;
  const unsigned most_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  bool ending_ = false;
  std::vector<OwnTools> unused_;  ///< of threads that ended; algorithms refer to them
  std::map<std::string, std::shared_ptr<Found>> found_;  ///< by key
  std::vector<std::jthread> threads_;
};

}  // namespace paceline::cuda
