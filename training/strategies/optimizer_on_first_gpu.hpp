// SPDX-License-Identifier: MIT
/// \file
/// Synchronous training through a server on the CPU that has the batch and the weights but not the
/// optimizer, which is on the first worker: the server adds up the gradients of a bucket as soon as
/// all have come, the first worker fetches the sums, updates its weights and returns them, and then
/// every worker fetches them. Bytes between the server and a worker: n of weights and the inputs
/// there, n of gradients and the outputs back; and for the first worker n of sums and n of weights
/// besides.
///
/// After Keras 2 on TensorFlow 1, where a model was made under a device scope of the CPU: its
/// optimizers make their operations outside of all scopes (keras/optimizers.py, SGD.get_updates),
/// TensorFlow puts these on the first GPU and only the assignment beside its variable
/// (tensorflow/core/common_runtime/simple_placer.cc, reference edges), and the sum of the towers'
/// gradients is beside the variable, too (tensorflow/python/ops/gradients_impl.py, with
/// colocate_gradients_with_ops, as Keras calls it).
#pragma once
#include "training/runtime/task.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

Task<> worker_of_distant_weights(const Plan& plan, Backend& backend, RoleId me);
Task<> server_without_optimizer(const Plan& plan, Backend& backend);

/// The buffers of either program.
RoleBuffers buffers_of_distant_weights(const Plan& plan, RoleId role);

/// As Aggregation::is_sound.
bool is_message_of_distant_weights(const Plan& plan, RoleId to, const Message& message);

}  // namespace paceline
