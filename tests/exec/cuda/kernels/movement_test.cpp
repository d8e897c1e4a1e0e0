// SPDX-License-Identifier: MIT
// Kernels that move numbers or add them.
#include "exec/cuda/kernels/accumulate.hpp"
#include "exec/cuda/kernels/cast.hpp"
#include "exec/cuda/kernels/noise.hpp"
#include "exec/cuda/kernels/padding.hpp"
#include "exec/cuda/kernels/transpose.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/on_device.hpp"

namespace paceline::cuda {
namespace {

constexpr Element kElements[] = {Element::fp32, Element::fp16, Element::bf16};

class MovementTest : public DeviceTest {
 protected:
  Numbers numbers(const LaidOutTensor& tensor) {
    return random_numbers(static_cast<std::size_t>(tensor.tensor().elements()),
                          tensor.tensor().element, random_);
  }
  std::mt19937 random_{11};
  static double rounding(Element element) { return element == Element::bf16 ? 8e-3 : 1e-3; }
};

TEST_F(MovementTest, AccumulateAddsInOrder) {
  const DeviceStream stream;
  for (const Element element : kElements) {
    for (const std::size_t count : {1UL, 64UL, 1001UL}) {
      LaidOutTensor addend = device_vector(count, element), sum = device_vector(count, element);
      const Numbers a = numbers(addend), b = numbers(sum);
      addend.set(a);
      sum.set(b);
      accumulate(addend.data(), sum.data(), element, static_cast<std::int64_t>(count),
                 stream.get());
      const Numbers found = sum.get();
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(found[i], a[i] + b[i], rounding(element)) << i;
      }
    }
  }
}

TEST_F(MovementTest, PadAndCrop) {
  const DeviceStream stream;
  const int top = 0, left = 2, padded_height = 6, padded_width = 7;  // bottom 1, right 1
  const Shape inner{3, 5, 4}, outer{3, padded_height, padded_width};
  for (const Element element : kElements) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      const PaddedImage shape{element,
                              layout == Layout::nhwc,
                              2,
                              inner.channels,
                              inner.height,
                              inner.width,
                              top,
                              left,
                              padded_height,
                              padded_width};
      LaidOutTensor image(element, layout, 2, inner), padded(element, layout, 2, outer);
      const Numbers pixels = numbers(image);
      image.set(pixels);
      pad_image(shape, image.data(), padded.data(), stream.get());
      const Numbers around = padded.get();
      std::size_t i = 0;
      for (int plane = 0; plane < 2 * inner.channels; ++plane) {
        for (int y = 0; y < padded_height; ++y) {
          for (int x = 0; x < padded_width; ++x, ++i) {
            const int row = y - top, column = x - left;
            const bool inside =
                row >= 0 && row < inner.height && column >= 0 && column < inner.width;
            const double expected = inside
                                        ? pixels[static_cast<std::size_t>(
                                              (plane * inner.height + row) * inner.width + column)]
                                        : 0;
            ASSERT_EQ(around[i], expected) << plane << " " << y << " " << x;
          }
        }
      }
      LaidOutTensor back(element, layout, 2, inner);
      crop_image(shape, padded.data(), back.data(), false, stream.get());
      EXPECT_EQ(back.get(), pixels);
      crop_image(shape, padded.data(), back.data(), true, stream.get());
      Numbers twice = pixels;
      for (double& pixel : twice) pixel *= 2;
      EXPECT_EQ(back.get(), twice);
    }
  }
}

TEST_F(MovementTest, Transpose) {
  const DeviceStream stream;
  const int matrices = 3, rows = 37, columns = 65;
  for (const Element element : kElements) {
    LaidOutTensor from(element, Layout::nchw, matrices, {rows, columns, 1});
    LaidOutTensor to(element, Layout::nchw, matrices, {columns, rows, 1});
    const Numbers before = numbers(from);
    from.set(before);
    Numbers expected(before.size());
    for (int m = 0; m < matrices; ++m) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          expected[static_cast<std::size_t>((m * columns + column) * rows + row)] =
              before[static_cast<std::size_t>((m * rows + row) * columns + column)];
        }
      }
    }
    transpose(from.data(), to.data(), element, matrices, rows, columns, false, stream.get());
    EXPECT_EQ(to.get(), expected);
    transpose(from.data(), to.data(), element, matrices, rows, columns, true, stream.get());
    for (double& number : expected) number *= 2;
    EXPECT_EQ(to.get(), expected);
  }
}

TEST_F(MovementTest, NarrowAndWiden) {
  const DeviceStream stream;
  for (const Element element : kElements) {
    LaidOutTensor whole = device_vector(777), narrowed = device_vector(777, element);
    LaidOutTensor widened = device_vector(777);
    const Numbers before = numbers(whole);
    whole.set(before);
    Numbers expected = before;
    for (double& number : expected) number = rounded_number(number, element);
    narrow(static_cast<const float*>(whole.data()), narrowed.data(), element, 777, stream.get());
    EXPECT_EQ(narrowed.get(), expected);
    widen(narrowed.data(), element, static_cast<float*>(widened.data()), 777, stream.get());
    EXPECT_EQ(widened.get(), expected);
  }
}

TEST_F(MovementTest, NoiseIsEvenlySpread) {
  const DeviceStream stream;
  for (const Element element : kElements) {
    LaidOutTensor noise = device_vector(10000, element);
    fill_with_noise(noise.data(), element, 10000, stream.get());
    double sum = 0, squares = 0;
    for (const double number : noise.get()) {
      ASSERT_LE(std::abs(number), 1);
      sum += number;
      squares += number * number;
    }
    EXPECT_NEAR(sum / 10000, 0, 0.03);            // 5 standard errors
    EXPECT_NEAR(squares / 10000, 1.0 / 3, 0.02);  // 5 standard errors
  }
}

}  // namespace
}  // namespace paceline::cuda
