// SPDX-License-Identifier: MIT
/// \file
/// Reports of operations that ran to an observer, the same on every clock that simulates.
#pragma once
#include "training/runtime/observer.hpp"

namespace paceline {

/// Whether the gradient of a mini-batch is there once they have run.
constexpr bool ends_gradient(const LayerRange& layers) {
  return layers.pass == Pass::backward && layers.first == 0;
}

/// Reports an operation other than a mark. Roles below `workers` are workers.
/// \param whole   it ran to its end
/// \param loss_of called with a worker, where the operation ends its gradient: the mean loss of
///                the mini-batch, NaN where nothing is trained
template <class Loss>
void report_operation(Observer& observer, RoleId workers, Stream stream, const Command& command,
                      Instant began, Instant ended, bool whole, const Loss& loss_of) {
  const WorkId work = command.work;
  observer.operation(stream, command, began, ended);
  const auto changed = [&](RoleId role, std::int64_t version) {
    if (role < workers) observer.span({role, -1}, Activity::compute, began, ended);
    if (version > 0) observer.updated(role, version, ended);
  };
  if (const auto* compute = command.as<Command::Compute>()) {
    const bool trains = compute->layers.pass != Pass::validation;
    observer.span(work, trains ? Activity::compute : Activity::validation, began, ended);
    if (whole && ends_gradient(compute->layers))
      observer.gradient_computed(work, ended, loss_of(work.worker));
  } else if (const auto* sum = command.as<Command::Reduce>()) {
    if (sum->of_one_worker()) changed(sum->into.role, 0);
  } else if (delays_arithmetic(stream, command)) {
    observer.span(work, Activity::delay, began, ended);
  } else if (const auto* update = command.as<Command::Update>()) {
    changed(update->weights.role, update->moment.version);
  } else if (const auto* assign = command.as<Command::Assign>()) {
    changed(assign->weights.role, assign->version);
  }
}

}  // namespace paceline
