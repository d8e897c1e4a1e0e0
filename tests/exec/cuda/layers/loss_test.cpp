// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"

namespace paceline::cuda {
namespace {

class LossTest : public DeviceTest {};

constexpr std::uint32_t kStep = 8 * 5 + 3;

/// A loss with its tensors on the device.
class LossBench {
 public:
  LossBench(Format format, LayerKind kind, int batch, int classes)
      : value_(format, batch, {classes, 1, 1}),
        gradient_(format, batch, {classes, 1, 1}),
        state_({StepState{{1, 2}, 0, {kStep, 0}}}),
        losses_(std::vector<float>(kLossSlots, -1.0f)) {
    layer_.kind = kind;
    layer_.in = layer_.out = {classes, 1, 1};
    wiring.layer = &layer_;
    wiring.inputs.push_back({value_.tensor(), gradient_.tensor(), false});
    wiring.step = state_.data();
  }
  LossBench(const LossBench&) = delete;
  LossBench& operator=(const LossBench&) = delete;

  void run(const Numbers& x, const Numbers& targets, float scale, const Numbers& earlier) {
    value_.write(x);
    if (wiring.inputs[0].adds) gradient_.write(earlier);
    const DeviceArray<float> on_device = floats_on_device(targets);
    const std::unique_ptr<LossOperation> loss = make_loss(wiring);
    loss->forward(on_device.data(), losses_.data(), stream_.get());
    const DeviceArray<LossScale> scaled(std::vector<LossScale>{{scale, 1 / scale}});
    loss->backward(on_device.data(), scale != 1 ? scaled.data() : nullptr, stream_.get());
    check(cudaStreamSynchronize(stream_.get()), "waiting");
  }
  std::vector<float> losses() const { return losses_.read(); }
  Numbers gradient() const { return gradient_.read(); }

  Wiring wiring;

 private:
  Layer layer_;
  DeviceTensor value_, gradient_;
  DeviceArray<StepState> state_;
  DeviceArray<float> losses_;
  DeviceStream stream_;
};

void expect_loss(const LossBench& bench, double expected) {
  const std::vector<float> losses = bench.losses();
  for (std::size_t k = 0; k < losses.size(); ++k) {
    if (k == kStep % kLossSlots) {
      EXPECT_NEAR(static_cast<double>(losses[k]), expected, 1e-6 * (1 + std::abs(expected)));
    } else {
      EXPECT_EQ(losses[k], -1.0f) << "a slot of another step";
    }
  }
}

TEST_F(LossTest, CrossEntropy) {
  struct Case {
    int batch, classes;
    double deviation;
  };
  const Case cases[] = {{5, 10, 1}, {1, 2, 3}, {7, 1000, 4}, {300, 3, 1}, {2, 2049, 50}};
  for (const Format format : kFormats) {
    for (const Case& c : cases) {
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(format.name() + ", " + std::to_string(c.classes) + " classes");
        LossBench bench(format, LayerKind::softmax, c.batch, c.classes);
        bench.wiring.inputs[0].adds = adds;
        const std::int64_t count = std::int64_t{c.batch} * c.classes;
        const Numbers x = draw(count, 71, format.element, 30, c.deviation);
        const Numbers earlier = draw(count, 72, format.element, 0, 1.0 / c.batch);
        Numbers targets, dx(x.size());
        constexpr float kScale = 64;  // like the loss scale for fp16
        double loss = 0;
        for (int n = 0; n < c.batch; ++n) {
          const int label = (n * 7) % c.classes;
          targets.push_back(label);
          const double* row = x.data() + static_cast<std::ptrdiff_t>(n) * c.classes;
          const double peak = *std::max_element(row, row + c.classes);
          double sum = 0;
          for (int k = 0; k < c.classes; ++k) sum += std::exp(row[k] - peak);
          loss += (std::log(sum) - (row[label] - peak)) / c.batch;
          for (int k = 0; k < c.classes; ++k) {
            const auto i = static_cast<std::size_t>(n) * static_cast<std::size_t>(c.classes) +
                           static_cast<std::size_t>(k);
            dx[i] = (std::exp(row[k] - peak) / sum - (k == label ? 1 : 0)) * kScale / c.batch +
                    (adds ? earlier[i] : 0);
          }
        }
        bench.run(x, targets, kScale, earlier);
        expect_loss(bench, loss);
        expect_close(bench.gradient(), dx, 2 * format.tolerance(), "gradient");
      }
    }
  }
}

TEST_F(LossTest, ATargetThatIsNoClassMakesTheLossNaN) {
  for (const double target : {-1.0, 4.0, std::nan("")}) {
    LossBench bench(kFormats[0], LayerKind::softmax, 2, 4);
    bench.run(draw(8, 1, Element::fp32), {0, target}, 1, {});
    EXPECT_TRUE(std::isnan(bench.losses()[kStep % kLossSlots]));
  }
}

TEST_F(LossTest, SquaredError) {
  for (const Format format : kFormats) {
    for (const int batch : {1, 5, 700}) {
      SCOPED_TRACE(format.name() + ", " + std::to_string(batch));
      LossBench bench(format, LayerKind::squared_error, batch, 1);
      const Numbers x = draw(batch, 81, format.element);
      const Numbers targets = draw(batch, 82, Element::fp32);
      Numbers dx(x.size());
      double loss = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        loss += (x[i] - targets[i]) * (x[i] - targets[i]) / (2 * batch);
        dx[i] = (x[i] - targets[i]) * 3 / batch;
      }
      bench.run(x, targets, 3, {});
      expect_loss(bench, loss);
      expect_close(bench.gradient(), dx, format.tolerance(), "gradient");
    }
  }
}

TEST_F(LossTest, ASquaredErrorIsOfOneValueAnItem) {
  LossBench bench(kFormats[0], LayerKind::squared_error, 2, 4);
  EXPECT_THROW(make_loss(bench.wiring), Error);
}

}  // namespace
}  // namespace paceline::cuda
