// SPDX-License-Identifier: MIT
// Operations that cuDNN fuses with a convolution, compared with a reference and with our own
// kernels after the convolution.
#include <gmock/gmock.h>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/toolbox.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/convolution_rig.hpp"

namespace paceline::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Case = ConvolutionCase;
using Rig = ConvolutionRig;

/// Their channels fill 16 bytes; with and without a stride and one-sided padding.
std::vector<Layer> wide_layers() {
  return {layers()[0], layers()[1], layers()[3]};
}

Case bf16(const Layer& layer) {
  return {Precision::bf16, Layout::nhwc, layer, false, false};
}

class FusedConvolutionTest : public DeviceTest {
 protected:
  /// Ready to run.
  static std::unique_ptr<Operation> make(Toolbox& tools, Rig& rig) {
    auto operation = make_convolution(tools, rig.wiring);
    rig.prepare(*operation);
    return operation;
  }

  /// Makes the choice for a pass in advance.
  static void choose(AlgorithmCache& cache, const Case& c, Propagation pass,
                     const std::string& choice, bool sums = false) {
    ConvolutionProblem problem;
    problem.pass = pass;
    problem.precision = c.precision;
    problem.layout = c.layout;
    problem.batch = Rig::kBatch;
    problem.image = c.layer.in;
    problem.map = c.layer.out;
    problem.kernel_height = c.layer.kernel_height;
    problem.kernel_width = c.layer.kernel_width;
    problem.stride = c.layer.stride;
    problem.padding = {c.layer.pad_top, c.layer.pad_bottom, c.layer.pad_left, c.layer.pad_right};
    problem.adds = pass == Propagation::data_gradient && c.adds;
    problem.bias = pass == Propagation::forward && c.layer.bias;
    problem.relu = pass == Propagation::forward && c.relu;
    problem.sums = sums;
    cache.put(text_of(problem), choice);
  }

  /// The choices of the emulation that do all in one.
  static constexpr const char* kFused = "fused engine 0 2=1";
  std::mt19937 random_{3};
};

TEST_F(FusedConvolutionTest, ComputesAsApart) {
  if (!limit_fusion(false)) GTEST_SKIP() << "the engines of this library are not known";
  const DeviceStream stream;
  for (const Layer& layer : wide_layers()) {
    for (const Precision precision : {Precision::tf32, Precision::fp16, Precision::bf16}) {
      for (const int parts : {1, 2, 3, 4}) {
        Case c{precision, Layout::nhwc, layer, parts == 1, (parts & 2) != 0};
        c.layer.bias = parts >= 3;
        SCOPED_TRACE(text_of(c));
        AlgorithmCache cache({});
        Toolbox tools(stream.get(), cache);
        choose(cache, c, c.adds ? Propagation::data_gradient : Propagation::forward, kFused);
        Rig rig(c, random_);
        const auto fused = make(tools, rig);
        EXPECT_THAT(fused->algorithms(), HasSubstr(kFused));
        check_against_reference(c, rig, *fused, stream.get());
        const Numbers y = rig.y.get(), dx = rig.dx.get();

        limit_fusion(true);
        AlgorithmCache other({});
        Toolbox others(stream.get(), other);
        const auto apart = make(others, rig);
        EXPECT_THAT(apart->algorithms(), Not(HasSubstr("fused")));
        check_against_reference(c, rig, *apart, stream.get());
        EXPECT_LT(relative_error(rig.y.get(), y), tolerance(precision));
        EXPECT_LT(relative_error(rig.dx.get(), dx), 2 * tolerance(precision));
        limit_fusion(false);
      }
    }
  }
}

TEST_F(FusedConvolutionTest, AddsBeforeItRounds) {
  if (!limit_fusion(false)) GTEST_SKIP() << "the engines of this library are not known";
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  Case c = bf16(layers()[1]);
  c.adds = true;
  choose(cache, c, Propagation::data_gradient, kFused);
  Rig rig(c, random_);
  const auto operation = make(tools, rig);
  operation->forward(stream.get());
  operation->backward(stream.get());
  Numbers dx = ConvolutionReference{c.layer, Rig::kBatch}.data_gradient(rig.ws, rig.dys);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    dx[i] = rounded_number(dx[i] + rig.dxs[i], Element::bf16);
  }
  const Numbers found = rig.dx.get();
  std::size_t different = 0;  // sums of fp32 near the middle of two numbers
  for (std::size_t i = 0; i < dx.size(); ++i) different += found[i] != dx[i] ? 1 : 0;
  EXPECT_LT(different, dx.size() / 100);
}

