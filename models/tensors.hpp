// SPDX-License-Identifier: MIT
/// \file
/// The trainable tensors of a network with the names and shapes that PyTorch gives them, as far as
/// a network knows these.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/network.hpp"

namespace paceline {

/// A part of one layer's parameters: LAYER.weight, LAYER.bias; of an LSTM LAYER.weight_ih,
/// LAYER.weight_hh and LAYER.bias.
struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;  ///< of its first element in the network's flat layout
  std::int64_t elements() const;
};

/// The order in which the rows of the gates follow each other in the tensors of an LSTM.
inline constexpr const char* kLstmGates = "input, forget, cell candidate, output";

/// Every parameter is in exactly one tensor, in the order of the flat layout. Tensors that layers
/// share appear once, with the layer that owns them.
std::vector<NamedTensor> tensors_of(const Network& network);

}  // namespace paceline
