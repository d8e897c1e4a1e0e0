// SPDX-License-Identifier: MIT
// A pass over memory that comes back, or another launch, changes the table of a step. To accept a
// change: gpu_budget > tests/exec/cuda/budget/resnet50.txt
#include "tests/exec/cuda/budget/step_budget.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace paceline::cuda {
namespace {

std::string golden() {
  std::ifstream file(PACELINE_SOURCE_DIR "/tests/exec/cuda/budget/resnet50.txt");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(StepBudgetTest, OfResNet50IsTheGoldenOne) {
  EXPECT_EQ(table_of(step_budget({})), golden());
}

}  // namespace
}  // namespace paceline::cuda