TEST_F(FusedConvolutionTest, SumsItsOutput) {
  if (!limit_fusion(false)) GTEST_SKIP() << "the engines of this library are not known";
  const DeviceStream stream;
  for (const Layer& layer : wide_layers()) {
    for (const Precision precision : {Precision::fp16, Precision::bf16}) {
      const Case c{precision, Layout::nhwc, layer, false, false};
      SCOPED_TRACE(text_of(c));
      AlgorithmCache cache({});
      Toolbox tools(stream.get(), cache);
      choose(cache, c, Propagation::forward, kFused, true);
      Rig rig(c, random_);
      const int channels = layer.out.channels;
      rig.wiring.sums = std::make_shared<ChannelSums>(channels);
      const auto operation = make(tools, rig);
      EXPECT_TRUE(rig.wiring.sums->written);
      check_against_reference(c, rig, *operation, stream.get());
      std::vector<float> sums(2 * static_cast<std::size_t>(channels));
      copy_now(sums.data(), rig.wiring.sums->data(), sums.size() * sizeof(float), "reading sums");
      Numbers expected(sums.size());
      const Numbers y = rig.y.get();
      const auto pixels = static_cast<std::size_t>(layer.out.height * layer.out.width);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t channel = i / pixels % static_cast<std::size_t>(channels);
        expected[channel] += y[i];
        expected[channel + static_cast<std::size_t>(channels)] += y[i] * y[i];
      }
      EXPECT_LT(relative_error({sums.begin(), sums.end()}, expected), tolerance(precision));
    }
  }
}

// without such a kernel, and in fp32 and channel by channel, the batch norm sums
TEST_F(FusedConvolutionTest, SaysThatItDoesNotSum) {
  if (!limit_fusion(true)) GTEST_SKIP() << "this library cannot be limited";
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  const auto sums = [&](const Case& c) {
    Rig rig(c, random_);
    rig.wiring.sums = std::make_shared<ChannelSums>(c.layer.out.channels);
    const auto operation = make(tools, rig);
    check_against_reference(c, rig, *operation, stream.get());
    return rig.wiring.sums->written;
  };
  EXPECT_FALSE(sums(bf16(layers()[0])));
  limit_fusion(false);
  EXPECT_FALSE(sums({Precision::fp32, Layout::nhwc, layers()[0], false, false}));
  EXPECT_FALSE(sums({Precision::fp16, Layout::nchw, layers()[0], false, false}));
  EXPECT_FALSE(sums({Precision::fp16, Layout::nhwc, layers()[2], false, false}));  // 3 channels
}

// that there is no kernel is remembered with the other choice
TEST_F(FusedConvolutionTest, RemembersThatItIsApart) {
  if (!limit_fusion(true)) GTEST_SKIP() << "this library cannot be limited";
  const DeviceStream stream;
  AlgorithmCache cache({});
  Toolbox tools(stream.get(), cache);
  Case c = bf16(layers()[0]);
  c.adds = c.relu = c.layer.bias = true;
  Rig rig(c, random_);
  const auto first = make(tools, rig);
  EXPECT_EQ(cache.choices_made(), 3);
  limit_fusion(false);
  Toolbox again(stream.get(), cache);
  const auto second = make(again, rig);
  EXPECT_EQ(cache.choices_made(), 3);
  EXPECT_EQ(second->algorithms(), first->algorithms());
  EXPECT_THAT(second->algorithms(), Not(HasSubstr("fused")));
  check_against_reference(c, rig, *second, stream.get());
}

// an entry for a kernel that is gone, that varies, or that sums too coarsely is timed again
TEST_F(FusedConvolutionTest, AnEntryThatDoesNotFitIsTimedAgain) {
  if (!limit_fusion(false)) GTEST_SKIP() << "the engines of this library are not known";
  const DeviceStream stream;
  Case c = bf16(layers()[0]);
  c.relu = c.layer.bias = true;
  for (const std::string entry : {"fused engine 1 2=1", "fused engine 2 2=1", "fused engine 3",
                                  "fused engine 0 2=9", "fused engine", "fused"}) {
    SCOPED_TRACE(entry);
    AlgorithmCache cache({});
    Toolbox tools(stream.get(), cache);
    choose(cache, c, Propagation::forward, entry);
    Rig rig(c, random_);
    const auto operation = make(tools, rig);
    EXPECT_EQ(cache.choices_made(), 4);
    EXPECT_THAT(operation->algorithms(), Not(HasSubstr(entry + ";")));
    check_against_reference(c, rig, *operation, stream.get());
  }
}

}  // namespace
}  // namespace paceline::cuda
