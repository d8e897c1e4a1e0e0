// SPDX-License-Identifier: MIT
// Halves on the device compared with those of the host, bit for bit.
#include "exec/cuda/kernels/halves.hpp"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "training/learning/encoding.hpp"

namespace paceline::cuda {
namespace {

class Halves : public DeviceTest {};

std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> all(count);
  for (float& one : all) one = normal(random);
  return all;
}

/// An array that begins at an odd word.
std::span<float> at_odd_word(const PinnedMemory& memory, std::size_t count) {
  return {memory.as<float>() + 1, count};
}

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TEST_F(Halves, AreThoseOfTheHost) {
  const GradientCodec codec{GradientCodec::Kind::fp16};
  const DeviceStream stream;
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{1009}}) {
    const auto words = static_cast<std::size_t>(codec.words(static_cast<std::int64_t>(count)));
    const std::vector<float> given = numbers(count, 1);
    const std::vector<float> other = numbers(count, 2);
    const PinnedMemory inputs((count + 1) * sizeof(float)), sum((words + 1) * sizeof(float)),
        addend((words + 1) * sizeof(float)), outputs((count + 1) * sizeof(float));
    const std::span<float> in = at_odd_word(inputs, count), into = at_odd_word(sum, words),
                           from = at_odd_word(addend, words), out = at_odd_word(outputs, count);
    std::vector<float> host_sum(words), host_addend(words), host_out = other;
    std::ranges::copy(given, in.begin());
    encode_halves(into, in, stream.get());
    check(cudaStreamSynchronize(stream.get()), "encoding");
    std::ranges::copy(other, in.begin());
    encode_halves(from, in, stream.get());
    add_halves(into, from, stream.get());
    check(cudaStreamSynchronize(stream.get()), "adding");
    encode(codec, host_sum, given, {});
    encode(codec, host_addend, other, {});
    paceline::add_halves(host_sum, host_addend);
    EXPECT_TRUE(same(into, host_sum)) << count;
    std::ranges::copy(other, out.begin());
    decode_halves(out, into, {0.5F, nullptr}, false, stream.get());
    check(cudaStreamSynchronize(stream.get()), "decoding");
    decode(codec, host_out, host_sum, 0.5F, false);
    EXPECT_TRUE(same(out, host_out)) << count;
    decode_halves(out, into, {1, nullptr}, true, stream.get());
    check(cudaStreamSynchronize(stream.get()), "decoding");
    decode(codec, host_out, host_sum, 1, true);
    EXPECT_TRUE(same(out, host_out)) << count;
  }
}

}  // namespace
}  // namespace paceline::cuda
