// SPDX-License-Identifier: MIT
/// \file
/// A batch that lies with the server: before forward each worker fetches its share of the inputs,
/// and after it the outputs may go back for the loss, their gradients being fetched before
/// backward. After PyTorch's DataParallel, where the server is the first GPU, and make_parallel of
/// keras-extras, where the inputs stay in the host's memory.
///
/// The copies carry as many bytes as the shares have. The items themselves are each worker's own,
/// so that the arithmetic is that of every other aggregation.
#pragma once
#include <span>

#include "experiments/language/value.hpp"
#include "training/runtime/task.hpp"
#include "training/strategies/mini_batches.hpp"

namespace paceline {

/// The place of the loss.
enum class LossPlacement : std::uint8_t { server, every_gpu };
std::span<const EnumName<LossPlacement>> enum_names(const LossPlacement*);

/// Queues a worker's copies of one batch. The server keeps the inputs and outputs of all workers in
/// its buffer `gradient`, but for inputs that loaders bring; a worker its share in `landing`.
class ScatteredBatch {
 public:
  ScatteredBatch(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me) {}

  /// Parameters of the buffer of a worker, and of the server.
  static std::int64_t share(const Plan& plan) { return inputs_here(plan) + plan.batch_outputs; }
  static std::int64_t whole(const Plan& plan) {
    return inputs_at_server(plan) + plan.workers * plan.batch_outputs;
  }

  Token fetch_inputs(std::int64_t step);
  Token push_outputs(Token forward);
  Token fetch_gradients_of_outputs();

 private:
  Token copy(StreamKind stream, bool to_server, Slice slice, std::int64_t shift, Token after);
  std::int64_t outputs_at_server() const {
    return inputs_at_server(plan_) + me_ * plan_.batch_outputs;
  }
  static std::int64_t inputs_here(const Plan& plan) {
    return plan.whole_inputs() ? plan.workers * plan.batch_inputs : plan.batch_inputs;
  }
  /// Loaders bring them into a buffer of their own.
  static std::int64_t inputs_at_server(const Plan& plan) {
    return plan.input ? 0 : plan.workers * plan.batch_inputs;
  }

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
};

}  // namespace paceline
