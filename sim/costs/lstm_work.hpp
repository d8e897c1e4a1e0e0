// SPDX-License-Identifier: MIT
/// \file
/// What an LSTM layer computes and moves, in the parts that follow one another: the products over
/// all steps at once, and the chain of steps that each wait for the one before.
#pragma once
#include "experiments/units.hpp"
#include "models/network.hpp"

namespace paceline {

/// Of a whole mini-batch.
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

/// The work of `layer`, an LSTM, on `batch` items of `element` bytes an element. Every step reads
/// the recurrent weights again, as if caches held nothing from one step to the next.
LstmWork lstm_work(const Layer& layer, int batch, Bytes element);

}  // namespace paceline
