// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/words.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "exec/cuda/kernels/step_state.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

class Words : public DeviceTest {};

TEST_F(Words, HoldAStreamUntilTheHostWrites) {
  const DeviceStream stream;
  const PinnedMemory memory(2 * sizeof(std::uint64_t));
  std::uint64_t* words = memory.as<std::uint64_t>();
  const std::atomic_ref request(words[0]), answer(words[1]);
  await_word(&words[0], 5, stream.get());
  write_word(&words[1], 6, stream.get());
  for (const std::uint64_t too_little : {1, 4}) {
    request.store(too_little, std::memory_order_release);
    EXPECT_EQ(cudaStreamQuery(stream.get()), cudaErrorNotReady);
    EXPECT_EQ(answer.load(std::memory_order_acquire), 0u);
  }
  request.store(7, std::memory_order_release);  // a larger value also ends the wait
  check(cudaStreamSynchronize(stream.get()), "waiting");
  EXPECT_EQ(answer.load(std::memory_order_acquire), 6u);
}

TEST_F(Words, OrderTwoStreams) {
  const DeviceStream one, two;
  const PinnedMemory memory(3 * sizeof(std::uint64_t));
  std::uint64_t* words = memory.as<std::uint64_t>();
  await_word(&words[0], 1, two.get());
  write_word(&words[1], 1, two.get());
  await_word(&words[1], 1, one.get());
  write_word(&words[2], 1, one.get());
  std::atomic_ref(words[0]).store(1, std::memory_order_release);
  check(cudaStreamSynchronize(one.get()), "waiting");
  EXPECT_EQ(std::atomic_ref(words[2]).load(std::memory_order_acquire), 1u);
  check(cudaStreamSynchronize(two.get()), "waiting");
}

TEST_F(Words, TheStepStateIsThatOfTheCall) {
  const DeviceStream stream;
  const PinnedMemory memory(2 * sizeof(StepState));
  StepState* states = memory.as<StepState>();
  for (std::uint32_t i = 0; i < 2; ++i) {
    StepState state{{i + 1, i + 2}, i + 3, {i + 4, i + 5}};
    write_step_state(&states[i], state, stream.get());
    state = {};  // need not outlive the call
  }
  check(cudaStreamSynchronize(stream.get()), "waiting");
  EXPECT_EQ(states[1].key[0], 2u);
  EXPECT_EQ(states[1].key[1], 3u);
  EXPECT_EQ(states[1].worker, 4u);
  EXPECT_EQ(states[1].step[0], 5u);
  EXPECT_EQ(states[1].step[1], 6u);
  EXPECT_EQ(states[0].worker, 3u);
}

}  // namespace
}  // namespace paceline::cuda
