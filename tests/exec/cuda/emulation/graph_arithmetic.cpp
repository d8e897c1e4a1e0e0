// SPDX-License-Identifier: MIT
// The arithmetic of the operation graphs of the emulated cuDNN.
#include <algorithm>
#include <set>

#include "tests/exec/cuda/emulation/operation_graph.hpp"

namespace paceline::cuda::emulation {
namespace {

/// The offset of an element, in a tensor that may have one element where the index runs.
std::size_t offset(const cudnnTensorStruct& t, const std::array<std::int64_t, 4>& index) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < 4; ++i) at += t.sizes[i] == 1 ? 0 : index[i] * t.strides[i];
  return static_cast<std::size_t>(at);
}

template <class F>
void for_each_index(const std::array<std::int64_t, 4>& sizes, F f) {
  std::array<std::int64_t, 4> i{};
  for (i[0] = 0; i[0] < sizes[0]; ++i[0]) {
    for (i[1] = 0; i[1] < sizes[1]; ++i[1]) {
      for (i[2] = 0; i[2] < sizes[2]; ++i[2]) {
        for (i[3] = 0; i[3] < sizes[3]; ++i[3]) f(i);
      }
    }
  }
}

}  // namespace

Cost OperationGraph::cost() const {
  const GraphOperation& main = *convolution();
  const Convolution problem = arithmetic(main);
  const bool sums = std::ranges::any_of(operations_, &GraphOperation::is_statistics);
  const char* name = "convolution: weight gradient";
  if (main.node->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
    name = sums ? "convolution and sums"
                : (is_single() ? "convolution" : "convolution, bias and ReLU");
  } else if (main.node->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) {
    name = is_single() ? "convolution: data gradient" : "convolution: data gradient and add";
  }
  Cost cost = problem.cost(name, problem.y, false);
  cost.read = cost.written = 0;
  std::set<std::int64_t> outputs;
  for (const GraphOperation& operation : operations_) {
    outputs.insert(operation.outputs.begin(), operation.outputs.end());
  }
  for (const auto& [uid, tensor] : tensors_) {
    if (tensor.is_virtual) continue;
    (outputs.count(uid) > 0 ? cost.written : cost.read) += tensor.shape.bytes();
  }
  return cost;
}

void OperationGraph::run(const std::map<std::int64_t, void*>& memory) const {
  std::set<std::int64_t> outputs;
  for (const GraphOperation& operation : operations_) {
    outputs.insert(operation.outputs.begin(), operation.outputs.end());
  }
  Values values;
  for (const auto& [uid, tensor] : tensors_) {
    if (outputs.count(uid) > 0) continue;
    const Number number = *number_of(tensor.shape.type);
    values[uid] = read_floats(memory.at(uid), number, 0, tensor.shape.count());
  }
  for (const GraphOperation& operation : operations_) compute(operation, values);
  for (const std::int64_t uid : outputs) {
    if (tensor(uid).is_virtual) continue;
    const Writer to(memory.at(uid), *number_of(tensor(uid).shape.type));
    const std::vector<float>& from = values.at(uid);
    for (std::size_t i = 0; i < from.size(); ++i) to.set(static_cast<std::int64_t>(i), from[i]);
  }
}

void OperationGraph::compute(const GraphOperation& operation, Values& values) const {
  for (const std::int64_t output : operation.outputs) {
    values[output].assign(static_cast<std::size_t>(tensor(output).shape.count()), 0.0F);
  }
  if (operation.is_pointwise()) {
    point_by_point(operation, values);
  } else if (operation.is_statistics()) {
    sum(operation, values);
  } else {
    convolve(operation, values);
  }
}

void OperationGraph::convolve(const GraphOperation& operation, Values& values) const {
  Convolution problem = arithmetic(operation);
  problem.x.type = problem.w.type = problem.y.type = CUDNN_DATA_FLOAT;
  const float* first = values.at(operation.inputs[0]).data();
  const float* second = values.at(operation.inputs[1]).data();
  float* output = values.at(operation.outputs[0]).data();
  if (operation.node->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
    problem.forward(first, second, output, 1, 0);
  } else if (operation.node->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) {
    problem.backward_data(first, second, output, 1, 0);
  } else {
    problem.backward_filter(first, second, output, 1, 0);
  }
}

void OperationGraph::point_by_point(const GraphOperation& operation, Values& values) const {
  const cudnnPointwiseMode_t mode = operation.mode();
  const cudnnTensorStruct& y = tensor(operation.outputs[0]).shape;
  const auto input = [&](std::size_t i, const std::array<std::int64_t, 4>& index) {
    const std::int64_t uid = operation.inputs.at(i);
    return values.at(uid)[offset(tensor(uid).shape, index)];
  };
  std::vector<float> result(static_cast<std::size_t>(y.count()));
  for_each_index(y.sizes, [&](const std::array<std::int64_t, 4>& i) {
    float value = input(0, i);
    if (mode == CUDNN_POINTWISE_ADD) value += input(1, i);
    if (mode == CUDNN_POINTWISE_MUL) value *= input(1, i);
    if (mode == CUDNN_POINTWISE_RELU_FWD && value < 0) value = 0;
    result[offset(y, i)] = value;
  });
  values[operation.outputs[0]] = std::move(result);
}

/// Of the numbers before they are rounded, in double.
void OperationGraph::sum(const GraphOperation& operation, Values& values) const {
  const cudnnTensorStruct& x = tensor(operation.inputs[0]).shape;
  const std::vector<float>& from = values.at(operation.inputs[0]);
  std::vector<double> sums(static_cast<std::size_t>(x.sizes[1]));
  std::vector<double> squares(sums.size());
  for_each_index(x.sizes, [&](const std::array<std::int64_t, 4>& i) {
    const auto value = static_cast<double>(from[offset(x, i)]);
    sums[static_cast<std::size_t>(i[1])] += value;
    squares[static_cast<std::size_t>(i[1])] += value * value;
  });
  std::ranges::copy(sums, values.at(operation.outputs[0]).begin());
  std::ranges::copy(squares, values.at(operation.outputs[1]).begin());
}

}  // namespace paceline::cuda::emulation
