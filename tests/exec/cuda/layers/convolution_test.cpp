// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <unistd.h>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/toolbox.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/convolution_reference.hpp"

namespace paceline::cuda {
namespace {

struct Case {
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  Layer layer;
  bool adds = false;
  bool relu = false;
};

std::string text_of(const Case& c) {
  return c.layer.name + " " + name_of(c.precision) + " " + name_of(c.layout) +
         (c.adds ? " adds" : "") + (c.layer.bias ? " bias" : "") + (c.relu ? " relu" : "");
}

Layer convolution(const std::string& name, Shape in, int outputs, int kernel, int stride,
                  int pad_top, int pad_bottom, int pad_left, int pad_right) {
  Layer layer;
  layer.name = name;
  layer.kind = LayerKind::convolution;
  layer.in = in;
  layer.kernel_height = layer.kernel_width = kernel;
  layer.stride = stride;
  layer.pad_top = pad_top;
  layer.pad_bottom = pad_bottom;
  layer.pad_left = pad_left;
  layer.pad_right = pad_right;
  layer.out = {outputs, (in.height + pad_top + pad_bottom - kernel) / stride + 1,
               (in.width + pad_left + pad_right - kernel) / stride + 1};
  return layer;
}

std::vector<Layer> layers() {
  Layer oblong = convolution("oblong", {8, 6, 7}, 8, 1, 1, 0, 0, 1, 1);
  oblong.kernel_width = 3;
  oblong.out = {8, 6, 7};
  return {convolution("same", {8, 6, 6}, 16, 3, 1, 1, 1, 1, 1),
          convolution("point", {16, 5, 5}, 8, 1, 1, 0, 0, 0, 0),
          convolution("halving", {3, 9, 9}, 5, 5, 2, 2, 2, 2, 2),
          convolution("one-sided", {8, 6, 6}, 8, 3, 2, 0, 1, 0, 1),
          convolution("lopsided", {4, 5, 6}, 4, 3, 1, 2, 0, 1, 1),
          oblong};
}

/// A convolution with all its operands.
class Rig {
 public:
  Rig(const Case& c, std::mt19937& random, bool needs_input_gradient = true)
      : case_(c),
        element_(element_of(c.precision)),
        x(element_, c.layout, kBatch, c.layer.in),
        dx(element_, c.layout, kBatch, c.layer.in),
        w(element_, c.layout, c.layer.out.channels, filter(c.layer)),
        dw(element_, c.layout, c.layer.out.channels, filter(c.layer)),
        y(element_, c.layout, kBatch, c.layer.out),
        dy(element_, c.layout, kBatch, c.layer.out),
        b(device_vector(static_cast<std::size_t>(c.layer.out.channels))),
        db(device_vector(static_cast<std::size_t>(c.layer.out.channels))) {
    wiring.layer = &case_.layer;
    wiring.relu = c.relu;
    wiring.inputs = {{x.tensor(), needs_input_gradient ? dx.tensor() : Tensor{}, c.adds}};
    wiring.output = y.tensor();
    wiring.gradient = dy.tensor();
    wiring.parameters = {w.data(), dw.data(), element_, static_cast<const float*>(b.data()),
                         static_cast<float*>(db.data())};
    wiring.precision = c.precision;
    const auto draw = [&](const DeviceTensor& tensor) {
      return random_numbers(static_cast<std::size_t>(tensor.tensor().elements()), element_, random);
    };
    xs = draw(x);
    ws = draw(w);
    dys = draw(dy);
    dxs = draw(dx);
    bs = random_numbers(static_cast<std::size_t>(c.layer.out.channels), Element::fp32, random);
  }

  /// Calls lend() and prepare(), fills the inputs and sets the outputs to NaN.
  void prepare(Operation& operation) {
    scratch = DeviceMemory(operation.scratch_bytes());
    w.set(ws);
    b.set(bs);
    operation.lend(scratch.data(), scratch.bytes());
    operation.prepare();
    EXPECT_EQ(w.get(), ws) << "weights were written";
    x.set(xs);
    dy.set(dys);
    y.poison();
    dw.poison();
    db.poison();
    dx.poison();
    if (case_.adds) dx.set(dxs);
  }

  static constexpr int kBatch = 3;
  static Shape filter(const Layer& layer) {
    return {layer.in.channels, layer.kernel_height, layer.kernel_width};
  }

 private:
  const Case case_;
  const Element element_;

