// SPDX-License-Identifier: MIT
// The places of roles, for every kind of machine and every placement of servers.
#include "training/workload/placement.hpp"

#include <gmock/gmock.h>

#include "experiments/language/yaml.hpp"
#include "topology/machine_spec.hpp"

namespace paceline {
namespace {

using ::testing::ElementsAre;
using Device = Place::Device;

constexpr DevicePool kGpus{.gpus = true, .sockets = 2, .cores = 8};
constexpr DevicePool kThreads{.gpus = false, .sockets = 1, .cores = 2};

Devices split_card(int gpu) {
  Devices devices;
  devices.gpu = gpu;
  devices.virtual_gpus = 4;
  devices.split = Split::green;
  return devices;
}

TEST(Placement, EveryWorkerHasItsOwnGpuAndServersTakeTheSocketsInTurn) {
  const Placement placed = place_roles(2, 3, ServerPlacement::cpu, {}, kGpus);
  EXPECT_THAT(placed.roles,
              ElementsAre(Place{Device::gpu, 0}, Place{Device::gpu, 1}, Place{Device::socket, 0},
                          Place{Device::socket, 1}, Place{Device::socket, 0}));
  EXPECT_FALSE(placed.shared_card);
}

TEST(Placement, ServersOnGpusAreOnTheWorkers) {
  EXPECT_EQ(place_roles(4, 1, ServerPlacement::gpu, {}, kGpus).of(4), (Place{Device::gpu, 0}));
  const Placement sharded = place_roles(3, 3, ServerPlacement::sharded_gpus, {}, kGpus);
  for (int worker = 0; worker < 3; ++worker) EXPECT_EQ(sharded.of(3 + worker), sharded.of(worker));
}

TEST(Placement, WorkersOfASplitCardHaveAGroupEachAndTheServerTheRest) {
  const Placement placed = place_roles(2, 1, ServerPlacement::gpu, split_card(5), kGpus);
  EXPECT_EQ(placed.shared_card, 5);
  EXPECT_THAT(placed.roles, ElementsAre(Place{Device::gpu, 5, 0}, Place{Device::gpu, 5, 1},
                                        Place{Device::gpu, 5, Place::kServers}));
  const Placement sharded = place_roles(2, 2, ServerPlacement::sharded_gpus, split_card(5), kGpus);
  EXPECT_EQ(sharded.of(3), (Place{Device::gpu, 5, 1})) << "with the worker of its number";
  EXPECT_EQ(place_roles(2, 1, ServerPlacement::cpu, split_card(5), kGpus).of(2),
            (Place{Device::socket, 0}));
}

TEST(Placement, StreamsShareTheWholeCard) {
  Devices devices = split_card(0);
  devices.split = Split::streams;
  EXPECT_EQ(place_roles(2, 0, ServerPlacement::cpu, devices, kGpus).of(1), (Place{Device::gpu, 0}));
}

TEST(Placement, WithoutGpusWorkersTakeTheCoresInTurn) {
  const Placement placed = place_roles(3, 1, ServerPlacement::gpu, {}, kThreads);
  EXPECT_THAT(placed.roles, ElementsAre(Place{Device::core, 0}, Place{Device::core, 1},
                                        Place{Device::core, 0}, Place{Device::socket, 0}));
}

TEST(Placement, VerticesAreThoseOfTheMachinesGraph) {
  const Machine machine = load_machine(Tree::scalar("dgx1-p100"));
  const Placement placed = place_roles(2, 2, ServerPlacement::cpu, {}, kGpus);
  EXPECT_THAT(vertices_of(placed, machine),
              ElementsAre(machine.gpu_vertex(0), machine.gpu_vertex(1), machine.host_vertex(0),
                          machine.host_vertex(1)));
  EXPECT_THAT(vertices_of(place_roles(2, 1, ServerPlacement::cpu, {}, kThreads), ideal(2)),
              ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace paceline
