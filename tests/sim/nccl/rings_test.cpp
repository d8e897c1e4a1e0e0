// SPDX-License-Identifier: MIT
// The rings of described machines.
#include "sim/nccl/rings.hpp"

#include <set>

#include <gmock/gmock.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

struct Found {
  NcclRings rings;
  Machine machine;
};

Found rings_of(const std::string& machine_text, int gpus, std::vector<int> computers = {}) {
  Machine machine = load_machine(parse_yaml("test", machine_text));
  std::vector<int> vertices;
  for (int gpu = 0; gpu < gpus; ++gpu) vertices.push_back(machine.gpu_vertex(gpu));
  return {find_nccl_rings(machine, vertices, computers, {}), machine};
}

void expect_cycles(const NcclRings& rings, std::size_t ranks) {
  for (const std::vector<int>& ring : rings.rings) {
    EXPECT_EQ(std::set<int>(ring.begin(), ring.end()).size(), ranks);
    EXPECT_EQ(ring.size(), ranks);
  }
}

TEST(NcclRingsTest, SixRingsOfOneNvlinkEachThroughTheCubeOfADgx1) {
  // of the six NVLinks of a V100, four lie on rings of doubled links and two on single ones
  const Found found = rings_of("dgx1-v100", 8);
  EXPECT_EQ(found.rings.rings.size(), 6U);
  expect_cycles(found.rings, 8);
  EXPECT_NEAR(found.rings.bandwidth.value(), 6 * 23.94e9, 1e6);
}

TEST(NcclRingsTest, FourRingsThroughAQuadOfADgx1) {
  const Found found = rings_of("dgx1-v100", 4);
  EXPECT_EQ(found.rings.rings.size(), 4U);
  EXPECT_NEAR(found.rings.bandwidth.value(), 4 * 23.94e9, 1e6);
}

TEST(NcclRingsTest, OneRingFillsTheLinksToASwitch) {
  const Found found = rings_of("dgx-a100", 8);
  EXPECT_EQ(found.rings.rings.size(), 1U);
  EXPECT_NEAR(found.rings.bandwidth.value(), 12 * 23.94e9, 1e6);
}

TEST(NcclRingsTest, ManyGpusOnPcieShareTheirSlots) {
  const Found found = rings_of("p2-8xlarge-k80", 8);
  expect_cycles(found.rings, 8);
  EXPECT_GT(found.rings.bandwidth.value(), 1e9);
}

TEST(NcclRingsTest, RingsLeaveAComputerByItsDifferentCards) {
  const Found found = rings_of("{of: dgx-a100, count: 2, network: infiniband-hdr}", 16,
                               {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1});
  expect_cycles(found.rings, 16);
  EXPECT_EQ(found.rings.rings.size(), 8U);
  std::set<int> entries;
  for (const std::vector<int>& ring : found.rings.rings) entries.insert(ring[8]);
  EXPECT_EQ(entries.size(), 8U);
}

constexpr double kConnection = 2.15e9;  // topology/links/ethernet-100g.yaml
const std::vector<int> kTwoOfEight{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

TEST(NcclRingsTest, RingsBetweenComputersFillAllCards) {
  const double hdr = 25e9 * 0.97, ndr = 50e9 * 0.97;
  const auto bandwidth = [](const std::string& text, const std::vector<int>& computers) {
    const int gpus = static_cast<int>(computers.size());
    return rings_of(text, gpus, computers).rings.bandwidth.value();
  };
  EXPECT_NEAR(bandwidth("{of: dgx-a100, count: 2, network: infiniband-hdr}", kTwoOfEight), 8 * hdr,
              1e3);
  EXPECT_NEAR(bandwidth("{of: dgx-a100, count: 2, network: {link: infiniband-hdr, kind: rails}}",
                        kTwoOfEight),
              8 * hdr, 1e3);
  EXPECT_NEAR(bandwidth("{of: dgx-h100, count: 2, network: infiniband-ndr}", kTwoOfEight), 8 * ndr,
              1e3);
  EXPECT_NEAR(
      bandwidth("{of: xe8545-a100, count: 2, network: infiniband-hdr}", {0, 0, 0, 0, 1, 1, 1, 1}),
      2 * hdr, 1e3)
      << "six rings, three by each of two cards";
}

TEST(NcclRingsTest, TcpHasTwoChannelsForEachCardAndTheirSockets) {
  const std::vector<int> computers = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const Found one = rings_of("{of: dgx1-p100, count: 2, network: {link: ethernet-100g, cards: 1}}",
                             16, computers);
  expect_cycles(one.rings, 16);
  EXPECT_EQ(one.rings.rings.size(), 2U);
  EXPECT_DOUBLE_EQ(one.rings.bandwidth.value(), 2 * kConnection);  // not the card's 11.8 GB/s
  const Found sockets = rings_of(
      "{of: dgx1-p100, count: 2, network: {link: {of: ethernet-100g, sockets: 2}, cards: 1}}", 16,
      computers);
  EXPECT_DOUBLE_EQ(sockets.rings.bandwidth.value(), 4 * kConnection);
  const Found many = rings_of(
      "{of: dgx1-p100, count: 2, network: {link: {of: ethernet-100g, sockets: 16}, cards: 1}}", 16,
      computers);
  EXPECT_NEAR(many.rings.bandwidth.value(), 12.5e9 * 0.941, 1e3) << "the card";
  // copies over TCP pass the memory of a socket, and leave by the cards nearest to the GPUs
  const Found two =
      rings_of("{of: dgx1-p100, count: 2, network: {link: ethernet-25g, cards: 3}}", 16, computers);
  EXPECT_EQ(two.rings.rings.size(), 6U);
  EXPECT_NEAR(two.rings.bandwidth.value(), 3 * 3.125e9 * 0.941, 1e3)
      << "two connections fill a card of 25 Gbit/s";
  const Found fills = rings_of("{of: dgx1-p100, count: 2, network: ethernet-10g}", 16, computers);
  EXPECT_GE(fills.rings.rings.size(), 8U) << "a connection fills a card of 10 Gbit/s";
}

}  // namespace
}  // namespace paceline
