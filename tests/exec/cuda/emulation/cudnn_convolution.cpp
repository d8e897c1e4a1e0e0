// SPDX-License-Identifier: MIT
// cuDNN's legacy calls for convolutions.
#include <cstring>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/convolution.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

namespace {

using Problem = Convolution;

/// Bytes of workspace of the algorithms that need one; depends on the shape, as in the real
/// library.
std::size_t workspace_of(const Problem& problem) {
  return static_cast<std::size_t>(256 + problem.w.count() / problem.w.sizes[0] * 4);
}

/// Lists three algorithms: the fastest, which needs a workspace; one without a workspace; and one
/// that does not support the shape.
template <class Performance, class Algorithm>
cudnnStatus_t list(const Problem& problem, int requested, int* found, Performance* results,
                   Algorithm with, Algorithm without, Algorithm refused) {
  *found = 0;
  if (requested < 1) return CUDNN_STATUS_BAD_PARAM;
  if (const auto status = problem.legal(); status != CUDNN_STATUS_SUCCESS) return status;
  const auto add = [&](Algorithm algorithm, cudnnStatus_t status, std::size_t memory,
                       cudnnDeterminism_t determinism) {
    if (*found == requested) return;
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

/// Checks the workspace and queues `run`, which first overwrites the workspace.
template <class Algorithm, class Run>
cudnnStatus_t queue(cudnnHandle_t handle, const Problem& problem, Algorithm algorithm,
                    Algorithm with, Algorithm without, void* workspace, std::size_t bytes,
                    const paceline::cuda::Cost& cost, Run run) {
  std::size_t needed = 0;
  const auto status = size_of(problem, algorithm, with, without, &needed);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (bytes < needed || (needed > 0 && workspace == nullptr)) return CUDNN_STATUS_BAD_PARAM;
  return from(submit(handle->stream, {Kind::library,
                                      [=] {
                                        if (needed > 0) std::memset(workspace, 0xff, needed);
                                        run();
                                      },
                                      {},
                                      cost}));
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
                                                     const cudnnTensorDescriptor_t y, int requested,
                                                     int* found,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  return list(Problem{*x, *w, *y, *convolution}, requested, found, results, kForwardWith, kForward,
              CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t x, int requested,
    int* found, cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return list(Problem{*x, *w, *y, *convolution}, requested, found, results, kDataWith, kData,
              CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t w, int requested,
    int* found, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return list(Problem{*x, *w, *y, *convolution}, requested, found, results, kFilterWith, kFilter,
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
      problem.cost("convolution", problem.y, value(beta) != 0),
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
               problem.cost("convolution: data gradient", problem.x, value(beta) != 0),
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
               problem.cost("convolution: weight gradient", problem.w, value(beta) != 0),
               [=, by = value(alpha), old = value(beta)] {
                 problem.backward_filter(in, gradient, out, by, old);
               });
}

}  // extern "C"
