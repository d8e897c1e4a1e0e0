// SPDX-License-Identifier: MIT
/// \file
/// The memory of a GPU that a point needs: exactly the buffers that the roles on it declare, and
/// the activations of its workers.
#pragma once
#include "training/experiment/experiment_file.hpp"
#include "training/results/trace/worker_memory.hpp"

namespace paceline {

/// The memory of each worker over a mini-batch. Its `kept` is empty where workers are not on
/// described GPUs.
WorkerMemory memory_of_workers(const ExperimentPoint& point);

/// Peak memory of the GPU that needs the most.
Bytes memory_of(const ExperimentPoint& point);

/// The memory of that GPU without any item, and the memory for one more item of each worker.
Bytes memory_without_items(ExperimentPoint point);
Bytes memory_of_item(ExperimentPoint point);

/// The largest batch of each worker, below the point's own, with which that GPU needs no more than
/// `memory`; 0: none.
int largest_batch_within(ExperimentPoint point, Bytes memory);

}  // namespace paceline
