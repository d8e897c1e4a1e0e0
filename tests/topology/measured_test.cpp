// SPDX-License-Identifier: MIT
// The presets against measurements on their machines (rossumai/keras-multi-gpu@07776a8d74,
// bandwidthTest and p2pBandwidthLatencyTest; Dell's manual for NVLink), within 4 % in bandwidth and
// 5 % in latency.
#include <gtest/gtest.h>

#include "topology/machine.hpp"

namespace paceline {
namespace {

struct Measured {
  const char* machine;
  const char* from;
  const char* to;
  double gb_per_s;
  double latency_us;  ///< 0: not measured
};

class Preset : public testing::TestWithParam<Measured> {};

TEST_P(Preset, agrees_with_the_measurement) {
  const Measured& row = GetParam();
  const Machine machine = load_machine(Tree::scalar(row.machine));
  const Route route =
      machine.route(machine.find_vertex(row.from).value(), machine.find_vertex(row.to).value());
  EXPECT_NEAR(machine.bottleneck(route).value() / 1e9, row.gb_per_s, 0.04 * row.gb_per_s);
  if (row.latency_us > 0) {
    EXPECT_NEAR(route.latency().value() * 1e6, row.latency_us, 0.05 * row.latency_us);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Preset,
    testing::Values(Measured{"7gforce", "gpu0", "gpu1", 0.82, 6.81},    // PIX
                    Measured{"7gforce", "gpu3", "gpu5", 0.81, 7.16},    // PIX
                    Measured{"7gforce", "gpu6", "gpu3", 0.82, 6.91},    // PIX, x8 to x1
                    Measured{"7gforce", "gpu0", "gpu4", 0.73, 7.26},    // PHB
                    Measured{"7gforce", "gpu0", "gpu6", 0.73, 7.14},    // PHB
                    Measured{"7gforce", "cpu0", "gpu0", 0.7635, 0},     //
                    Measured{"7gforce", "gpu0", "cpu0", 0.7991, 0},     //
                    Measured{"7gforce", "cpu0", "gpu6", 6.2345, 0},     // x8
                    Measured{"7gforce", "gpu6", "cpu0", 6.4446, 0},     // x8
                    Measured{"az-2x-m60", "gpu0", "gpu1", 5.26, 21.4},  // staged
                    Measured{"az-2x-m60", "cpu0", "gpu0", 6.069, 0},    //
                    Measured{"az-2x-m60", "gpu0", "cpu0", 6.536, 0},    //
                    Measured{"az-4x-m60", "gpu0", "gpu2", 5.28, 16.5},  // staged, one board
                    Measured{"az-4x-m60", "gpu0", "gpu1", 5.86, 16.5},  // staged, two boards
                    Measured{"dgx1-p100", "gpu0", "gpu1", 18.31, 0},    // NVLink
                    Measured{"dgx1-v100", "gpu0", "gpu3", 47.88, 0}));  // two NVLinks

TEST(Presets, both_ways_at_once_share_the_boards_link_on_az) {
  // One half-duplex link is crossed four times, twice by each transfer: measured 5.47 GB/s in
  // total.
  const Machine machine = load_machine(Tree::scalar("az-2x-m60"));
  const int board = machine.route(machine.gpu_vertex(0), machine.host_vertex(0)).links().back();
  const double each = machine.links()[static_cast<std::size_t>(board)].capacity.value() / 4;
  EXPECT_NEAR(2 * each / 1e9, 5.47, 0.04 * 5.47);
}

}  // namespace
}  // namespace paceline