 public:
  DeviceTensor x, dx, w, dw, y, dy, b, db;
  Numbers xs, dxs, ws, dys, bs;
  Wiring wiring;
  DeviceMemory scratch;
};

class ConvolutionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    folder_ = std::filesystem::path(testing::TempDir()) / ("conv_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Compares forward and backward with the reference.
  void check_against_reference(const Case& c, Rig& rig, Operation& operation, cudaStream_t stream) {
    const ConvolutionReference reference{c.layer, Rig::kBatch};
    const double tolerated = tolerance(c.precision);
    operation.forward(stream);
    const Numbers expected =
        reference.forward(rig.xs, rig.ws, c.layer.bias ? rig.bs : Numbers{}, c.relu);
    const Numbers y = rig.y.get();
    EXPECT_LT(relative_error(y, expected), tolerated);
    operation.backward(stream);
    Numbers dz = rig.dys;
    for (std::size_t i = 0; i < dz.size(); ++i) {
      if (c.relu && y[i] == 0) dz[i] = 0;  // where the layer's ReLU is 0, not the reference's
    }
    EXPECT_LT(relative_error(rig.dw.get(), reference.weight_gradient(rig.xs, dz)), tolerated);
    if (c.layer.bias) {
      EXPECT_LT(relative_error(rig.db.get(), reference.bias_gradient(dz)), 1e-5);
    } else {
      EXPECT_TRUE(std::isnan(rig.db.get().front()));
    }
    if (!rig.wiring.inputs.front().gradient) return;
    Numbers dx = reference.data_gradient(rig.ws, dz);
    for (std::size_t i = 0; c.adds && i < dx.size(); ++i) dx[i] += rig.dxs[i];
    EXPECT_LT(relative_error(rig.dx.get(), dx), 2 * tolerated);
  }

  std::filesystem::path folder_;
  std::mt19937 random_{3};
};

TEST_F(ConvolutionTest, EveryElementAndLayout) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  for (const Layer& layer : layers()) {
    for (const auto precision :
         {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
      for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
        for (const int parts : {0, 1, 2, 3}) {
          Case c{precision, layout, layer, (parts & 1) != 0, parts >= 2};
          c.layer.bias = parts == 1 || parts == 2;
          SCOPED_TRACE(text_of(c));
          Rig rig(c, random_);
          const auto operation = make_convolution(tools, rig.wiring);
          rig.prepare(*operation);
          check_against_reference(c, rig, *operation, stream.get());
        }
      }
    }
  }
}

TEST_F(ConvolutionTest, AnInputThatNeedsNoGradientGetsNone) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  const Case c{Precision::fp32, Layout::nchw, layers().front(), false, true};
  Rig rig(c, random_, false);
  const auto operation = make_convolution(tools, rig.wiring);
  rig.prepare(*operation);
  check_against_reference(c, rig, *operation, stream.get());
  EXPECT_TRUE(std::isnan(rig.dx.get().front()));
  EXPECT_THAT(operation->algorithms(), testing::Not(testing::HasSubstr("data gradient")));
}

// a shape is timed once: the second layer and the second run use the cache
TEST_F(ConvolutionTest, TheCacheSavesTiming) {
  const DeviceStream stream;
  const Case c{Precision::fp16, Layout::nhwc, layers().front(), true, false};
  std::string algorithms;
  {
    AlgorithmCache cache(folder_);
    Toolbox tools(stream.get(), cache);
    Rig rig(c, random_);
    const auto first = make_convolution(tools, rig.wiring);
    EXPECT_EQ(cache.choices_made(), 3);
    const auto second = make_convolution(tools, rig.wiring);
    EXPECT_EQ(cache.choices_made(), 3);
    EXPECT_EQ(first->algorithms(), second->algorithms());
    algorithms = first->algorithms();
    EXPECT_THAT(algorithms,
                testing::MatchesRegex("forward: (graph|legacy) .*; weight gradient: "
                                      "(graph|legacy) .*; data gradient: (graph|legacy) .*"));
  }
  AlgorithmCache cache(folder_);
  Toolbox tools(stream.get(), cache);
  Rig rig(c, random_);
  const auto operation = make_convolution(tools, rig.wiring);
  EXPECT_EQ(operation->algorithms(), algorithms);
  rig.prepare(*operation);
  check_against_reference(c, rig, *operation, stream.get());
  EXPECT_EQ(cache.choices_made(), 0);
}

// an invalid or impossible entry is timed again
TEST_F(ConvolutionTest, NonsenseInTheCacheIsTimedAgain) {
  const DeviceStream stream;
  const Case c{Precision::fp32, Layout::nchw, layers().front(), false, false};
  for (const std::string nonsense :
       {"", "legacy", "legacy 99 math 3", "legacy -1 math 3", "legacy 1 math 1", "legacy 1 maths 3",
        "graph engine", "graph engine 9999999 1=2 3=4", "graph engine 1 2:3", "something else"}) {
    SCOPED_TRACE(nonsense);
    AlgorithmCache cache({});
    Toolbox tools(stream.get(), cache);
    for (const char* pass : {"forward", "weight gradient", "data gradient"}) {
      std::string problem = std::string("convolution ") + pass;
      problem += " fp32 NCHW 3x8x6x6 to 16x6x6 kernel 3x3 stride 1 padding 1x1";
      cache.put(problem, nonsense);
    }
    Rig rig(c, random_);
    const auto operation = make_convolution(tools, rig.wiring);
    EXPECT_EQ(cache.choices_made(), 6);
    rig.prepare(*operation);
    check_against_reference(c, rig, *operation, stream.get());
  }
}

// queued work can be captured, and its replay computes the same results
TEST_F(ConvolutionTest, RunsInAGraph) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  for (const bool one_sided : {false, true}) {
    Case c{Precision::fp32, Layout::nchw, layers()[one_sided ? 3 : 0], false, true};
    c.layer.bias = true;
    Rig rig(c, random_);
    const auto operation = make_convolution(tools, rig.wiring);
    rig.prepare(*operation);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capturing");
    operation->forward(stream.get());
    operation->backward(stream.get());
    check(cudaStreamEndCapture(stream.get(), &graph), "capturing");
    check(cudaGraphInstantiate(&executable, graph, 0), "instantiating");
    check(cudaGraphLaunch(executable, stream.get()), "launching");
    const Numbers y = rig.y.get(), dx = rig.dx.get();
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    EXPECT_FALSE(std::isnan(y.front()));
    rig.dy.set(rig.dys);
    rig.y.poison();
    rig.dx.poison();
    operation->forward(stream.get());
    operation->backward(stream.get());
    EXPECT_EQ(rig.y.get(), y);
    EXPECT_EQ(rig.dx.get(), dx);
  }
}

}  // namespace
}  // namespace paceline::cuda
