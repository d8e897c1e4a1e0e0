// SPDX-License-Identifier: MIT
#include "training/workload/validation.hpp"

namespace paceline {

void Validation::describe(Description<Validation>& d) {
  d.required("every", &Validation::every, "mini-batches of a worker between two validations")
      .at_least(1);
  d.required("batches", &Validation::batches, "forward passes of a validation, by each worker")
      .at_least(1)
      .at_most(1'000'000);
  d.optional("batch", &Validation::batch, "items of a pass (default: those of a mini-batch)")
      .at_least(1)
      .at_most(1'000'000);
  d.optional("prefetch", &Validation::prefetch,
             "batches that the loaders of an input pipeline prepare ahead (default: as those of "
             "training)")
      .at_least(0)
      .at_most(64);
}

}  // namespace paceline
