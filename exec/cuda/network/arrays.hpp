// SPDX-License-Identifier: MIT
/// \file
/// The memory of a network's activations and of their gradients on a device: which group of layers
/// works where.
#pragma once
#include <vector>

#include "exec/cuda/layers/operation.hpp"
#include "exec/cuda/network/cuda_network.hpp"
#include "exec/cuda/network/fusion.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "training/arithmetic/convolutional/array_plan.hpp"

namespace paceline::cuda {

/// Values lie from forward until backward, gradients in turn in the same places, all at addresses
/// that are multiples of 256 bytes.
class Arrays {
 public:
  /// Allocates for `groups`, in which `reduced` is network_of() them. Throws Error.
  Arrays(const NetworkSetting& setting, const Network& reduced, const std::vector<Group>& groups);

  /// What load() fills: the network's input. Token ids stay fp32, as 16 bits hold too few of them.
  const Tensor& input() const { return input_; }
  /// What a group reads, in its order.
  std::vector<Input> inputs_of(std::size_t group) const;
  /// What it writes; none for the loss.
  Tensor value_of(std::size_t group) const;
  Tensor gradient_of(std::size_t group) const;

  std::size_t bytes() const { return values_.bytes() + gradients_.bytes(); }
  /// Sets all to zero.
  void clear(cudaStream_t stream) const;

 private:
  Tensor tensor(const DeviceMemory& memory, const std::vector<std::size_t>& offsets, int array,
                Shape shape) const;

  const Network& reduced_;
  ArrayPlan plan_;
  Element element_;
  Layout layout_;
  int batch_;
  std::vector<std::size_t> value_offsets_, gradient_offsets_;  ///< bytes, by array
  DeviceMemory values_, gradients_;
  Tensor input_;
};

}  // namespace paceline::cuda
