// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/numerical_notes.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace paceline::cuda {
namespace {

using Notes = std::vector<cudnnBackendNumericalNote_t>;

TEST(NumericalNotes, AnEngineThatDoesNotRepeatIsLeftOutWhereItHasTo) {
  const Notes atomics{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
  EXPECT_TRUE(permits(atomics, Precision::bf16, false));
  EXPECT_FALSE(permits(atomics, Precision::bf16, true));
  const Notes ordered{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_WINOGRAD};
  EXPECT_TRUE(permits(ordered, Precision::bf16, true));
  EXPECT_TRUE(permits(Notes{}, Precision::fp32, true));
}

TEST(NumericalNotes, AnEngineHasThePrecisionsAccuracy) {
  const Notes cores{CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
  EXPECT_FALSE(permits(cores, Precision::fp32, false));
  EXPECT_TRUE(permits(cores, Precision::tf32, false));
  const Notes down{CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS};
  EXPECT_FALSE(permits(down, Precision::tf32, false));
  EXPECT_TRUE(permits(down, Precision::fp16, false));
  const Notes reduced{CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION};
  EXPECT_FALSE(permits(reduced, Precision::fp16, false));
}

}  // namespace
}  // namespace paceline::cuda
