// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/search.hpp"

#include <algorithm>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/convolution/candidates.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// Each has handles of cuDNN and cuBLAS, which take memory.
constexpr unsigned kMostThreads = 16;

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "querying the current GPU");
  return device;
}

/// None for groups of multiprocessors: their context is current on the calling thread alone.
unsigned threads_for(const Toolbox& tools) {
  if (tools.cache().multiprocessors() > 0) return 0;
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
}

ConvolutionSearch::Candidates candidates_of(const Toolbox& tools, const ConvolutionProblem& problem,
                                            const std::optional<std::string>& known) {
  ConvolutionSearch::Candidates candidates;
  if (known) {
    if (auto algorithm = candidate_for(tools, problem, *known)) {
      candidates.all.push_back(std::move(algorithm));
      candidates.known = true;
      return candidates;
    }
  }
  candidates.all = candidates_for(tools, problem);
  return candidates;
}

}  // namespace

ConvolutionSearch::ConvolutionSearch(const Toolbox& tools)
    : tools_(tools), device_(current_device()), most_threads_(threads_for(tools)) {}

ConvolutionSearch::~ConvolutionSearch() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  wait();
  found_.clear();  // before the tools
}

std::shared_ptr<ConvolutionSearch::Found> ConvolutionSearch::begin(
    const ConvolutionProblem& problem, const std::string& key) {
  auto& found = found_[key];
  if (found != nullptr) return found;
  found = std::make_shared<Found>();
  const auto known = tools_.cache().find(key);
  if (most_threads_ == 0) {
    std::promise<Candidates> done;
    done.set_value(candidates_of(tools_, problem, known));
    found->candidates = done.get_future();
    return found;
  }
  Task task([this, problem, known](OwnTools& own) {
    check(cudaSetDevice(device_), "choosing the GPU");
    if (own == nullptr) {
      own = std::make_unique<Toolbox>(tools_.stream(), tools_.cache(), tools_.deterministic());
    }
    return candidates_of(*own, problem, known);
  });
  found->candidates = task.get_future();
  start(std::move(task));
  return found;
}

void ConvolutionSearch::start(Task task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  if (threads_.size() < most_threads_) threads_.emplace_back([this] { work(); });
  changed_.notify_one();
}

void ConvolutionSearch::work() {
  OwnTools own;
  std::unique_lock lock(mutex_);
  if (!unused_.empty()) {
    own = std::move(unused_.back());
    unused_.pop_back();
  }
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) break;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task(own);
    lock.lock();
  }
  if (own != nullptr) unused_.push_back(std::move(own));
}

void ConvolutionSearch::wait() {
  if (threads_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  threads_.clear();  // joins
  ending_ = false;
}

}  // namespace paceline::cuda
