// SPDX-License-Identifier: MIT
/// \file
/// The device memory of a network's activations and their gradients, and its assignment to groups
/// of layers.
#pragma once
#include <vector>

#include "exec/cuda/layers/operation.hpp"
#include "exec/cuda/network/cuda_network.hpp"
#include "exec/cuda/network/fusion.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "training/learning/arithmetic/onednn/array_plan.hpp"

namespace paceline::cuda {

/// Values are kept from forward until backward; gradients reuse memory. All addresses are multiples
/// of 256 bytes.
class Arrays {
 public:
  /// Allocates for `groups`; `reduced` is network_of() of them. Takes the memory of `idle`, which
  /// may be null and must outlive this, where that is large enough. Throws Error.
  Arrays(const NetworkSetting& setting, const Network& reduced, const std::vector<Group>& groups,
         const Arrays* idle = nullptr);

  /// The network's input, which load() fills. Token ids stay fp32, since 16 bits represent too few.
  const Tensor& input() const { return input_; }
  /// The inputs of a group, in its order.
  std::vector<Input> inputs_of(std::size_t group) const;
  /// The output of a group; none for the loss.
  Tensor value_of(std::size_t group) const;
  Tensor gradient_of(std::size_t group) const;

  /// Of its own.
  std::size_t bytes() const { return values_.own.bytes() + gradients_.own.bytes(); }
  /// Sets all arrays to zero.
  void clear(cudaStream_t stream) const;

 private:
  /// Its own or another's.
  struct Block {
    DeviceMemory own;
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  static Block block(std::size_t bytes, const Block* idle);
  Tensor tensor(const Block& memory, const std::vector<std::size_t>& offsets, int array,
                Shape shape) const;

  const Network& reduced_;
  ArrayPlan plan_;
  Element element_;
  Layout layout_;
  int batch_;
  std::vector<std::size_t> value_offsets_, gradient_offsets_;  ///< in bytes, by array
  Block values_, gradients_;
  Tensor input_;
};

}  // namespace paceline::cuda
