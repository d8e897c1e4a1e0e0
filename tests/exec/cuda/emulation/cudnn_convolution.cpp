// SPDX-License-Identifier: MIT
// cuDNN's convolutions, an image at a time: the patches that the filter sees become the columns of
// a matrix (channel x filter row x filter column, by output pixel), and the rest is products in
// fp32.
#include <cstring>
#include <vector>

#include <Eigen/Core>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/cudnn_descriptors.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Input x, filter w, output y, and how they belong together.
struct Problem {
  cudnnTensorStruct x;
  cudnnFilterStruct w;
  cudnnTensorStruct y;
  cudnnConvolutionStruct convolution;

  cudnnStatus_t legal() const {
    if (!number_of(x.type) || convolution.compute != CUDNN_DATA_FLOAT ||
        convolution.mode != CUDNN_CROSS_CORRELATION || convolution.dilation[0] != 1 ||
        convolution.dilation[1] != 1) {
      return CUDNN_STATUS_NOT_SUPPORTED;
    }
    bool fits = x.type == w.type && x.type == y.type && x.sizes[0] == y.sizes[0] &&
                x.sizes[1] == w.sizes[1] && y.sizes[1] == w.sizes[0];
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t span = x.sizes[2 + i] + 2 * convolution.pad[i] - w.sizes[2 + i];
      fits = fits && span >= 0 && y.sizes[2 + i] == span / convolution.stride[i] + 1;
    }
    return fits ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  }

  std::int64_t pixels() const { return y.sizes[2] * y.sizes[3]; }
  std::int64_t taps() const { return w.sizes[1] * w.sizes[2] * w.sizes[3]; }

  /// One item as fp32, channel by channel and row by row.
  static std::vector<float> item(const cudnnTensorStruct& tensor, const void* data,
                                 std::int64_t n) {
    const Reader from(data, *number_of(tensor.type));
    const auto [items, channels, height, width] = tensor.sizes;
    std::vector<float> values(static_cast<std::size_t>(channels * height * width));
    float* to = values.data();
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t h = 0; h < height; ++h) {
        const std::int64_t row = tensor.at(n, c, h, 0);
        for (std::int64_t i = 0; i < width; ++i) *to++ = from[row + i * tensor.strides[3]];
      }
    }
    return values;
  }

  static void blend_item(const cudnnTensorStruct& tensor, void* data, std::int64_t n,
                         const float* values, float alpha, float beta) {
    const Writer to(data, *number_of(tensor.type));
    const auto [items, channels, height, width] = tensor.sizes;
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t h = 0; h < height; ++h) {
        const std::int64_t row = tensor.at(n, c, h, 0);
        for (std::int64_t i = 0; i < width; ++i) {
          to.blend(row + i * tensor.strides[3], *values++, alpha, beta);
        }
      }
    }
  }

  /// Calls visit(patch, pixel, count) for every run of input pixels, `stride` apart, that a tap
  /// reads: where the run starts in the patches' matrix and in the item.
  template <class Visit>
  void for_all_runs(Visit visit) const {
    std::int64_t tap = 0;
    const std::int64_t stride = convolution.stride[1];
    for (std::int64_t c = 0; c < w.sizes[1]; ++c) {
      for (std::int64_t r = 0; r < w.sizes[2]; ++r) {
        for (std::int64_t s = 0; s < w.sizes[3]; ++s, ++tap) {
          const std::int64_t offset = s - convolution.pad[1];
          const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
          const std::int64_t room = x.sizes[3] - 1 - offset;  // of the last column that is read
          const std::int64_t end = room < 0 ? 0 : std::min(y.sizes[3], room / stride + 1);
          if (first >= end) continue;
          for (std::int64_t p = 0; p < y.sizes[2]; ++p) {
            const std::int64_t row = p * convolution.stride[0] + r - convolution.pad[0];
            if (row < 0 || row >= x.sizes[2]) continue;
            visit(tap * pixels() + p * y.sizes[3] + first,
                  (c * x.sizes[2] + row) * x.sizes[3] + first * stride + offset, end - first);
          }
        }
      }
    }
  }

  Matrix patches(const void* data, std::int64_t n) const {
    const std::vector<float> values = item(x, data, n);
    Matrix matrix = Matrix::Zero(taps(), pixels());
    const std::int64_t stride = convolution.stride[1];
    for_all_runs([&](std::int64_t patch, std::int64_t pixel, std::int64_t count) {
      float* to = matrix.data() + patch;
      const float* from = values.data() + pixel;
      if (stride == 1) {
        std::copy_n(from, count, to);
      } else {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
      }
    });
    return matrix;
  }

  Matrix filter(const void* data) const {
    Matrix matrix(w.sizes[0], taps());
    for (std::int64_t k = 0; k < w.sizes[0]; ++k) {
      const std::vector<float> values = item(w, data, k);
      std::ranges::copy(values, matrix.row(k).begin());
    }
    return matrix;
  }

  Matrix output(const void* data, std::int64_t n) const {
    const std::vector<float> values = item(y, data, n);
    return Eigen::Map<const Matrix>(values.data(), y.sizes[1], pixels());
  }

  void forward(const void* in, const void* weights, void* out, float alpha, float beta) const {
    const Matrix matrix = filter(weights);
    for (std::int64_t n = 0; n < x.sizes[0]; ++n) {
      const Matrix result = matrix * patches(in, n);
      blend_item(y, out, n, result.data(), alpha, beta);
    }
  }

  void backward_data(const void* weights, const void* gradient, void* out, float alpha,
                     float beta) const {
    const Matrix matrix = filter(weights).transpose();
    const std::int64_t stride = convolution.stride[1];
    for (std::int64_t n = 0; n < x.sizes[0]; ++n) {
      const Matrix of_patches = matrix * output(gradient, n);
      std::vector<float> sums(static_cast<std::size_t>(x.sizes[1] * x.sizes[2] * x.sizes[3]), 0.0F);
      for_all_runs([&](std::int64_t patch, std::int64_t pixel, std::int64_t count) {
        const float* from = of_patches.data() + patch;
        float* to = sums.data() + pixel;
        for (std::int64_t i = 0; i < count; ++i) to[i * stride] += from[i];
      });
      blend_item(x, out, n, sums.data(), alpha, beta);
    }
  }

  void backward_filter(const void* in, const void* gradient, void* out, float alpha,
                       float beta) const {
    Matrix sum = Matrix::Zero(w.sizes[0], taps());
    for (std::int64_t n = 0; n < x.sizes[0]; ++n) {
      sum.noalias() += output(gradient, n) * patches(in, n).transpose();
    }
    for (std::int64_t k = 0; k < w.sizes[0]; ++k) {
      blend_item(w, out, k, sum.row(k).data(), alpha, beta);
    }
  }
};

