// SPDX-License-Identifier: MIT
/// \file
/// A pass of a convolution, and what is fused with it, as an operation graph of cuDNN.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "exec/cuda/layers/convolution/backend_descriptor.hpp"
#include "exec/cuda/layers/convolution/problem.hpp"

namespace paceline::cuda {

/// The address of a tensor of a graph.
struct GraphAddress {
  std::int64_t id = 0;
  void* data = nullptr;
};

/// With the descriptors that it refers to.
class OperationGraph {
 public:
  /// Throws Error if cuDNN does not know such graphs.
  OperationGraph(cudnnHandle_t cudnn, const ConvolutionProblem& problem);
  const BackendDescriptor& get() const { return graph_; }

 private:
  using Part = const BackendDescriptor&;

  Part tensor(std::int64_t id, std::array<std::int64_t, 4> sizes, cudnnDataType_t type,
              bool in_memory, int alignment);
  Part image(std::int64_t id, bool in_memory = true);
  Part map(std::int64_t id, bool in_memory = true);
  Part filters();
  Part vector(std::int64_t id);
  void add_convolution(Part image, Part filters, Part map);
  /// y = x op b; null `b`: an operation of one operand.
  void add_pointwise(cudnnPointwiseMode_t mode, Part x, const BackendDescriptor* b, Part y);
  void add_sums(Part x);
  void add_forward();
  void add_data_gradient();

  const ConvolutionProblem problem_;
  std::deque<BackendDescriptor> parts_;  ///< tensors and settings; their addresses do not change
  std::vector<BackendDescriptor> operations_;
  std::int64_t virtual_id_ = 0;  ///< of the last tensor that has no memory
  BackendDescriptor graph_;
};

/// The addresses of the graph's tensors.
std::vector<GraphAddress> addresses_of(const ConvolutionProblem& problem, const Operands& operands);

}  // namespace paceline::cuda
