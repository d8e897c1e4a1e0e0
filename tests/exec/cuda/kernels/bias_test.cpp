// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/bias.hpp"

#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/on_device.hpp"

namespace paceline::cuda {
namespace {

struct Case {
  Element element;
  Layout layout;
  int items;
  Shape shape;
  std::string text() const {
    return std::to_string(static_cast<int>(element)) + " " + name_of(layout) + " " +
           std::to_string(items) + "x" + std::to_string(shape.channels) + "x" +
           std::to_string(shape.height) + "x" + std::to_string(shape.width);
  }
};

/// Packs of 16 bytes and single numbers; one chunk and several; more channels than a block has
/// lanes.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Element element : {Element::fp32, Element::fp16, Element::bf16}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const Shape shape :
           {Shape{8, 4, 4}, Shape{3, 5, 5}, Shape{40, 1, 1}, Shape{300, 2, 1}, Shape{2, 60, 50}}) {
        all.push_back({element, layout, 3, shape});
      }
    }
  }
  return all;
}

class BiasTest : public DeviceTest {
 protected:
  std::mt19937 random_{7};
};

std::size_t channel_of(std::size_t i, Shape shape) {
  const auto pixels = static_cast<std::size_t>(shape.height * shape.width);
  return i / pixels % static_cast<std::size_t>(shape.channels);
}

ChannelGrid grid_of(const Case& c) {
  return lay_channels(c.element, c.layout == Layout::nhwc, c.items, c.shape.channels,
                      c.shape.height * c.shape.width);
}

TEST_F(BiasTest, Forward) {
  const DeviceStream stream;
  for (const Case& c : cases()) {
    for (const int parts : {1, 2, 3}) {  // bias, ReLU, both
      SCOPED_TRACE(c.text() + " parts " + std::to_string(parts));
      const bool has_bias = (parts & 1) != 0, relu = (parts & 2) != 0;
      LaidOutTensor y(c.element, c.layout, c.items, c.shape);
      LaidOutTensor bias = device_vector(static_cast<std::size_t>(c.shape.channels));
      const auto count = static_cast<std::size_t>(y.tensor().elements());
      const Numbers before = random_numbers(count, c.element, random_);
      const Numbers shifts =
          random_numbers(static_cast<std::size_t>(c.shape.channels), Element::fp32, random_);
      y.set(before);
      bias.set(shifts);
      add_bias(grid_of(c), c.element, y.data(),
               has_bias ? static_cast<const float*>(bias.data()) : nullptr, relu, stream.get());
      Numbers expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        const double sum = before[i] + (has_bias ? shifts[channel_of(i, c.shape)] : 0);
        expected[i] = relu ? std::max(sum, 0.0) : sum;
      }
      const Numbers found = y.get();
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(found[i], expected[i], c.element == Element::bf16 ? 8e-3 : 1e-3) << i;
      }
    }
  }
}

TEST_F(BiasTest, Backward) {
  const DeviceStream stream;
  for (const Case& c : cases()) {
    for (const int parts : {1, 2, 3}) {
      SCOPED_TRACE(c.text() + " parts " + std::to_string(parts));
      const bool has_bias = (parts & 1) != 0, relu = (parts & 2) != 0;
      const auto channels = static_cast<std::size_t>(c.shape.channels);
      LaidOutTensor y(c.element, c.layout, c.items, c.shape);
      LaidOutTensor dy(c.element, c.layout, c.items, c.shape);
      LaidOutTensor db = device_vector(channels);
      const auto count = static_cast<std::size_t>(y.tensor().elements());
      Numbers outputs = random_numbers(count, c.element, random_);
      for (double& output : outputs) output = std::max(output, 0.0);
      const Numbers gradients = random_numbers(count, c.element, random_);
      y.set(outputs);
      dy.set(gradients);
      const ChannelGrid grid = grid_of(c);
      const DeviceMemory scratch(bias_scratch_bytes(grid));
      const BiasBackward pass{dy.data(), relu ? y.data() : nullptr,
                              has_bias ? static_cast<float*>(db.data()) : nullptr,
                              scratch.as<float>()};
      bias_backward(grid, c.element, pass, stream.get());
      Numbers masked = gradients;
      Numbers sums(channels);
      for (std::size_t i = 0; i < count; ++i) {
        if (relu && outputs[i] == 0) masked[i] = 0;
        sums[channel_of(i, c.shape)] += masked[i];
      }
      EXPECT_EQ(dy.get(), masked);
      if (has_bias) {
        EXPECT_LT(relative_error(db.get(), sums), 1e-5);
      } else {
        EXPECT_TRUE(std::isnan(db.get().front()));
      }
    }
  }
}

// NaN must not become 0 in the ReLU
TEST_F(BiasTest, NotANumberStays) {
  const DeviceStream stream;
  LaidOutTensor y(Element::fp32, Layout::nhwc, 1, {4, 1, 1});
  add_bias(lay_channels(Element::fp32, true, 1, 4, 1), Element::fp32, y.data(), nullptr, true,
           stream.get());
  for (const double number : y.get()) EXPECT_TRUE(std::isnan(number));
}

// bitwise equal each time, in any order of blocks
TEST_F(BiasTest, SumsAreReproducible) {
  const DeviceStream stream;
  const Case c{Element::fp32, Layout::nhwc, 5, {12, 30, 30}};
  LaidOutTensor dy(c.element, c.layout, c.items, c.shape);
  dy.set(random_numbers(static_cast<std::size_t>(dy.tensor().elements()), c.element, random_));
  const ChannelGrid grid = grid_of(c);
  ASSERT_GT(grid.chunks, 1);
  const DeviceMemory scratch(bias_scratch_bytes(grid));
  LaidOutTensor first = device_vector(12), second = device_vector(12);
  for (LaidOutTensor* sums : {&first, &second}) {
    bias_backward(grid, c.element,
                  {dy.data(), nullptr, static_cast<float*>(sums->data()), scratch.as<float>()},
                  stream.get());
  }
  EXPECT_EQ(first.get(), second.get());
}

}  // namespace
}  // namespace paceline::cuda
