// SPDX-License-Identifier: MIT
#include <memory>

#include <gmock/gmock.h>

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
  Shape in;
  int outputs = 1;
  bool bias = false;
  bool relu = false;
  bool adds = false;
};

/// A fully connected layer is a convolution with a kernel of the size of its image; its weights are
/// packed in the same way.
Layer layer_of(const Case& c) {
  Layer layer;
  layer.name = "fc";
  layer.kind = LayerKind::fully_connected;
  layer.in = c.in;
  layer.out = {c.outputs, 1, 1};
  layer.kernel_height = c.in.height;
  layer.kernel_width = c.in.width;
  layer.bias = c.bias;
  return layer;
}

constexpr int kBatch = 6;

class Rig {
 public:
  /// `offset`: distance of the bias from an aligned address, in numbers.
  Rig(const Case& c, std::mt19937& random, std::size_t offset = 0)
      : layer(layer_of(c)),
        element(element_of(c.precision)),
        x(element, c.layout, kBatch, c.in),
        dx(element, c.layout, kBatch, c.in),
        w(element, c.layout, c.outputs, c.in),
        dw(element, c.layout, c.outputs, c.in),
        y(element, c.layout, kBatch, layer.out),
        dy(element, c.layout, kBatch, layer.out),
        b(device_vector(static_cast<std::size_t>(c.outputs) + offset)),
        db(device_vector(static_cast<std::size_t>(c.outputs))),
        adds(c.adds) {
    wiring.layer = &layer;
    wiring.relu = c.relu;
    wiring.inputs = {{x.tensor(), dx.tensor(), c.adds}};
    wiring.output = y.tensor();
    wiring.gradient = dy.tensor();
    wiring.parameters = {w.data(), dw.data(), element, static_cast<const float*>(b.data()) + offset,
                         static_cast<float*>(db.data())};
    wiring.precision = c.precision;
    const auto draw = [&](const LaidOutTensor& tensor) {
      return random_numbers(static_cast<std::size_t>(tensor.tensor().elements()), element, random);
    };
    xs = draw(x);
    ws = draw(w);
    dys = draw(dy);
    dxs = draw(dx);
    bs = random_numbers(static_cast<std::size_t>(c.outputs), Element::fp32, random);
    Numbers behind_offset(offset);
    behind_offset.insert(behind_offset.end(), bs.begin(), bs.end());
    b.set(behind_offset);
  }

  void prepare(Operation& operation) {
    scratch = DeviceMemory(operation.scratch_bytes());
    w.set(ws);
    operation.lend(scratch.data(), scratch.bytes());
    operation.prepare();
    EXPECT_EQ(w.get(), ws) << "weights were written";
    x.set(xs);
    dy.set(dys);
    for (LaidOutTensor* tensor : {&y, &dw, &db, &dx}) tensor->poison();
    if (adds) dx.set(dxs);
  }

  Layer layer;
  Element element;
  LaidOutTensor x, dx, w, dw, y, dy, b, db;
  bool adds;
  Numbers xs, dxs, ws, dys, bs;
  Wiring wiring;
  DeviceMemory scratch;
};

class FullyConnectedTest : public DeviceTest {
 protected:
  static void check_against_reference(const Case& c, Rig& rig, Operation& operation,
                                      cudaStream_t stream) {
    const ConvolutionReference reference{rig.layer, kBatch};
    const double tolerated = tolerance(c.precision);
    operation.forward(stream);
    const Numbers y = rig.y.get();
    EXPECT_LT(
        relative_error(y, reference.forward(rig.xs, rig.ws, c.bias ? rig.bs : Numbers{}, c.relu)),
        tolerated);
    operation.backward(stream);
    Numbers dz = rig.dys;
    for (std::size_t i = 0; i < dz.size(); ++i) {
      if (c.relu && y[i] == 0) dz[i] = 0;
    }
    EXPECT_LT(relative_error(rig.dw.get(), reference.weight_gradient(rig.xs, dz)), tolerated);
    Numbers dx = reference.data_gradient(rig.ws, dz);
    for (std::size_t i = 0; c.adds && i < dx.size(); ++i) dx[i] += rig.dxs[i];
    EXPECT_LT(relative_error(rig.dx.get(), dx), 2 * tolerated);
    if (c.bias) {
      EXPECT_LT(relative_error(rig.db.get(), reference.bias_gradient(dz)), 1e-5);
    } else {
      EXPECT_TRUE(std::isnan(rig.db.get().front()));
    }
  }

