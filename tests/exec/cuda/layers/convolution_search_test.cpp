// SPDX-License-Identifier: MIT
// Algorithms are sought ahead, on threads, once for each problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/convolution/candidates.hpp"
#include "exec/cuda/layers/convolution/search.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

class ConvolutionSearchTest : public DeviceTest {
 protected:
  /// 4 images of 8 x 6 x 6.
  static ConvolutionProblem problem(int maps) {
    ConvolutionProblem problem;
    problem.batch = 4;
    problem.image = {8, 6, 6};
    problem.map = {maps, 6, 6};
    problem.kernel_height = problem.kernel_width = 3;
    problem.padding = {1, 1, 1, 1};
    return problem;
  }
};

std::vector<std::string> texts_of(const ConvolutionAlgorithms& algorithms) {
  std::vector<std::string> texts;
  for (const auto& algorithm : algorithms) texts.push_back(algorithm->text());
  return texts;
}

TEST_F(ConvolutionSearchTest, FindsTheCandidatesInTheirOrderOncePerProblem) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  const Toolbox tools(stream.get(), cache);
  std::vector<std::shared_ptr<ConvolutionSearch::Found>> found;
  for (int maps = 8; maps <= 96; maps += 8) {
    found.push_back(tools.convolutions().begin(problem(maps), text_of(problem(maps))));
    EXPECT_EQ(tools.convolutions().begin(problem(maps), text_of(problem(maps))), found.back());
  }
  tools.convolutions().wait();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ConvolutionSearch::Candidates candidates = found[i]->candidates.get();
    const auto expected = candidates_for(tools, problem(8 * (static_cast<int>(i) + 1)));
    EXPECT_FALSE(candidates.known);
    EXPECT_THAT(texts_of(candidates.all), testing::ContainerEq(texts_of(expected)));
  }
}

TEST_F(ConvolutionSearchTest, TheChoiceOfTheCacheIsTheOnlyCandidate) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  const Toolbox tools(stream.get(), cache);
  const std::string last = texts_of(candidates_for(tools, problem(16))).back();
  cache.put("kept", last);
  cache.put("damaged", "no such engine");
  const auto kept = tools.convolutions().begin(problem(16), "kept");
  const auto damaged = tools.convolutions().begin(problem(16), "damaged");
  const ConvolutionSearch::Candidates one = kept->candidates.get();
  EXPECT_TRUE(one.known);
  EXPECT_THAT(texts_of(one.all), testing::ElementsAre(last));
  const ConvolutionSearch::Candidates all = damaged->candidates.get();
  EXPECT_FALSE(all.known);
  EXPECT_GT(all.all.size(), 1U);
}

TEST_F(ConvolutionSearchTest, MayEndBeforeAllIsFound) {
  const DeviceStream stream;
  AlgorithmCache cache({});
  const Toolbox tools(stream.get(), cache);
  for (int maps = 8; maps <= 800; maps += 8) {
    tools.convolutions().begin(problem(maps), text_of(problem(maps)));
  }
}

}  // namespace
}  // namespace paceline::cuda
