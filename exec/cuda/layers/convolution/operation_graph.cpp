// SPDX-License-Identifier: MIT
// Which graphs cuDNN has kernels for is in its documentation of the engines for runtime fusion:
// packed NHWC, virtual tensors in fp32, and the convolution's result as the first operand.
#include "exec/cuda/layers/convolution/operation_graph.hpp"

#include <array>

#include "exec/cuda/layers/cudnn_descriptors.hpp"

namespace paceline::cuda {
namespace {

/// Of tensors in memory; those of virtual tensors are above.
enum Id : std::int64_t {
  image_id = 'x',
  filters_id = 'w',
  map_id = 'y',
  bias_id = 'b',
  old_image_id = 'o',  ///< the gradient to which is added: the same memory as the image's
  sums_id = 's',
  squares_id = 'q',
  first_virtual_id = 1000,
};

BackendDescriptor convolution(const ConvolutionProblem& problem) {
  const Padding& padding = problem.padding;
  BackendDescriptor descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  descriptor.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  descriptor.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {padding.top, padding.left});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {padding.bottom, padding.right});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {problem.stride, problem.stride});
  descriptor.finalize();
  return descriptor;
}

/// The names of a pass's operation and of its attributes.
struct OperationNames {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t image, filters, map, convolution, alpha, beta;
};

OperationNames names_of(Propagation pass) {
  switch (pass) {
    case Propagation::forward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case Propagation::data_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case Propagation::weight_gradient:
      break;
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}

}  // namespace

OperationGraph::OperationGraph(cudnnHandle_t cudnn, const ConvolutionProblem& problem)
    : problem_(problem),
      virtual_id_(first_virtual_id),
      graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
  switch (problem.pass) {
    case Propagation::forward:
      add_forward();
      break;
    case Propagation::data_gradient:
      add_data_gradient();
      break;
    case Propagation::weight_gradient:
      add_convolution(image(image_id), filters(), map(map_id));
      break;
  }
  graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, cudnn);
  graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_);
  graph_.finalize();
}

/// The sums are of the map itself in fp16, for which cuDNN has kernels that are compiled already.
/// It does not sum bf16: there they are of the fp32 numbers from which the map is rounded.
void OperationGraph::add_forward() {
  Part x = image(image_id);
  Part w = filters();
  const bool sums_rounded = problem_.sums && problem_.element() == Element::fp16;
  const bool several = problem_.bias || problem_.relu || (problem_.sums && !sums_rounded);
  const BackendDescriptor* y = &map(several ? ++virtual_id_ : map_id, !several);
  add_convolution(x, w, *y);
  if (problem_.sums) add_sums(*y);
  const auto then = [&](cudnnPointwiseMode_t mode, const BackendDescriptor* b, bool last) {
    const BackendDescriptor& next = map(last ? map_id : ++virtual_id_, last);
    add_pointwise(mode, *y, b, next);
    y = &next;
  };
  if (problem_.bias) then(CUDNN_POINTWISE_ADD, &vector(bias_id), !problem_.relu);
  if (problem_.relu) then(CUDNN_POINTWISE_RELU_FWD, nullptr, true);
  if (problem_.sums && several) then(CUDNN_POINTWISE_IDENTITY, nullptr, true);
}

void OperationGraph::add_data_gradient() {
  Part w = filters();
  Part dy = map(map_id);
  if (!problem_.adds) return add_convolution(image(image_id), w, dy);
  Part contribution = image(++virtual_id_, false);
  add_convolution(contribution, w, dy);
  add_pointwise(CUDNN_POINTWISE_ADD, contribution, &image(old_image_id), image(image_id));
}

