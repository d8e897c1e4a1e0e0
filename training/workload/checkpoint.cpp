// SPDX-License-Identifier: MIT
#include "training/workload/checkpoint.hpp"

namespace paceline {

void Checkpoint::describe(Description<Checkpoint>& d) {
  d.required("every", &Checkpoint::every, "updates of the weights between two checkpoints")
      .at_least(1);
  d.required("bandwidth", &Checkpoint::bandwidth,
             "of a computer's storage, which writes one checkpoint after another")
      .above(BytesPerSecond{0});
  d.optional(
       "size", &Checkpoint::size,
       "bytes of one checkpoint, all parts together (default: the weights and the optimizer's "
       "state, 4 bytes a number)")
      .above(Bytes{0});
  d.optional("asynchronous", &Checkpoint::asynchronous,
             "training waits for a copy in the host's memory, which is written beside it; the next "
             "checkpoint waits for that");
}

}  // namespace paceline
