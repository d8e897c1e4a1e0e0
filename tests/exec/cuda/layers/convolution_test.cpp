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
#include "tests/exec/cuda/layers/convolution_rig.hpp"

namespace paceline::cuda {
namespace {

using Case = ConvolutionCase;
using Rig = ConvolutionRig;

class ConvolutionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    folder_ = std::filesystem::path(testing::TempDir()) / ("conv_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

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
    const auto second = make_convolution(tools, rig.wiring);
    EXPECT_EQ(cache.choices_made(), 0);  // threads search for algorithms first
    EXPECT_EQ(first->algorithms(), second->algorithms());
    EXPECT_EQ(cache.choices_made(), 3);
    algorithms = first->algorithms();
    EXPECT_THAT(algorithms,
                testing::MatchesRegex("forward: (graph|legacy) .*; weight gradient: (graph|legacy) "
                                      ".*; data gradient: (graph|legacy|fused) .*"));
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
    rig.prepare(*operation);
    EXPECT_EQ(cache.choices_made(), 6);
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