  std::mt19937 random_{5};
};

TEST_F(FullyConnectedTest, EveryElementAndLayout) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  for (const auto precision :
       {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const Shape in : {Shape{24, 1, 1}, Shape{8, 3, 2}}) {
        for (const int outputs : {10, 16}) {
          for (int parts = 0; parts < 8; ++parts) {
            const Case c{precision,        layout,          in, outputs, (parts & 1) != 0,
                         (parts & 2) != 0, (parts & 4) != 0};
            SCOPED_TRACE(name_of(precision) + " " + name_of(layout) + " outputs " +
                         std::to_string(outputs) + " parts " + std::to_string(parts));
            Rig rig(c, random_);
            const auto operation = make_fully_connected(tools, rig.wiring);
            rig.prepare(*operation);
            check_against_reference(c, rig, *operation, stream.get());
          }
        }
      }
    }
  }
}

// biases follow the weights at any offset, where cuBLAS cannot load them
TEST_F(FullyConnectedTest, ABiasAtAnOddAddress) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  const Case c{Precision::fp32, Layout::nchw, {24, 1, 1}, 10, true, true, false};
  Rig rig(c, random_, 1);
  const auto operation = make_fully_connected(tools, rig.wiring);
  rig.prepare(*operation);
  check_against_reference(c, rig, *operation, stream.get());
}

TEST_F(FullyConnectedTest, AnInputThatNeedsNoGradientGetsNone) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  Rig rig({Precision::fp32, Layout::nchw, {24, 1, 1}, 10, true, false, false}, random_);
  rig.wiring.inputs.front().gradient = {};
  const auto operation = make_fully_connected(tools, rig.wiring);
  rig.prepare(*operation);
  operation->forward(stream.get());
  operation->backward(stream.get());
  EXPECT_FALSE(std::isnan(rig.dw.get().front()));
  EXPECT_TRUE(std::isnan(rig.dx.get().front()));
  EXPECT_EQ(cache.choices_made(), 2);
}

TEST_F(FullyConnectedTest, TheCacheSavesTiming) {
  const DeviceStream stream;
  const Case c{Precision::bf16, Layout::nchw, {24, 1, 1}, 16, true, true, true};
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  Rig rig(c, random_);
  const auto first = make_fully_connected(tools, rig.wiring);
  EXPECT_EQ(cache.choices_made(), 3);
  EXPECT_THAT(first->algorithms(),
              testing::MatchesRegex("forward: cublas .*; weight gradient: cublas .*; data "
                                    "gradient: cublas .*"));
  const auto second = make_fully_connected(tools, rig.wiring);
  EXPECT_EQ(cache.choices_made(), 3);
  EXPECT_EQ(second->algorithms(), first->algorithms());
  rig.prepare(*second);
  check_against_reference(c, rig, *second, stream.get());
}

TEST_F(FullyConnectedTest, NonsenseInTheCacheIsTimedAgain) {
  const DeviceStream stream;
  const Case c{Precision::fp32, Layout::nchw, {24, 1, 1}, 16, false, false, false};
  for (const std::string nonsense : {"", "cublas", "cublas 1 2 3", "legacy 1 math 3",
                                     "cublas 1 2 3 4 5 6 7 8 9", "cublas 1 2 3 4 5 6 7 x"}) {
    SCOPED_TRACE(nonsense);
    AlgorithmCache cache({});
    Toolbox tools(stream.get(), cache);
    cache.put("product fp32 16 6 24 tn", nonsense);
    Rig rig(c, random_);
    const auto operation = make_fully_connected(tools, rig.wiring);
    EXPECT_EQ(cache.choices_made(), 4);
    rig.prepare(*operation);
    check_against_reference(c, rig, *operation, stream.get());
  }
}

}  // namespace
}  // namespace paceline::cuda
