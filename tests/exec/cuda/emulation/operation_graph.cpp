// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/operation_graph.hpp"

#include <algorithm>
#include <set>

#include "tests/exec/cuda/emulation/machine.hpp"

namespace paceline::cuda::emulation {
namespace {

using Name = cudnnBackendAttributeName_t;

/// The attributes that hold an operation's tensors.
struct Signature {
  cudnnBackendDescriptorType_t type;
  std::vector<Name> inputs, outputs;
};

const Signature* signature_of(cudnnBackendDescriptorType_t type) {
  static const std::vector<Signature> all{
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W},
       {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y}},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX}},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY},
       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW}},
      {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC},
       {CUDNN_ATTR_OPERATION_POINTWISE_YDESC}},
      {CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_GENSTATS_XDESC},
       {CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC}}};
  const auto found = std::ranges::find(all, type, &Signature::type);
  return found == all.end() ? nullptr : &*found;
}

bool packed_nhwc(const cudnnTensorStruct& t) {
  const auto [n, c, h, w] = t.sizes;
  return t.strides == std::array<std::int64_t, 4>{c * h * w, 1, w * c, c};
}

}  // namespace

bool GraphOperation::is_pointwise() const {
  return node->type == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
}
bool GraphOperation::is_statistics() const {
  return node->type == CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR;
}
cudnnPointwiseMode_t GraphOperation::mode() const {
  const NodeRef point = node->node(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  return static_cast<cudnnPointwiseMode_t>(point->number(CUDNN_ATTR_POINTWISE_MODE, -1));
}

OperationGraph::OperationGraph(const Node& graph) {
  for (const NodeRef& operation : graph.nodes(CUDNN_ATTR_OPERATIONGRAPH_OPS)) {
    legal_ = legal_ && add(operation);
  }
  legal_ = legal_ && !operations_.empty() && in_order();
}

bool OperationGraph::add(const NodeRef& operation) {
  const Signature* signature = signature_of(operation->type);
  if (signature == nullptr) return false;
  GraphOperation added{operation, {}, {}};
  for (const Name name : signature->inputs) {
    const NodeRef tensor = operation->node(name);
    if (tensor == nullptr && name == CUDNN_ATTR_OPERATION_POINTWISE_BDESC) continue;
    if (!add(tensor, added.inputs)) return false;
  }
  for (const Name name : signature->outputs) {
    if (!add(operation->node(name), added.outputs)) return false;
  }
  if (operation->type == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR &&
      operation->node(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR) == nullptr) {
    return false;
  }
  operations_.push_back(std::move(added));
  return true;
}

bool OperationGraph::add(const NodeRef& tensor, std::vector<std::int64_t>& to) {
  if (tensor == nullptr) return false;
  const auto sizes = tensor->numbers(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = tensor->numbers(CUDNN_ATTR_TENSOR_STRIDES);
  if (sizes.size() != 4 || strides.size() != 4) return false;
  GraphTensor added;
  added.uid = tensor->number(CUDNN_ATTR_TENSOR_UNIQUE_ID, 0);
  added.shape.type =
      static_cast<cudnnDataType_t>(tensor->number(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_INT8));
  std::ranges::copy(sizes, added.shape.sizes.begin());
  std::ranges::copy(strides, added.shape.strides.begin());
  added.is_virtual = tensor->number(CUDNN_ATTR_TENSOR_IS_VIRTUAL, 0) != 0;
  added.alignment = tensor->number(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 0);
  const auto [known, is_new] = tensors_.try_emplace(added.uid, added);
  to.push_back(added.uid);
  const GraphTensor& old = known->second;
  return number_of(added.shape.type).has_value() &&
         (is_new || (old.shape.sizes == added.shape.sizes && old.shape.type == added.shape.type));
}

/// Sorts the operations; false if a tensor is computed twice or a virtual one never.
bool OperationGraph::in_order() {
  std::set<std::int64_t> to_come, done;
  for (const GraphOperation& operation : operations_) {
    for (const std::int64_t output : operation.outputs) {
      if (!to_come.insert(output).second) return false;
    }
  }
  std::vector<GraphOperation> left = std::move(operations_);
  operations_.clear();
  while (!left.empty()) {
    const auto next = std::ranges::find_if(left, [&](const GraphOperation& operation) {
      return std::ranges::all_of(operation.inputs, [&](std::int64_t input) {
        return done.count(input) > 0 || (to_come.count(input) == 0 && !tensor(input).is_virtual);
      });
    });
    if (next == left.end()) return false;
    done.insert(next->outputs.begin(), next->outputs.end());
    operations_.push_back(*next);
    left.erase(next);
  }
  return true;
}

const GraphOperation* OperationGraph::convolution() const {
  const GraphOperation* found = nullptr;
  for (const GraphOperation& operation : operations_) {
    if (operation.is_pointwise() || operation.is_statistics()) continue;
    if (found != nullptr) return nullptr;  // two of them
    found = &operation;
  }
  return found;
}

Convolution OperationGraph::arithmetic(const GraphOperation& operation) const {
  const Node& node = *operation.node;
  NodeRef convolution;
  Convolution result;
  const cudnnTensorStruct& first = tensor(operation.inputs[0]).shape;
  const cudnnTensorStruct& second = tensor(operation.inputs[1]).shape;
  const cudnnTensorStruct& output = tensor(operation.outputs[0]).shape;
  const auto filter = [](const cudnnTensorStruct& shape) {
    cudnnFilterStruct as_filter;
    static_cast<cudnnTensorStruct&>(as_filter) = shape;
    return as_filter;
  };
  if (node.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
    result = {first, filter(second), output, {}};
    convolution = node.node(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
  } else if (node.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) {
    result = {output, filter(first), second, {}};
    convolution = node.node(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC);
  } else {
    result = {first, filter(output), second, {}};
    convolution = node.node(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC);
  }
  if (convolution == nullptr) return result;
  const auto two = [&](Name name, std::array<std::int64_t, 2>& to) {
    const auto values = convolution->numbers(name);
    if (values.size() == 2) to = {values[0], values[1]};
  };
  cudnnConvolutionStruct& to = result.convolution;
  two(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, to.pad);
  two(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, to.pad_after);
  two(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, to.stride);
  two(CUDNN_ATTR_CONVOLUTION_DILATIONS, to.dilation);
  to.compute = static_cast<cudnnDataType_t>(
      convolution->number(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_INT8));
  to.mode = static_cast<cudnnConvolutionMode_t>(
      convolution->number(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CONVOLUTION));
  result.x.type = result.y.type = result.w.type;  // virtual ones may be wider
  return result;
}

/// Scale, bias and ReLU of a forward convolution's image (or of a weight gradient's), in fp16 only.
bool OperationGraph::fits_before(const GraphOperation& operation) const {
  const cudnnPointwiseMode_t mode = operation.mode();
  const bool known = mode == CUDNN_POINTWISE_MUL || mode == CUDNN_POINTWISE_ADD ||
                     mode == CUDNN_POINTWISE_RELU_FWD;
  const auto is_half = [&](std::int64_t uid) { return tensor(uid).shape.type == CUDNN_DATA_HALF; };
  return known && std::ranges::all_of(operation.inputs, is_half) &&
         std::ranges::all_of(operation.outputs, is_half);
}

/// As the documentation of cuDNN 9's engines for runtime fusion has it.
bool OperationGraph::fits_after(const GraphOperation& operation) const {
  const cudnnTensorStruct& x = tensor(operation.inputs[0]).shape;
  if (operation.is_statistics()) {
    const auto is_vector = [&](std::int64_t uid) {
      const cudnnTensorStruct& t = tensor(uid).shape;
      return t.type == CUDNN_DATA_FLOAT &&
             t.sizes == std::array<std::int64_t, 4>{1, x.sizes[1], 1, 1};
    };
    const bool forward =
        convolution()->node->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
    return forward && (x.type == CUDNN_DATA_HALF || x.type == CUDNN_DATA_FLOAT) &&
           std::ranges::all_of(operation.outputs, is_vector);
  }
  const cudnnPointwiseMode_t mode = operation.mode();
  const bool known = mode == CUDNN_POINTWISE_ADD || mode == CUDNN_POINTWISE_RELU_FWD ||
                     mode == CUDNN_POINTWISE_IDENTITY;
  // what is broadcast must come second
  return known && x.sizes == tensor(operation.outputs[0]).shape.sizes;
}

bool OperationGraph::supported() const {
  const GraphOperation* main = convolution();
  const Graphs most = graphs_at_most();
  if (!legal_ || main == nullptr || most == Graphs::none) return false;
  const Convolution problem = arithmetic(*main);
  if (problem.legal() != CUDNN_STATUS_SUCCESS) return false;
  if (is_single()) return true;
  if (most == Graphs::single) return false;
  // engines of all surfaces for runtime fusion: what they load at once has 32 bits or more
  constexpr std::int64_t kLeast = 4;
  for (const auto& [uid, tensor] : tensors_) {
    const bool aligned = tensor.is_virtual || tensor.alignment % kLeast == 0;
    if (!packed_nhwc(tensor.shape) || !aligned) return false;
  }
  const std::int64_t bytes = problem.w.type == CUDNN_DATA_FLOAT ? 4 : 2;
  if (problem.x.sizes[1] * bytes % kLeast != 0 || problem.y.sizes[1] * bytes % kLeast != 0) {
    return false;
  }
  bool before = true;
  for (const GraphOperation& operation : operations_) {
    if (&operation == main) {
      before = false;
    } else if (before ? !fits_before(operation) : !fits_after(operation)) {
      return false;
    }
  }
  return true;
}

std::size_t OperationGraph::workspace_bytes() const {
  const Convolution problem = arithmetic(*convolution());
  return static_cast<std::size_t>(256 + problem.w.count() / problem.w.sizes[0] * 4);
}

bool OperationGraph::accepts(const std::map<std::int64_t, void*>& memory) const {
  return std::ranges::all_of(tensors_, [&](const auto& pair) {
    const GraphTensor& tensor = pair.second;
    if (tensor.is_virtual) return true;
    const auto found = memory.find(tensor.uid);
    if (found == memory.end() || found->second == nullptr || tensor.alignment <= 0) return false;
    return reinterpret_cast<std::uintptr_t>(found->second) %
               static_cast<std::uintptr_t>(tensor.alignment) ==
           0;
  });
}

}  // namespace paceline::cuda::emulation