/// What the algorithm that wants a workspace wants: something that depends on the shape.
std::size_t workspace_of(const Problem& problem) {
  return static_cast<std::size_t>(256 + problem.taps() * 4);
}

/// Two algorithms, the faster one with a workspace, and one that the shape is refused for.
template <class Performance, class Algorithm>
cudnnStatus_t list(const Problem& problem, int wanted, int* found, Performance* results,
                   Algorithm with, Algorithm without, Algorithm refused) {
  *found = 0;
  if (wanted < 1) return CUDNN_STATUS_BAD_PARAM;
  if (const auto status = problem.legal(); status != CUDNN_STATUS_SUCCESS) return status;
  const auto add = [&](Algorithm algorithm, cudnnStatus_t status, std::size_t memory,
                       cudnnDeterminism_t determinism) {
    if (*found == wanted) return;
    Performance& result = results[(*found)++];
    result = {};
    result.algo = algorithm;
    result.status = status;
    result.time = -1.0F;
    result.memory = memory;
    result.determinism = determinism;
    result.mathType = problem.convolution.math;
  };
  add(with, CUDNN_STATUS_SUCCESS, workspace_of(problem), CUDNN_DETERMINISTIC);
  add(without, CUDNN_STATUS_SUCCESS, 0, CUDNN_NON_DETERMINISTIC);
  add(refused, CUDNN_STATUS_NOT_SUPPORTED, 0, CUDNN_DETERMINISTIC);
  return CUDNN_STATUS_SUCCESS;
}

