// SPDX-License-Identifier: MIT
#include <memory>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/toolbox.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/lstm_reference.hpp"

namespace paceline::cuda {
namespace {

struct Case {
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  bool adds = false;
};

constexpr int kBatch = 3, kInputs = 5, kUnits = 8, kSteps = 7;

class Rig {
 public:
  Rig(const Case& c, std::mt19937& random)
      : element(element_of(c.precision)),
        x(element, c.layout, kBatch, {kInputs, kSteps, 1}),
        dx(element, c.layout, kBatch, {kInputs, kSteps, 1}),
        w(device_vector(kMatrix, element)),
        dw(device_vector(kMatrix, element)),
        y(element, c.layout, kBatch, {kUnits, kSteps, 1}),
        dy(element, c.layout, kBatch, {kUnits, kSteps, 1}),
        b(device_vector(4 * kUnits)),
        db(device_vector(4 * kUnits)),
        adds(c.adds) {
    layer.name = "lstm";
    layer.in = x.tensor().shape;
    layer.out = y.tensor().shape;
    layer.bias = true;
    wiring.layer = &layer;
    wiring.inputs = {{x.tensor(), dx.tensor(), c.adds}};
    wiring.output = y.tensor();
    wiring.gradient = dy.tensor();
    wiring.parameters = {w.data(), dw.data(), element, static_cast<const float*>(b.data()),
                         static_cast<float*>(db.data())};
    wiring.precision = c.precision;
    const auto draw = [&](const LaidOutTensor& tensor) {
      return random_numbers(static_cast<std::size_t>(tensor.tensor().elements()), element, random);
    };
    xs = draw(x);
    ws = draw(w);
    dys = draw(dy);
    dxs = draw(dx);
    bs = random_numbers(4 * kUnits, element, random);
  }

  void prepare(Operation& operation) {
    scratch = DeviceMemory(operation.scratch_bytes());
    w.set(ws);
    b.set(bs);
    operation.lend(scratch.data(), scratch.bytes());
    operation.prepare();
    x.set(xs);
    dy.set(dys);
    for (LaidOutTensor* tensor : {&y, &dw, &db, &dx}) tensor->poison();
    if (adds) dx.set(dxs);
  }

  static constexpr std::size_t kMatrix = std::size_t{4} * kUnits * (kInputs + kUnits);
  Element element;
  Layer layer;
  LaidOutTensor x, dx, w, dw, y, dy, b, db;
  bool adds;
  Numbers xs, dxs, ws, dys, bs;
  Wiring wiring;
  DeviceMemory scratch;
};

class LstmTest : public DeviceTest {
 protected:
  /// In 16 bits, states are rounded at each step.
  static double tolerated(Precision precision) { return 10 * tolerance(precision); }

  static void check_against_reference(const Case& c, Rig& rig, Operation& operation,
                                      cudaStream_t stream) {
    const LstmReference reference(kBatch, kInputs, kUnits, kSteps, rig.xs, rig.ws, rig.bs, rig.dys);
    operation.forward(stream);
    EXPECT_LT(relative_error(rig.y.get(), reference.outputs()), tolerated(c.precision));
    operation.backward(stream);
    EXPECT_LT(relative_error(rig.dw.get(), reference.weight_gradient()), tolerated(c.precision));
    EXPECT_LT(relative_error(rig.db.get(), reference.bias_gradient()), tolerated(c.precision));
    if (!rig.wiring.inputs.front().gradient) return;
    Numbers dx = reference.data_gradient();
    for (std::size_t i = 0; c.adds && i < dx.size(); ++i) dx[i] += rig.dxs[i];
    EXPECT_LT(relative_error(rig.dx.get(), dx), tolerated(c.precision));
  }

  std::mt19937 random_{17};
};

// the reference itself, by finite differences
TEST(LstmReferenceTest, ItsGradientsAreThoseOfItsOutputs) {
  std::mt19937 random(23);
  const auto draw = [&](int count) {
    return random_numbers(static_cast<std::size_t>(count), Element::fp32, random);
  };
  const Numbers xs = draw(2 * 3 * 4), ws = draw(4 * 2 * (3 + 2)), bs = draw(4 * 2);
  const Numbers dys = draw(2 * 2 * 4);
  const auto score = [&](const Numbers& x, const Numbers& w, const Numbers& b) {
    const LstmReference reference(2, 3, 2, 4, x, w, b, dys);
    double sum = 0;
    for (std::size_t i = 0; i < dys.size(); ++i) sum += dys[i] * reference.outputs()[i];
    return sum;
  };
  const LstmReference reference(2, 3, 2, 4, xs, ws, bs, dys);
  constexpr double kStep = 1e-5;
  const auto moved = [](Numbers numbers, std::size_t i, double step) {
    numbers[i] += step;
    return numbers;
  };
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double slope =
        (score(moved(xs, i, kStep), ws, bs) - score(moved(xs, i, -kStep), ws, bs)) / (2 * kStep);
    EXPECT_NEAR(reference.data_gradient()[i], slope, 1e-8) << i;
  }
  for (std::size_t i = 0; i < ws.size(); ++i) {
    const double slope =
        (score(xs, moved(ws, i, kStep), bs) - score(xs, moved(ws, i, -kStep), bs)) / (2 * kStep);
    EXPECT_NEAR(reference.weight_gradient()[i], slope, 1e-8) << i;
  }
  for (std::size_t i = 0; i < bs.size(); ++i) {
    const double slope =
        (score(xs, ws, moved(bs, i, kStep)) - score(xs, ws, moved(bs, i, -kStep))) / (2 * kStep);
    EXPECT_NEAR(reference.bias_gradient()[i], slope, 1e-8) << i;
  }
}

TEST_F(LstmTest, EveryElementAndLayout) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  for (const auto precision :
       {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const bool adds : {false, true}) {
        const Case c{precision, layout, adds};
        SCOPED_TRACE(name_of(precision) + " " + name_of(layout) + (adds ? " adds" : ""));
        Rig rig(c, random_);
        const auto operation = make_lstm(tools, rig.wiring);
        rig.prepare(*operation);
        check_against_reference(c, rig, *operation, stream.get());
      }
    }
  }
}

// the second mini-batch does not depend on the first
TEST_F(LstmTest, RunsAgain) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  const Case c{Precision::fp32, Layout::nhwc, false};
  Rig rig(c, random_);
  const auto operation = make_lstm(tools, rig.wiring);
  rig.prepare(*operation);
  check_against_reference(c, rig, *operation, stream.get());
  rig.xs = random_numbers(rig.xs.size(), rig.element, random_);
  rig.x.set(rig.xs);
  check_against_reference(c, rig, *operation, stream.get());
}

TEST_F(LstmTest, AnInputThatNeedsNoGradientGetsNone) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    const Case c{Precision::fp32, layout, false};
    Rig rig(c, random_);
    rig.wiring.inputs.front().gradient = {};
    const auto operation = make_lstm(tools, rig.wiring);
    rig.prepare(*operation);
    check_against_reference(c, rig, *operation, stream.get());
    EXPECT_TRUE(std::isnan(rig.dx.get().front()));
  }
}

}  // namespace
}  // namespace paceline::cuda
