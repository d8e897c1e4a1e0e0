// SPDX-License-Identifier: MIT
// The emulated convolutions against plain loops in fp64: strides, padding, both layouts, all
// numbers, with and without adding to what was there.
#include <cudnn.h>

#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/arrays.hpp"

namespace paceline::cuda::emulation {
namespace {

struct Shape {
  int items, channels, height, width, filters, rows, columns, pad, stride;
  int out_height() const { return (height + 2 * pad - rows) / stride + 1; }
  int out_width() const { return (width + 2 * pad - columns) / stride + 1; }
};

/// Where number (a, b, c, d) of a tensor lies.
int place(bool nhwc, const std::array<int, 4>& sizes, int n, int c, int h, int w) {
  return nhwc ? ((n * sizes[2] + h) * sizes[3] + w) * sizes[1] + c
              : ((n * sizes[1] + c) * sizes[2] + h) * sizes[3] + w;
}

std::size_t count(const std::array<int, 4>& sizes) {
  return static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2] * sizes[3]);
}

class CudnnConvolutionTest : public DeviceTest {
 protected:
  void expect_all(const Shape& s, Number number, bool nhwc, float beta) {
    const std::array<int, 4> xs{s.items, s.channels, s.height, s.width};
    const std::array<int, 4> ws{s.filters, s.channels, s.rows, s.columns};
    const std::array<int, 4> ys{s.items, s.filters, s.out_height(), s.out_width()};
    std::mt19937 draws(5);
    const Array x(count(xs), number, &draws);
    const Array w(count(ws), number, &draws);
    const Array dy(count(ys), number, &draws);
    const auto draws_or_nan = [&] { return beta == 0.0F ? nullptr : &draws; };
    const Array y(count(ys), number, draws_or_nan());
    const Array dx(count(xs), number, draws_or_nan());
    const Array dw(count(ws), number, draws_or_nan());

    std::vector<double> y_sum(count(ys), 0.0);
    std::vector<double> x_sum(count(xs), 0.0);
    std::vector<double> w_sum(count(ws), 0.0);
    for (int n = 0; n < ys[0]; ++n) {
      for (int k = 0; k < ys[1]; ++k) {
        for (int p = 0; p < ys[2]; ++p) {
          for (int q = 0; q < ys[3]; ++q) {
            const auto at_y = static_cast<std::size_t>(place(nhwc, ys, n, k, p, q));
            for (int c = 0; c < s.channels; ++c) {
              for (int r = 0; r < s.rows; ++r) {
                for (int t = 0; t < s.columns; ++t) {
                  const int row = p * s.stride + r - s.pad;
                  const int column = q * s.stride + t - s.pad;
                  if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
                  const auto at_x = static_cast<std::size_t>(place(nhwc, xs, n, c, row, column));
                  const auto at_w = static_cast<std::size_t>(place(nhwc, ws, k, c, r, t));
                  const auto dy_here = dy[static_cast<std::int64_t>(at_y)];
                  y_sum[at_y] +=
                      x[static_cast<std::int64_t>(at_x)] * w[static_cast<std::int64_t>(at_w)];
                  x_sum[at_x] += dy_here * w[static_cast<std::int64_t>(at_w)];
                  w_sum[at_w] += dy_here * x[static_cast<std::int64_t>(at_x)];
                }
              }
            }
          }
        }
      }
    }
    const auto add_old = [&](std::vector<double>& sums, const Array& old) {
      for (std::size_t i = 0; i < sums.size() && beta != 0.0F; ++i) {
        sums[i] += beta * old[static_cast<std::int64_t>(i)];
      }
    };
    add_old(y_sum, y);
    add_old(x_sum, dx);
    add_old(w_sum, dw);
    compute(s, number, nhwc, beta, {xs, ws, ys}, x, w, dy, y, dx, dw);
    EXPECT_LT(distance(y.read(), y_sum), tolerance(number));
    EXPECT_LT(distance(dx.read(), x_sum), tolerance(number));
    EXPECT_LT(distance(dw.read(), w_sum), tolerance(number));
  }

