// SPDX-License-Identifier: MIT
// cuDNN's legacy calls pad opposite sides alike. A convolution with other padding first copies its
// image into a padded one in the workspace; a gradient of the image is cropped from a padded one.
#include <algorithm>
#include <array>
#include <sstream>

#include "exec/cuda/kernels/padding.hpp"
#include "exec/cuda/layers/convolution/algorithm.hpp"
#include "exec/cuda/layers/cudnn_descriptors.hpp"
#include "exec/cuda/layers/scratch.hpp"

namespace paceline::cuda {
namespace {

/// An algorithm's number in the enumeration of its pass, and its math type.
struct Choice {
  int algorithm = 0;
  cudnnMathType_t math = CUDNN_FMA_MATH;
};

PaddedImage padded_image(const ConvolutionProblem& problem) {
  PaddedImage padded;
  padded.element = problem.element();
  padded.channels_last = problem.layout == Layout::nhwc;
  padded.items = problem.batch;
  padded.channels = problem.image.channels;
  padded.height = problem.image.height;
  padded.width = problem.image.width;
  padded.top = problem.padding.top;
  padded.left = problem.padding.left;
  padded.padded_height = problem.image.height + problem.padding.top + problem.padding.bottom;
  padded.padded_width = problem.image.width + problem.padding.left + problem.padding.right;
  return padded;
}

/// cuDNN's descriptors of a pass.
class Descriptors {
 public:
  Descriptors(const ConvolutionProblem& problem, cudnnMathType_t math) {
    const cudnnDataType_t type = data_type_of(problem.element());
    const cudnnTensorFormat_t format = format_of(problem.layout);
    const Padding& padding = problem.padding;
    const bool copies = !padding.symmetric();
    const PaddedImage padded = padded_image(problem);
    check(
        cudnnSetTensor4dDescriptor(image.get(), format, type, problem.batch, problem.image.channels,
                                   copies ? padded.padded_height : padded.height,
                                   copies ? padded.padded_width : padded.width),
        "describing an image");
    check(cudnnSetTensor4dDescriptor(map.get(), format, type, problem.batch, problem.map.channels,
                                     problem.map.height, problem.map.width),
          "describing a feature map");
    check(cudnnSetFilter4dDescriptor(filters.get(), type, format, problem.map.channels,
                                     problem.image.channels, problem.kernel_height,
                                     problem.kernel_width),
          "describing filters");
    check(cudnnSetConvolution2dDescriptor(convolution.get(), copies ? 0 : padding.top,
                                          copies ? 0 : padding.left, problem.stride, problem.stride,
                                          1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
          "describing a convolution");
    check(cudnnSetConvolutionMathType(convolution.get(), math), "choosing the matrix units");
  }

  TensorDescriptor image;
  TensorDescriptor map;
  FilterDescriptor filters;
  ConvolutionDescriptor convolution;
};

std::size_t library_workspace(cudnnHandle_t cudnn, const Descriptors& d, Propagation pass,
                              int algorithm) {
  std::size_t bytes = 0;
  const char* doing = "querying a convolution's workspace";
  switch (pass) {
    case Propagation::forward:
      check(cudnnGetConvolutionForwardWorkspaceSize(
                cudnn, d.image.get(), d.filters.get(), d.convolution.get(), d.map.get(),
                static_cast<cudnnConvolutionFwdAlgo_t>(algorithm), &bytes),
            doing);
      break;
    case Propagation::data_gradient:
      check(cudnnGetConvolutionBackwardDataWorkspaceSize(
                cudnn, d.filters.get(), d.map.get(), d.convolution.get(), d.image.get(),
                static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm), &bytes),
            doing);
      break;
    case Propagation::weight_gradient:
      check(cudnnGetConvolutionBackwardFilterWorkspaceSize(
                cudnn, d.image.get(), d.map.get(), d.convolution.get(), d.filters.get(),
                static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm), &bytes),
            doing);
      break;
  }
  return bytes;
}

class LegacyAlgorithm final : public ConvolutionAlgorithm {
 public:
  LegacyAlgorithm(const Toolbox& tools, const ConvolutionProblem& problem, Choice choice)
      : tools_(tools),
        problem_(problem),
        choice_(choice),
        descriptors_(problem, choice.math),
        library_bytes_(
            library_workspace(tools.cudnn(), descriptors_, problem.pass, choice.algorithm)) {
    if (!problem.padding.symmetric()) padded_bytes_ = aligned(padded_image(problem).padded_bytes());
  }

