// SPDX-License-Identifier: MIT
// gpu_budget [--list] [KEY=VALUE...]: the kernels of one training step on a GPU, without a GPU. By
// default of experiments/gpu/resnet50-bf16.yaml, which the keys change: model=vgg16 batch=64.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tests/exec/cuda/budget/step_budget.hpp"

int main(int count, char** arguments) {
  std::vector<std::string> changes(arguments + 1, arguments + count);
  const bool list = !changes.empty() && changes.front() == "--list";
  if (list) changes.erase(changes.begin());
  try {
    const auto step = paceline::cuda::step_budget(changes);
    if (list) std::fputs((list_of(step) + "\n").c_str(), stdout);
    std::fputs(table_of(step).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_budget: %s\n", error.what());
    return 2;
  }
}
