// SPDX-License-Identifier: MIT
/// \file
/// The functions that make the operation of each kind of layer. A new kind needs one function here
/// and one line in make_operation().
#pragma once
#include "training/learning/arithmetic/onednn/operation.hpp"

namespace paceline {

std::unique_ptr<LayerOperation> make_convolution(Workbench& bench, const Wiring& wiring);
std::unique_ptr<LayerOperation> make_fully_connected(Workbench& bench, const Wiring& wiring);
/// Statistics of the mini-batch, epsilon 1e-5.
std::unique_ptr<LayerOperation> make_batch_norm(Workbench& bench, const Wiring& wiring);
/// ReLU; its output may lie in its input's array.
std::unique_ptr<LayerOperation> make_activation(Workbench& bench, const Wiring& wiring);
/// Maximum, or mean over the part of the window that lies inside the input.
std::unique_ptr<LayerOperation> make_pooling(Workbench& bench, const Wiring& wiring);
std::unique_ptr<LayerOperation> make_response_norm(Workbench& bench, const Wiring& wiring);
/// Its output may lie in the array of one of its inputs.
std::unique_ptr<LayerOperation> make_add(const Wiring& wiring);
std::unique_ptr<LayerOperation> make_concat(const Wiring& wiring);
std::unique_ptr<LayerOperation> make_pad(const Wiring& wiring);
/// Its output may lie in its input's array.
std::unique_ptr<LayerOperation> make_dropout(const Wiring& wiring);
/// Throws std::invalid_argument in forward on a token id outside the vocabulary.
std::unique_ptr<LayerOperation> make_embedding(const Wiring& wiring);
std::unique_ptr<LayerOperation> make_lstm(const Wiring& wiring);
std::unique_ptr<LayerOperation> make_position(const Wiring& wiring);
/// Epsilon 1e-5.
std::unique_ptr<LayerOperation> make_layer_norm(const Wiring& wiring);
/// With the exact distribution function.
std::unique_ptr<LayerOperation> make_gelu(Workbench& bench, const Wiring& wiring);
std::unique_ptr<LayerOperation> make_attention(const Wiring& wiring);
std::unique_ptr<LayerOperation> make_select(const Wiring& wiring);
/// The mean of each item's own positions, by Wiring::lengths.
std::unique_ptr<LayerOperation> make_sequence_mean(const Wiring& wiring);

}  // namespace paceline