  std::string text() const override {
    return "legacy " + std::to_string(choice_.algorithm) + " math " + std::to_string(choice_.math);
  }
  std::size_t workspace_bytes() const override { return padded_bytes_ + library_bytes_; }

  void run(const Operands& operands, void* workspace) override {
    const bool copies = padded_bytes_ > 0;
    void* image = copies ? workspace : operands.image;
    if (copies && problem_.pass != Propagation::data_gradient) {
      pad_image(padded_image(problem_), operands.image, image, tools_.stream());
    }
    compute(image, operands, at(workspace, padded_bytes_));
    if (copies && problem_.pass == Propagation::data_gradient) {
      crop_image(padded_image(problem_), image, operands.image, problem_.adds, tools_.stream());
    }
  }

 private:
  void compute(void* image, const Operands& operands, void* workspace) {
    const Descriptors& d = descriptors_;
    constexpr float kOne = 1;
    const float beta = problem_.adds && padded_bytes_ == 0 ? 1 : 0;
    switch (problem_.pass) {
      case Propagation::forward:
        check(cudnnConvolutionForward(tools_.cudnn(), &kOne, d.image.get(), image, d.filters.get(),
                                      operands.filters, d.convolution.get(),
                                      static_cast<cudnnConvolutionFwdAlgo_t>(choice_.algorithm),
                                      workspace, library_bytes_, &beta, d.map.get(), operands.map),
              "convolving");
        break;
      case Propagation::data_gradient:
        check(
            cudnnConvolutionBackwardData(
                tools_.cudnn(), &kOne, d.filters.get(), operands.filters, d.map.get(), operands.map,
                d.convolution.get(), static_cast<cudnnConvolutionBwdDataAlgo_t>(choice_.algorithm),
                workspace, library_bytes_, &beta, d.image.get(), image),
            "computing the gradient of an image");
        break;
      case Propagation::weight_gradient:
        check(cudnnConvolutionBackwardFilter(
                  tools_.cudnn(), &kOne, d.image.get(), image, d.map.get(), operands.map,
                  d.convolution.get(),
                  static_cast<cudnnConvolutionBwdFilterAlgo_t>(choice_.algorithm), workspace,
                  library_bytes_, &beta, d.filters.get(), operands.filters),
              "computing the gradient of filters");
        break;
    }
  }

