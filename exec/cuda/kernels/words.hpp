// SPDX-License-Identifier: MIT
/// \file
/// How a stream and the host wait for each other without a call: through 64-bit words in pinned
/// memory that only ever grow.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// What `stream` has queued behind this waits until `*word` >= `value`; it then sees what the host
/// wrote before the word. One thread of the device spins meanwhile.
void await_word(const std::uint64_t* word, std::uint64_t value, cudaStream_t stream);

/// Once all before it in `stream` has run, `*word` becomes `value`; the host then sees what that
/// work wrote.
void write_word(std::uint64_t* word, std::uint64_t value, cudaStream_t stream);

}  // namespace paceline::cuda
