// SPDX-License-Identifier: MIT
// Encodings on the device compared with those of the host: top_k and decoded rows bit for bit,
// means of one_bit to the rounding of a sum in another order.
#include "training/learning/encoding.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "exec/cuda/machine/cuda_arrays.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

using Kind = GradientCodec::Kind;

/// Floats that the host and the device read and write, after `before` others.
class SharedFloats {
 public:
  explicit SharedFloats(const std::vector<float>& floats, std::size_t before = 0)
      : memory_((before + floats.size() + 1) * sizeof(float)),
        floats_(memory_.as<float>() + before, floats.size()) {
    std::ranges::copy(floats, floats_.begin());
  }
  explicit SharedFloats(std::int64_t count, std::size_t before = 0)
      : SharedFloats(std::vector<float>(static_cast<std::size_t>(count)), before) {}
  operator std::span<float>() const { return floats_; }
  operator std::span<const float>() const { return floats_; }
  std::vector<float> copy() const { return {floats_.begin(), floats_.end()}; }

 private:
  PinnedMemory memory_;
  std::span<float> floats_;
};

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::vector<float> normal(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw(0, 3);
  std::vector<float> all(count);
  for (float& one : all) one = draw(random);
  return all;
}

/// One array on the host and on the device: two gradients are encoded after each other and decoded.
class EncodingOnDevice : public DeviceTest {
 protected:
  struct Both {
    std::vector<float> words, residual, decoded;
  };
  static constexpr float kFactor = 0.5F;

  static Both on_host(const GradientCodec& codec,
                      const std::vector<std::vector<float>>& gradients) {
    const auto count = static_cast<std::int64_t>(gradients.front().size());
    Both host{std::vector<float>(static_cast<std::size_t>(codec.words(count))),
              std::vector<float>(codec.feeds_back() ? gradients.front().size() : 0),
              std::vector<float>(gradients.front().size(), 7)};
    for (const std::vector<float>& gradient : gradients) {
      encode(codec, host.words, gradient, host.residual);
      decode(codec, host.decoded, host.words, kFactor, &gradient == &gradients.front());
    }
    return host;
  }

  static Both on_device(const GradientCodec& codec,
                        const std::vector<std::vector<float>>& gradients) {
    const auto count = static_cast<std::int64_t>(gradients.front().size());
    const SharedFloats words(codec.words(count), 1), residual(codec.feeds_back() ? count : 0, 1),
        decoded(count, 1);
    const DeviceStream stream;
    StreamArrayWork work(stream.get());
    for (const std::vector<float>& gradient : gradients) {
      const SharedFloats numbers(gradient, 1);
      work.encode(codec, words, numbers, residual);
      work.decode(codec, decoded, words, {kFactor, {}, {}, {}}, &gradient == &gradients.front());
      check(cudaStreamSynchronize(stream.get()), "encoding");
    }
    return {words.copy(), residual.copy(), decoded.copy()};
  }
};

TEST_F(EncodingOnDevice, TheLargestAreThoseOfTheHost) {
  for (const std::size_t count : {1U, 31U, 256U, 1009U, 200003U}) {
    for (const float share : {1e-9F, 0.01F, 0.5F, 1.0F}) {
      const GradientCodec codec{Kind::top_k, share};
      const std::vector<std::vector<float>> gradients{normal(count, 1), normal(count, 2)};
      const Both host = on_host(codec, gradients), device = on_device(codec, gradients);
      EXPECT_TRUE(same(device.words, host.words)) << count << " " << share;
      EXPECT_TRUE(same(device.residual, host.residual)) << count << " " << share;
      EXPECT_TRUE(same(device.decoded, host.decoded)) << count << " " << share;
    }
  }
}

// 100,000 numbers of four magnitudes, zero among them: of those alike the first are kept, over many
// blocks of threads.
TEST_F(EncodingOnDevice, OfNumbersAlikeTheFirstAreKept) {
  std::vector<float> gradient(100000);
  for (std::size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = static_cast<float>(i * 7 % 4) * (i % 3 == 0 ? -1.0F : 1.0F);
  for (const float share : {0.1F, 0.3F, 0.6F, 0.9F}) {
    const GradientCodec codec{Kind::top_k, share};
    const Both host = on_host(codec, {gradient}), device = on_device(codec, {gradient});
    EXPECT_TRUE(same(device.words, host.words)) << share;
  }
  const GradientCodec codec{Kind::top_k, 0.01F};
  const std::vector<float> zeros(5000);
  EXPECT_TRUE(same(on_device(codec, {zeros}).words, on_host(codec, {zeros}).words));
}

TEST_F(EncodingOnDevice, WhatIsNoNumberIsTheLargest) {
  std::vector<float> gradient = normal(500, 3);
  gradient[77] = std::numeric_limits<float>::infinity();
  gradient[400] = std::numeric_limits<float>::quiet_NaN();
  const GradientCodec codec{Kind::top_k, 0.01F};
  const Both host = on_host(codec, {gradient}), device = on_device(codec, {gradient});
  for (std::size_t i = 0; i < host.words.size(); i += 2) {
    EXPECT_TRUE(same({&device.words[i], 1}, {&host.words[i], 1})) << "place " << i / 2;
    // the bits of a sum with NaN differ from processor to processor
    const float here = device.words[i + 1], there = host.words[i + 1];
    EXPECT_TRUE(here == there || (std::isnan(here) && std::isnan(there))) << "value " << i / 2;
  }
}

TEST_F(EncodingOnDevice, SignsAreThoseOfTheHostAndMeansNearly) {
  const GradientCodec codec{Kind::one_bit};
  for (const std::size_t count : {1U, 31U, 32U, 33U, 1009U, 200003U}) {
    const std::vector<float> gradient = normal(count, 4);
    const Both host = on_host(codec, {gradient}), device = on_device(codec, {gradient});
    for (int sign = 0; sign < 2; ++sign)
      EXPECT_FLOAT_EQ(device.words[sign], host.words[sign]) << count;
    EXPECT_TRUE(same(std::span(device.words).subspan(2), std::span(host.words).subspan(2)))
        << count;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_NEAR(device.residual[i], host.residual[i], 1e-6) << i;
      ASSERT_FLOAT_EQ(device.decoded[i], host.decoded[i]) << i;
    }
  }
  EXPECT_TRUE(same(on_device(codec, {std::vector<float>(40)}).words,
                   on_host(codec, {std::vector<float>(40)}).words))
      << "no number is negative";
}

// 70 rows of 33 numbers that begin 5 numbers before the array and end after it, 10 of them filled.
TEST_F(EncodingOnDevice, RowsComeBackInAnyOrder) {
  const GradientCodec codec{Kind::rows, 1, 33, 20, 5};
  std::vector<float> gradient(70 * 33 - 5 - 2);
  for (std::size_t row = 0; row < 70; row += 7) {
    const std::size_t at = row * 33 > 5 ? row * 33 - 5 : 0;
    gradient[at + row % 20] = 1.0F + static_cast<float>(row);
  }
  const std::vector<std::vector<float>> gradients{gradient, std::vector<float>(gradient.size())};
  const Both host = on_host(codec, gradients), device = on_device(codec, gradients);
  EXPECT_TRUE(same(device.decoded, host.decoded));
  EXPECT_TRUE(same({device.words.data(), 1}, {host.words.data(), 1})) << "rows in the last one: 0";
}

}  // namespace
}  // namespace paceline::cuda