  const Toolbox& tools_;
  const ConvolutionProblem problem_;
  const Choice choice_;
  const Descriptors descriptors_;
  const std::size_t library_bytes_;
  std::size_t padded_bytes_ = 0;
};

/// Whether an algorithm gives the same bits each time: all but three that sum by atomics ("Odds and
/// ends: determinism" in cuDNN's documentation).
bool repeats(Propagation pass, int algorithm) {
  switch (pass) {
    case Propagation::forward:
      return true;
    case Propagation::data_gradient:
      return algorithm != CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
    case Propagation::weight_gradient:
      break;
  }
  return algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 &&
         algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
}

/// All algorithms that cuDNN has for a pass, in the order of their expected time.
template <class Result, class Query>
std::vector<Choice> proposals(Precision precision, Query query) {
  constexpr int kMost =
      16;  // at most eight algorithms per pass, each with and without tensor cores
  std::array<Result, kMost> results{};
  int count = 0;
  std::vector<Choice> choices;
  if (query(kMost, &count, results.data()) != CUDNN_STATUS_SUCCESS) return choices;
  for (int i = 0; i < count; ++i) {
    const Result& result = results[static_cast<std::size_t>(i)];
    if (result.status != CUDNN_STATUS_SUCCESS || result.memory > kWorkspaceLimit) continue;
    // for true fp32 the default math type would allow tf32
    const bool may_round = uses_tensor_cores(precision);
    if (!may_round && result.mathType == CUDNN_TENSOR_OP_MATH) continue;
    choices.push_back(
        {static_cast<int>(result.algo), may_round ? result.mathType : CUDNN_FMA_MATH});
  }
  return choices;
}

std::vector<Choice> proposals(cudnnHandle_t cudnn, const ConvolutionProblem& problem) {
  const Descriptors d(problem, math_of(problem.precision));
  switch (problem.pass) {
    case Propagation::forward:
      return proposals<cudnnConvolutionFwdAlgoPerf_t>(
          problem.precision, [&](int most, int* count, cudnnConvolutionFwdAlgoPerf_t* results) {
            return cudnnGetConvolutionForwardAlgorithm_v7(cudnn, d.image.get(), d.filters.get(),
                                                          d.convolution.get(), d.map.get(), most,
                                                          count, results);
          });
    case Propagation::data_gradient:
      return proposals<cudnnConvolutionBwdDataAlgoPerf_t>(
          problem.precision, [&](int most, int* count, cudnnConvolutionBwdDataAlgoPerf_t* results) {
            return cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnn, d.filters.get(), d.map.get(),
                                                               d.convolution.get(), d.image.get(),
                                                               most, count, results);
          });
    case Propagation::weight_gradient:
      break;
  }
  return proposals<cudnnConvolutionBwdFilterAlgoPerf_t>(
      problem.precision, [&](int most, int* count, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
        return cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnn, d.image.get(), d.map.get(),
                                                             d.convolution.get(), d.filters.get(),
                                                             most, count, results);
      });
}

/// Null if cuDNN refuses the algorithm, it does not repeat and has to, or needs too much memory.
std::unique_ptr<ConvolutionAlgorithm> make(const Toolbox& tools, const ConvolutionProblem& problem,
                                           Choice choice) {
  if (tools.deterministic() && !repeats(problem.pass, choice.algorithm)) return nullptr;
  try {
    auto algorithm = std::make_unique<LegacyAlgorithm>(tools, problem, choice);
    if (algorithm->workspace_bytes() <= kWorkspaceLimit) return algorithm;
  } catch (const Error& error) {
    if (error.lasting()) throw;
  }
  return nullptr;
}

}  // namespace

ConvolutionAlgorithms legacy_algorithms(const Toolbox& tools, const ConvolutionProblem& problem) {
  ConvolutionAlgorithms algorithms;
  for (const Choice choice : proposals(tools.cudnn(), problem)) {
    if (auto algorithm = make(tools, problem, choice)) algorithms.push_back(std::move(algorithm));
  }
  return algorithms;
}

std::unique_ptr<ConvolutionAlgorithm> legacy_algorithm(const Toolbox& tools,
                                                       const ConvolutionProblem& problem,
                                                       const std::string& text) {
  std::istringstream words(text);
  std::string legacy, math;
  int algorithm = 0, units = 0;
  words >> legacy >> algorithm >> math >> units;
  if (!words || legacy != "legacy" || math != "math") return nullptr;
  // the cache file may contain any value
  const auto type = static_cast<cudnnMathType_t>(units);
  const bool known = algorithm >= 0 && algorithm < CUDNN_CONVOLUTION_FWD_ALGO_COUNT &&
                     units >= CUDNN_DEFAULT_MATH && units <= CUDNN_FMA_MATH;
  const bool fits = uses_tensor_cores(problem.precision) || type == CUDNN_FMA_MATH;
  if (!known || !fits) return nullptr;
  return make(tools, problem, {algorithm, type});
}

}  // namespace paceline::cuda
