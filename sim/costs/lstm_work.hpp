// SPDX-License-Identifier: MIT
/// \file
/// The arithmetic and memory traffic of an LSTM layer, by its consecutive parts: the products over
/// all steps at once, and the chain of steps, each of which depends on the previous one.
#pragma once
#include "experiments/language/units.hpp"
#include "models/network.hpp"

namespace paceline {

/// The work of a whole mini-batch.
struct PartWork {
  Flops flops;
  Bytes bytes;
};

struct LstmWork {
  PartWork forward_inputs;  ///< the inputs' product, of all steps
  PartWork forward_steps;   ///< all steps of the chain together
  PartWork backward_steps;
  PartWork backward_products;  ///< the gradients of both weights and of the inputs, of all steps
};

/// The work of `layer`, an LSTM, on `batch` items with `element` bytes per element. Every step
/// reads the recurrent weights again, as if caches kept nothing from one step to the next.
LstmWork lstm_work(const Layer& layer, int batch, Bytes element);

}  // namespace paceline
