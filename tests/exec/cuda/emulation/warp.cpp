// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/warp.hpp"

namespace paceline::cuda::emulation {

bool complete(std::span<const Thread> block, std::size_t thread) {
  const Thread& self = block[thread];
  const std::size_t first = thread / kLanes * kLanes;
  for (std::size_t i = 0; i < kLanes && first + i < block.size(); ++i) {
    const Thread& other = block[first + i];
    if (((self.mask >> i) & 1U) == 0 || other.state == State::ended) continue;
    if (other.state != State::in_warp || other.mask != self.mask || other.call != self.call) {
      return false;
    }
  }
  return true;
}

unsigned answer_lanes(std::span<Thread> block, std::size_t thread) {
  const std::size_t first = thread / kLanes * kLanes;
  const unsigned mask = block[thread].mask;
  std::uint64_t votes = 0;
  unsigned lanes = 0;
  for (std::size_t i = 0; i < kLanes && first + i < block.size(); ++i) {
    const Thread& other = block[first + i];
    if (((mask >> i) & 1U) == 0 || other.state != State::in_warp) continue;
    lanes |= 1U << i;
    votes |= (other.bits & 1U) << i;
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (((lanes >> i) & 1U) == 0) continue;
    Thread& other = block[first + i];
    const auto source = static_cast<unsigned>(other.source);
    switch (other.call) {
      case WarpCall::shuffle:
        other.result = source < kLanes && ((lanes >> source) & 1U) != 0 ? block[first + source].bits
                                                                        : ~std::uint64_t{0};
        break;
      case WarpCall::ballot:
        other.result = votes;
        break;
      case WarpCall::any:
        other.result = votes != 0;
        break;
      case WarpCall::all:
        other.result = votes == lanes;
        break;
      case WarpCall::sync:
        break;
    }
  }
  return lanes;
}

}  // namespace paceline::cuda::emulation