/// Packed; cuDNN's order of dimensions does not depend on the layout in memory.
OperationGraph::Part OperationGraph::tensor(std::int64_t id, std::array<std::int64_t, 4> sizes,
                                            cudnnDataType_t type, bool in_memory, int alignment) {
  const auto [outer, channels, height, width] = sizes;
  const std::int64_t item = channels * height * width;
  std::array<std::int64_t, 4> strides{item, height * width, width, 1};
  if (problem_.layout == Layout::nhwc) strides = {item, 1, width * channels, channels};
  BackendDescriptor& descriptor = parts_.emplace_back(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
  descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {alignment});
  descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
  descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
  if (!in_memory) descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, true);
  descriptor.finalize();
  return descriptor;
}

OperationGraph::Part OperationGraph::image(std::int64_t id, bool in_memory) {
  const Shape& s = problem_.image;
  return tensor(id, {problem_.batch, s.channels, s.height, s.width},
                in_memory ? data_type_of(problem_.element()) : CUDNN_DATA_FLOAT, in_memory,
                problem_.alignment);
}

OperationGraph::Part OperationGraph::filters() {
  return tensor(filters_id,
                {problem_.map.channels, problem_.image.channels, problem_.kernel_height,
                 problem_.kernel_width},
                data_type_of(problem_.element()), true, problem_.alignment);
}

OperationGraph::Part OperationGraph::map(std::int64_t id, bool in_memory) {
  const Shape& s = problem_.map;
  return tensor(id, {problem_.batch, s.channels, s.height, s.width},
                in_memory ? data_type_of(problem_.element()) : CUDNN_DATA_FLOAT, in_memory,
                problem_.alignment);
}

/// An fp32 number for each channel of the map. A bias is where the flat weights have it.
OperationGraph::Part OperationGraph::vector(std::int64_t id) {
  const int alignment = id == bias_id ? static_cast<int>(sizeof(float)) : problem_.alignment;
  return tensor(id, {1, problem_.map.channels, 1, 1}, CUDNN_DATA_FLOAT, true, alignment);
}

void OperationGraph::add_convolution(Part image, Part filters, Part map) {
  const OperationNames names = names_of(problem_.pass);
  BackendDescriptor& operation = operations_.emplace_back(names.type);
  operation.set(names.image, image);
  operation.set(names.filters, filters);
  operation.set(names.map, map);
  operation.set(names.convolution, parts_.emplace_back(convolution(problem_)));
  operation.set(names.alpha, 1.0F);
  operation.set(names.beta, 0.0F);
  operation.finalize();
}

void OperationGraph::add_pointwise(cudnnPointwiseMode_t mode, Part x, const BackendDescriptor* b,
                                   Part y) {
  BackendDescriptor& settings = parts_.emplace_back(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  settings.set(CUDNN_ATTR_POINTWISE_MODE, mode);
  settings.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  settings.finalize();
  BackendDescriptor& operation =
      operations_.emplace_back(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, settings);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  if (b != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  operation.finalize();
}

void OperationGraph::add_sums(Part x) {
  BackendDescriptor& operation =
      operations_.emplace_back(CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_GENSTATS_SUM_SQSUM);
  operation.set(CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_DATA_FLOAT);
  operation.set(CUDNN_ATTR_OPERATION_GENSTATS_XDESC, x);
  operation.set(CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, vector(sums_id));
  operation.set(CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, vector(squares_id));
  operation.finalize();
}

std::vector<GraphAddress> addresses_of(const ConvolutionProblem& problem,
                                       const Operands& operands) {
  std::vector<GraphAddress> all{
      {image_id, operands.image}, {filters_id, operands.filters}, {map_id, operands.map}};
  if (problem.adds) all.push_back({old_image_id, operands.image});
  // cuDNN takes all operands as mutable pointers, but only reads the bias
  if (problem.bias) all.push_back({bias_id, const_cast<float*>(operands.bias)});
  if (problem.sums) {
    all.push_back({sums_id, operands.sums});
    all.push_back({squares_id, operands.sums + problem.map.channels});
  }
  return all;
}

}  // namespace paceline::cuda
