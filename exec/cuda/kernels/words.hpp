// SPDX-License-Identifier: MIT
/// \file
/// Synchronisation between a stream and the host without driver calls: 64-bit words in pinned
/// memory with increasing values.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// Queues a wait until `*word` >= `value`; later work in `stream` sees all host writes made before
/// that store. One thread of the device spins during the wait.
void await_word(const std::uint64_t* word, std::uint64_t value, cudaStream_t stream);

/// Queues `*word` = `value` after all earlier work in `stream`; a host that reads the value also
/// sees that work's writes.
void write_word(std::uint64_t* word, std::uint64_t value, cudaStream_t stream);

}  // namespace paceline::cuda