 private:
  static void compute(const Shape& s, Number number, bool nhwc, float beta,
                      const std::array<std::array<int, 4>, 3>& sizes, const Array& x,
                      const Array& w, const Array& dy, const Array& y, const Array& dx,
                      const Array& dw) {
    const cudnnDataType_t type = number == Number::fp32   ? CUDNN_DATA_FLOAT
                                 : number == Number::fp16 ? CUDNN_DATA_HALF
                                                          : CUDNN_DATA_BFLOAT16;
    const auto format = nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    cudnnHandle_t handle = nullptr;
    cudnnTensorDescriptor_t xd = nullptr;
    cudnnTensorDescriptor_t yd = nullptr;
    cudnnFilterDescriptor_t wd = nullptr;
    cudnnConvolutionDescriptor_t cd = nullptr;
    check(cudnnCreate(&handle), "handle");
    check(cudnnCreateTensorDescriptor(&xd), "x");
    check(cudnnCreateTensorDescriptor(&yd), "y");
    check(cudnnCreateFilterDescriptor(&wd), "w");
    check(cudnnCreateConvolutionDescriptor(&cd), "convolution");
    const auto& [xs, ws, ys] = sizes;
    check(cudnnSetTensor4dDescriptor(xd, format, type, xs[0], xs[1], xs[2], xs[3]), "x");
    check(cudnnSetTensor4dDescriptor(yd, format, type, ys[0], ys[1], ys[2], ys[3]), "y");
    check(cudnnSetFilter4dDescriptor(wd, type, format, ws[0], ws[1], ws[2], ws[3]), "w");
    check(cudnnSetConvolution2dDescriptor(cd, s.pad, s.pad, s.stride, s.stride, 1, 1,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
          "convolution");
    check(cudnnSetConvolutionMathType(cd, CUDNN_TENSOR_OP_MATH), "math");
    const DeviceStream stream;
    check(cudnnSetStream(handle, stream.get()), "stream");
    int found = 0;
    cudnnConvolutionFwdAlgoPerf_t results[4];
    check(cudnnGetConvolutionForwardAlgorithm_v7(handle, xd, wd, cd, yd, 4, &found, results),
          "algorithms");
    ASSERT_EQ(found, 3);
    EXPECT_EQ(results[2].status, CUDNN_STATUS_NOT_SUPPORTED);
    std::size_t bytes = 0;
    check(cudnnGetConvolutionForwardWorkspaceSize(handle, xd, wd, cd, yd, results[0].algo, &bytes),
          "workspace");
    ASSERT_EQ(bytes, results[0].memory);
    const DeviceMemory space(bytes);
    const float one = 1.0F;
    EXPECT_EQ(cudnnConvolutionForward(handle, &one, xd, x.data(), wd, w.data(), cd, results[0].algo,
                                      space.data(), bytes - 1, &beta, yd, y.data()),
              CUDNN_STATUS_BAD_PARAM);
    check(cudnnConvolutionForward(handle, &one, xd, x.data(), wd, w.data(), cd, results[0].algo,
                                  space.data(), bytes, &beta, yd, y.data()),
          "forward");
    check(cudnnConvolutionBackwardData(handle, &one, wd, w.data(), yd, dy.data(), cd,
                                       CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, space.data(), bytes,
                                       &beta, xd, dx.data()),
          "data");
    check(cudnnConvolutionBackwardFilter(handle, &one, xd, x.data(), yd, dy.data(), cd,
                                         CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, nullptr, 0, &beta, wd,
                                         dw.data()),
          "filter");
    check(cudaStreamSynchronize(stream.get()), "convolving");
    cudnnDestroyConvolutionDescriptor(cd);
    cudnnDestroyFilterDescriptor(wd);
    cudnnDestroyTensorDescriptor(yd);
    cudnnDestroyTensorDescriptor(xd);
    cudnnDestroy(handle);
  }
};

TEST_F(CudnnConvolutionTest, IsACrossCorrelationAndItsTransposes) {
  for (const Number number : {Number::fp32, Number::fp16, Number::bf16}) {
    for (const bool nhwc : {false, true}) {
      for (const float beta : {0.0F, 1.0F}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(number) << nhwc << beta);
        expect_all({2, 3, 6, 5, 4, 3, 3, 1, 1}, number, nhwc, beta);
        expect_all({3, 2, 7, 8, 3, 3, 2, 1, 2}, number, nhwc, beta);
        expect_all({1, 4, 4, 4, 2, 1, 1, 0, 2}, number, nhwc, beta);
      }
    }
  }
}

}  // namespace
}  // namespace paceline::cuda::emulation
