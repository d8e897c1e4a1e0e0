// SPDX-License-Identifier: MIT
// The emulated cuDNN's operation graphs: which have engines, and misuse. Their results are compared
// with references in the tests of exec/cuda/layers.
#include <optional>

#include <gtest/gtest.h>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/convolution/algorithm.hpp"
#include "exec/cuda/layers/convolution/operation_graph.hpp"
#include "exec/cuda/layers/convolution/pass.hpp"
#include "exec/cuda/layers/toolbox.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"

namespace paceline::cuda::emulation {
namespace {

ConvolutionProblem problem(Precision precision, Layout layout, int channels) {
  ConvolutionProblem problem;
  problem.precision = precision;
  problem.layout = layout;
  problem.batch = 2;
  problem.image = {channels, 4, 4};
  problem.map = {16, 4, 4};
  return problem;
}
ConvolutionProblem bf16() {
  return problem(Precision::bf16, Layout::nhwc, 8);
}

class GraphsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    tools_.emplace(stream_.emplace().get(), cache_);
  }
  void TearDown() override { tools_.reset(); }

  bool has_engines(const ConvolutionProblem& problem) {
    const OperationGraph graph(tools_->cudnn(), problem);
    try {
      BackendDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
      heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.get());
      heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A);
      heuristics.finalize();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  AlgorithmCache cache_{""};
  std::optional<DeviceStream> stream_;
  std::optional<Toolbox> tools_;
};

TEST_F(GraphsTest, FuseWithChannelsLastThatFillFourBytes) {
  const auto fuses = [&](ConvolutionProblem of) {
    of.bias = of.relu = true;
    const bool forward = has_engines(of);
    of.bias = of.relu = false;
    EXPECT_TRUE(has_engines(of)) << "alone";
    of.sums = true;
    EXPECT_EQ(has_engines(of), forward) << "sums";
    of.sums = false;
    of.pass = Propagation::data_gradient;
    of.adds = true;
    EXPECT_EQ(has_engines(of), forward) << "adds";
    return forward;
  };
  EXPECT_TRUE(fuses(bf16()));
  EXPECT_TRUE(fuses(problem(Precision::fp16, Layout::nhwc, 8)));
  EXPECT_TRUE(fuses(problem(Precision::tf32, Layout::nhwc, 4)));
  EXPECT_FALSE(fuses(problem(Precision::fp16, Layout::nchw, 8)));
  EXPECT_TRUE(fuses(problem(Precision::fp16, Layout::nhwc, 4)));
  EXPECT_FALSE(fuses(problem(Precision::fp16, Layout::nhwc, 3)));
  ConvolutionProblem shifted = bf16();
  shifted.alignment = 2;
  EXPECT_FALSE(fuses(shifted));
}

TEST_F(GraphsTest, CanBeLimited) {
  ConvolutionProblem adds = bf16();
  adds.pass = Propagation::data_gradient;
  adds.adds = true;
  limit_graphs(Graphs::single);
  EXPECT_TRUE(has_engines(bf16()));
  EXPECT_FALSE(has_engines(adds));
  limit_graphs(Graphs::none);
  EXPECT_THROW(OperationGraph(tools_->cudnn(), bf16()), Error);
  restart(1);
  tools_.emplace(stream_.emplace().get(), cache_);
  EXPECT_TRUE(has_engines(adds));
}

TEST_F(GraphsTest, ChecksDescriptors) {
  const OperationGraph graph(tools_->cudnn(), bf16());
  BackendDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph.get());
  engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, {17});
  EXPECT_THROW(engine.finalize(), Error);
  EXPECT_THROW(engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), Error) << "not complete";
  BackendDescriptor configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  EXPECT_THROW(configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine), Error) << "not complete";
  EXPECT_THROW(configuration.finalize(), Error) << "no engine";
  BackendDescriptor empty(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_THROW(empty.finalize(), Error);
}

// A tensor without memory that no operation computes, and an operation without its result.
TEST_F(GraphsTest, AreComplete) {
  const auto tensor = [](std::int64_t id, bool in_memory) {
    BackendDescriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
    descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
    descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, {1, 4, 1, 1});
    descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, {4, 1, 4, 4});
    descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, !in_memory);
    descriptor.finalize();
    return descriptor;
  };
  const auto complete = [&](bool in_memory, bool with_result) {
    const BackendDescriptor x = tensor(1, in_memory), y = tensor(2, true);
    BackendDescriptor relu(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    relu.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_RELU_FWD);
    relu.finalize();
    BackendDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, relu);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (with_result) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    operation.finalize();
    BackendDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    graph.finalize();
  };
  EXPECT_NO_THROW(complete(true, true));
  EXPECT_THROW(complete(false, true), Error);
  EXPECT_THROW(complete(true, false), Error);
}

TEST_F(GraphsTest, CheckAddresses) {
  ConvolutionProblem biased = bf16();
  biased.bias = true;
  const ConvolutionAlgorithms algorithms = graph_algorithms(*tools_, biased);
  ASSERT_EQ(algorithms.size(), 1u);  // the one that sums in fp32
  const DeviceMemory memory(4096), workspace(algorithms.front()->workspace_bytes());
  Operands operands{memory.data(), memory.data(), memory.data(), memory.as<float>()};
  EXPECT_NO_THROW(algorithms.front()->run(operands, workspace.data()));
  operands.bias = nullptr;
  EXPECT_THROW(algorithms.front()->run(operands, workspace.data()), Error) << "missing";
  operands.bias = memory.as<float>() + 1;
  EXPECT_NO_THROW(algorithms.front()->run(operands, workspace.data()));
  operands.image = memory.as<float>() + 1;
  EXPECT_THROW(algorithms.front()->run(operands, workspace.data()), Error) << "not aligned";
  check(cudaStreamSynchronize(stream_->get()), "running");
}

// Sums that are added to what is there would be wrong from the second step on.
TEST_F(GraphsTest, AnEngineThatComputesSomethingElseIsNotChosen) {
  ConvolutionProblem sums = bf16();
  sums.sums = true;
  const auto fused = [&] {
    AlgorithmCache cache{""};
    const Toolbox tools(stream_->get(), cache);
    const ConvolutionPass pass(tools, sums, "conv");
    // the batch norm's kernels take longer here than a sum in oneDNN's thread
    return pass.sums();
  };
  EXPECT_TRUE(fused());
  limit_graphs(Graphs::careless);
  EXPECT_TRUE(has_engines(sums));
  EXPECT_FALSE(fused());
}

}  // namespace
}  // namespace paceline::cuda::emulation
