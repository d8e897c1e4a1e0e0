// SPDX-License-Identifier: MIT
/// \file
/// Runs the blocks of a kernel on the calling thread. The threads of a block are fibers, which are
/// switched only when they wait for each other.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

namespace paceline::cuda::emulation {

/// A kernel made an error that ends its context on a GPU.
class KernelFault : public std::runtime_error {
 public:
  KernelFault(cudaError_t status, const std::string& what)
      : std::runtime_error(what), status_(status) {}
  cudaError_t status() const { return status_; }

 private:
  cudaError_t status_;
};

/// A launch; `thread` is the kernel with its arguments, called once per thread.
struct Kernel {
  dim3 grid;
  dim3 block;
  std::function<void()> thread;
};

/// Whether a GPU accepts a launch of this size.
bool launchable(const dim3& grid, const dim3& block);

class Block;

/// Runs blocks on one thread of the CPU, and keeps their fibers for reuse.
class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();
  /// Runs all blocks; `backwards`: the last block and the last thread first. Ends early if
  /// `cancelled` becomes true. Throws KernelFault.
  void run(const Kernel& kernel, bool backwards, const std::atomic<bool>& cancelled);

 private:
  std::unique_ptr<Block> block_;
};

}  // namespace paceline::cuda::emulation
