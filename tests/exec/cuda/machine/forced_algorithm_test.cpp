// SPDX-License-Identifier: MIT
// NCCL_ALGO is set for as long as the object lives.
#include "exec/cuda/machine/forced_algorithm.hpp"

#include <string>

#include <gtest/gtest.h>

namespace paceline::cuda {
namespace {

std::string in_environment() {
  const char* const value = std::getenv("NCCL_ALGO");
  return value == nullptr ? "" : value;
}

std::string while_forced(std::optional<NcclAlgorithm> algorithm) {
  const ForcedAlgorithm forced(algorithm);
  return in_environment();
}

TEST(ForcedAlgorithmTest, TheNameIsNcclsAndGoesWithTheObject) {
  unsetenv("NCCL_ALGO");
  EXPECT_EQ(while_forced(NcclAlgorithm::nvls_tree), "NVLSTree");
  EXPECT_EQ(while_forced(NcclAlgorithm::collnet), "CollnetChain");
  EXPECT_EQ(while_forced({}), "");
  EXPECT_EQ(in_environment(), "");
}

TEST(ForcedAlgorithmTest, AUsersOwnWordStays) {
  setenv("NCCL_ALGO", "Ring", 1);
  EXPECT_EQ(while_forced(NcclAlgorithm::tree), "Ring");
  EXPECT_EQ(in_environment(), "Ring");
  unsetenv("NCCL_ALGO");
}

}  // namespace
}  // namespace paceline::cuda
