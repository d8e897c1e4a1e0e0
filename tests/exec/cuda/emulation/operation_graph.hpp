// SPDX-License-Identifier: MIT
/// \file
/// Operation graphs of the emulated cuDNN: a convolution with pointwise operations before and after
/// it, and sums per channel of its result. Not for tests.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "tests/exec/cuda/emulation/backend_node.hpp"
#include "tests/exec/cuda/emulation/convolution.hpp"

namespace paceline::cuda::emulation {

/// A tensor of a graph.
struct GraphTensor {
  std::int64_t uid = 0;
  cudnnTensorStruct shape;
  bool is_virtual = false;  ///< it has no memory
  std::int64_t alignment = 0;
};

/// An operation with its tensors in the order of its arguments: x, w, y (or dx, w, dy); x, b, y;
/// x, sum, sum of squares.
struct GraphOperation {
  NodeRef node;
  std::vector<std::int64_t> inputs, outputs;  ///< unique ids

  bool is_pointwise() const;
  bool is_statistics() const;
  cudnnPointwiseMode_t mode() const;  ///< requires is_pointwise()
};

class OperationGraph {
 public:
  /// Reads a descriptor's operations.
  explicit OperationGraph(const Node& graph);

  /// Whether the graph is well formed: operations are complete, ids are unique, and each virtual
  /// tensor is computed.
  bool legal() const { return legal_; }
  /// Whether there is an engine for it.
  bool supported() const;
  bool is_single() const { return operations_.size() == 1; }
  std::size_t workspace_bytes() const;
  /// Of tensors in memory: those that are not computed are read.
  Cost cost() const;
  /// Whether all tensors that are not virtual have an address, with the promised alignment.
  bool accepts(const std::map<std::int64_t, void*>& memory) const;
  /// Computes the graph in fp32, and rounds what it stores. Requires supported() and accepts().
  void run(const std::map<std::int64_t, void*>& memory) const;

 private:
  using Values = std::map<std::int64_t, std::vector<float>>;

  bool add(const NodeRef& operation);
  bool add(const NodeRef& tensor, std::vector<std::int64_t>& to);
  bool in_order();
  const GraphTensor& tensor(std::int64_t uid) const { return tensors_.at(uid); }
  const GraphOperation* convolution() const;
  Convolution arithmetic(const GraphOperation& operation) const;
  bool fits_before(const GraphOperation& operation) const;
  bool fits_after(const GraphOperation& operation) const;
  void compute(const GraphOperation& operation, Values& values) const;
  void convolve(const GraphOperation& operation, Values& values) const;
  void point_by_point(const GraphOperation& operation, Values& values) const;
  void sum(const GraphOperation& operation, Values& values) const;

  bool legal_ = true;
  std::map<std::int64_t, GraphTensor> tensors_;
  std::vector<GraphOperation> operations_;  ///< in an order in which they can be computed
};

}  // namespace paceline::cuda::emulation