template <class Algorithm>
cudnnStatus_t size_of(const Problem& problem, Algorithm algorithm, Algorithm with,
                      Algorithm without, std::size_t* bytes) {
  if (const auto status = problem.legal(); status != CUDNN_STATUS_SUCCESS) return status;
  if (algorithm != with && algorithm != without) return CUDNN_STATUS_NOT_SUPPORTED;
  *bytes = algorithm == with ? workspace_of(problem) : 0;
  return CUDNN_STATUS_SUCCESS;
}

/// Queues `run` once the workspace has proved big enough; it is overwritten.
template <class Algorithm, class Run>
cudnnStatus_t queue(cudnnHandle_t handle, const Problem& problem, Algorithm algorithm,
                    Algorithm with, Algorithm without, void* workspace, std::size_t bytes,
                    Run run) {
  std::size_t needed = 0;
  const auto status = size_of(problem, algorithm, with, without, &needed);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (bytes < needed || (needed > 0 && workspace == nullptr)) return CUDNN_STATUS_BAD_PARAM;
  return from(submit(handle->stream, {Kind::library,
                                      [=] {
                                        if (needed > 0) std::memset(workspace, 0xff, needed);
                                        run();
                                      },
                                      {}}));
}

float value(const void* scale) {
  return *static_cast<const float*>(scale);
}

constexpr auto kForwardWith = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr auto kForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
constexpr auto kDataWith = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
constexpr auto kData = CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
constexpr auto kFilterWith = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
constexpr auto kFilter = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0;

}  // namespace

extern "C" {

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t convolution,
                                                     const cudnnTensorDescriptor_t y, int wanted,
                                                     int* found,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  return list(Problem{*x, *w, *y, *convolution}, wanted, found, results, kForwardWith, kForward,
              CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t x, int wanted,
    int* found, cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return list(Problem{*x, *w, *y, *convolution}, wanted, found, results, kDataWith, kData,
              CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t w, int wanted,
    int* found, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return list(Problem{*x, *w, *y, *convolution}, wanted, found, results, kFilterWith, kFilter,
              CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y,
    cudnnConvolutionFwdAlgo_t algorithm, std::size_t* bytes) {
  return size_of(Problem{*x, *w, *y, *convolution}, algorithm, kForwardWith, kForward, bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t x,
    cudnnConvolutionBwdDataAlgo_t algorithm, std::size_t* bytes) {
  return size_of(Problem{*x, *w, *y, *convolution}, algorithm, kDataWith, kData, bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t w,
    cudnnConvolutionBwdFilterAlgo_t algorithm, std::size_t* bytes) {
  return size_of(Problem{*x, *w, *y, *convolution}, algorithm, kFilterWith, kFilter, bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      const cudnnTensorDescriptor_t x, const void* in,
                                      const cudnnFilterDescriptor_t w, const void* weights,
                                      const cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                      std::size_t bytes, const void* beta,
                                      const cudnnTensorDescriptor_t y, void* out) {
  const Problem problem{*x, *w, *y, *convolution};
  return queue(
      handle, problem, algorithm, kForwardWith, kForward, workspace, bytes,
      [=, by = value(alpha), old = value(beta)] { problem.forward(in, weights, out, by, old); });
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           const cudnnFilterDescriptor_t w, const void* weights,
                                           const cudnnTensorDescriptor_t y, const void* gradient,
                                           const cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           std::size_t bytes, const void* beta,
                                           const cudnnTensorDescriptor_t x, void* out) {
  const Problem problem{*x, *w, *y, *convolution};
  return queue(handle, problem, algorithm, kDataWith, kData, workspace, bytes,
               [=, by = value(alpha), old = value(beta)] {
                 problem.backward_data(weights, gradient, out, by, old);
               });
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             const cudnnTensorDescriptor_t x, const void* in,
                                             const cudnnTensorDescriptor_t y, const void* gradient,
                                             const cudnnConvolutionDescriptor_t convolution,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void* workspace, std::size_t bytes, const void* beta,
                                             const cudnnFilterDescriptor_t w, void* out) {
  const Problem problem{*x, *w, *y, *convolution};
  return queue(handle, problem, algorithm, kFilterWith, kFilter, workspace, bytes,
               [=, by = value(alpha), old = value(beta)] {
                 problem.backward_filter(in, gradient, out, by, old);
               });
}

}  // extern "C"
