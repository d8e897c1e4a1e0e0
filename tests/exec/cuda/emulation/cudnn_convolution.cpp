// SPDX-License-Identifier: MIT
// cuDNN's convolutions, computed by oneDNN in fp32.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/cudnn_descriptors.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"
#include "training/learning/arithmetic/single_thread.hpp"

using namespace paceline::cuda::emulation;

namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

memory::dims dims_of(const std::array<std::int64_t, 4>& sizes) {
  return {sizes.begin(), sizes.end()};
}

/// An operand of a primitive: its argument index, and the tensor in the emulated memory.
struct Operand {
  int argument;
  const cudnnTensorStruct& tensor;
  const void* data;
};

/// A packed tensor in fp32, in its own layout.
class Floats {
 public:
  explicit Floats(const cudnnTensorStruct& tensor)
      : values_(static_cast<std::size_t>(tensor.count())), memory_(over(tensor)) {}
  explicit Floats(const Operand& from)
      : values_(read_floats(from.data, *number_of(from.tensor.type), 0, from.tensor.count())),
        memory_(over(from.tensor)) {}
  const memory& get() const { return memory_; }
  float operator[](std::size_t i) const { return values_[i]; }

 private:
  memory over(const cudnnTensorStruct& tensor) {
    return {{dims_of(tensor.sizes), memory::data_type::f32, dims_of(tensor.strides)},
            engine(),
            values_.data()};
  }

  std::vector<float> values_;
  memory memory_;
};

/// out = alpha x primitive(inputs) + beta x out.
void compute(const dnnl::primitive_desc& description, const dnnl::primitive& primitive,
             std::initializer_list<Operand> inputs, const Operand& result, void* out, float alpha,
             float beta) {
  dnnl::stream stream(engine());
  std::unordered_map<int, memory> arguments;
  const auto allocate = [&](int argument) {
    return memory(description.query_md(dnnl::query::exec_arg_md, argument), engine());
  };
  for (const Operand& input : inputs) {
    const Floats values(input);
    memory packed = allocate(input.argument);
    memory given = values.get();
    dnnl::reorder(given, packed).execute(stream, given, packed);
    stream.wait();
    arguments.emplace(input.argument, packed);
  }
  memory packed = allocate(result.argument);
  arguments.emplace(result.argument, packed);
  primitive.execute(stream, arguments);
  const Floats values(result.tensor);
  memory unpacked = values.get();
  dnnl::reorder(packed, unpacked).execute(stream, packed, unpacked);
  stream.wait();
  const Writer to(out, *number_of(result.tensor.type));
  for (std::int64_t i = 0; i < result.tensor.count(); ++i) {
    to.blend(i, values[static_cast<std::size_t>(i)], alpha, beta);
  }
}

/// A convolution of input x with filter w to output y.
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

  /// Of a pass that writes `to`; `adds` if it also reads it.
  paceline::cuda::Cost cost(const char* name, const cudnnTensorStruct& to, bool adds) const {
    const auto bytes = [](const cudnnTensorStruct& tensor) {
      return tensor.count() * static_cast<std::int64_t>(bytes_of(*number_of(tensor.type)));
    };
    const std::int64_t all = bytes(x) + bytes(w) + bytes(y);
    const std::int64_t written = bytes(to);
    return {name, all - (adds ? 0 : written), written, 2 * y.count() * (w.count() / w.sizes[0])};
  }

  static memory::desc any(const cudnnTensorStruct& tensor) {
    return {dims_of(tensor.sizes), memory::data_type::f32, memory::format_tag::any};
  }
  memory::dims strides() const { return {convolution.stride[0], convolution.stride[1]}; }
  memory::dims padding() const { return {convolution.pad[0], convolution.pad[1]}; }
  static constexpr auto kDirect = dnnl::algorithm::convolution_direct;

  dnnl::convolution_forward::primitive_desc describe() const {
    return {{dnnl::prop_kind::forward_training, kDirect, any(x), any(w), any(y), strides(),
             padding(), padding()},
            engine()};
  }

  void forward(const void* in, const void* weights, void* out, float alpha, float beta) const {
    const paceline::SingleThread single;
    const auto description = describe();
    compute(description, dnnl::convolution_forward(description),
            {{DNNL_ARG_SRC, x, in}, {DNNL_ARG_WEIGHTS, w, weights}}, {DNNL_ARG_DST, y, nullptr},
            out, alpha, beta);
  }

  void backward_data(const void* weights, const void* gradient, void* out, float alpha,
                     float beta) const {
    const paceline::SingleThread single;
    const dnnl::convolution_backward_data::primitive_desc description(
        {kDirect, any(x), any(w), any(y), strides(), padding(), padding()}, engine(), describe());
    compute(description, dnnl::convolution_backward_data(description),
            {{DNNL_ARG_WEIGHTS, w, weights}, {DNNL_ARG_DIFF_DST, y, gradient}},
            {DNNL_ARG_DIFF_SRC, x, nullptr}, out, alpha, beta);
  }

  void backward_filter(const void* in, const void* gradient, void* out, float alpha,
                       float beta) const {
    const paceline::SingleThread single;
    const dnnl::convolution_backward_weights::primitive_desc description(
        {kDirect, any(x), any(w), any(y), strides(), padding(), padding()}, engine(), describe());
    compute(description, dnnl::convolution_backward_weights(description),
            {{DNNL_ARG_SRC, x, in}, {DNNL_ARG_DIFF_DST, y, gradient}},
            {DNNL_ARG_DIFF_WEIGHTS, w, nullptr}, out, alpha, beta);
  }
};

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
