// SPDX-License-Identifier: MIT
// The sizes at which NCCL changes its algorithm or protocol, where published curves of nccl-tests
// jump (tests/sim/nccl/curves/a100.csv, h100.csv).
#include "sim/nccl/tuner.hpp"

#include <gmock/gmock.h>

namespace paceline {
namespace {

constexpr double kMiB = 1048576;

NcclRanks a100(int ranks) {
  return {.ranks = ranks,
          .bandwidth = 240,
          .channels = 24,
          .generation = 1,
          .nvlink = true,
          .ll128 = true,
          .nvswitch = true};
}

NcclRanks h100(int ranks) {
  return {.ranks = ranks,
          .bandwidth = 370.8,
          .channels = 32,
          .generation = 2,
          .nvlink = true,
          .ll128 = true,
          .nvswitch = true};
}

NcclProtocol protocol(const NcclRanks& ranks, Operation operation, double bytes) {
  return nccl_choice(ranks, operation, bytes).protocol;
}

TEST(NcclTunerTest, TwoA100LeaveFlagsBetweenHalfAMebibyteAndTwo) {
  EXPECT_EQ(protocol(a100(2), Operation::all_reduce, kMiB / 2), NcclProtocol::ll);
  EXPECT_EQ(protocol(a100(2), Operation::all_reduce, kMiB), NcclProtocol::simple);
  EXPECT_EQ(protocol(a100(2), Operation::all_gather, kMiB), NcclProtocol::ll);
  EXPECT_EQ(protocol(a100(2), Operation::all_gather, 2 * kMiB), NcclProtocol::simple);
  EXPECT_EQ(protocol(a100(4), Operation::reduce_scatter, kMiB), NcclProtocol::ll);
  EXPECT_EQ(protocol(a100(4), Operation::reduce_scatter, 2 * kMiB), NcclProtocol::simple);
}

TEST(NcclTunerTest, ManyStepsAreWorthLl128) {
  EXPECT_EQ(protocol(a100(8), Operation::all_reduce, 8 * kMiB), NcclProtocol::ll128);
  EXPECT_EQ(protocol(a100(8), Operation::all_reduce, 64 * kMiB), NcclProtocol::simple);
  NcclRanks without = a100(8);
  without.ll128 = false;
  EXPECT_NE(protocol(without, Operation::all_reduce, 8 * kMiB), NcclProtocol::ll128);
}

TEST(NcclTunerTest, SwitchesSumWhatIsLongEnough) {
  const auto algorithm = [](double bytes) {
    return nccl_choice(h100(8), Operation::all_reduce, bytes).algorithm;
  };
  EXPECT_EQ(algorithm(kMiB / 2), NcclAlgorithm::ring);
  EXPECT_EQ(algorithm(2 * kMiB), NcclAlgorithm::nvls);
  EXPECT_EQ(algorithm(512 * kMiB), NcclAlgorithm::nvls);
  EXPECT_EQ(nccl_choice(h100(8), Operation::all_gather, 512 * kMiB).algorithm, NcclAlgorithm::ring);
}

TEST(NcclTunerTest, ManyComputersAreWorthATree) {
  NcclRanks cluster = a100(256);
  cluster.computers = 32;
  cluster.bandwidth = 100;
  EXPECT_EQ(nccl_choice(cluster, Operation::all_reduce, kMiB).algorithm, NcclAlgorithm::tree);
  EXPECT_EQ(nccl_choice(cluster, Operation::reduce_scatter, kMiB).algorithm, NcclAlgorithm::ring);
}

TEST(NcclTunerTest, PairsSendFlagsUpTo16KibibytesEach) {
  EXPECT_EQ(protocol(a100(4), Operation::all_to_all, 4 * 16384), NcclProtocol::ll);
  EXPECT_EQ(protocol(a100(4), Operation::all_to_all, 4 * 16388), NcclProtocol::simple);
}

}  // namespace
}  // namespace paceline
