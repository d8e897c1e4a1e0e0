// SPDX-License-Identifier: MIT
/// \file
/// Arithmetic of any graph of layers, convolutions above all, with oneDNN.
#pragma once
#include <memory>

#include "training/learning/arithmetic/arithmetic.hpp"

namespace paceline {

/// The arithmetic of `network`, which unsupported() must accept; of sequences of unequal length if
/// `uneven`. Throws std::runtime_error naming a layer that oneDNN refuses.
std::unique_ptr<Arithmetic> make_convolutional(const Network& network, int batch,
                                               bool uneven = false);

}  // namespace paceline
