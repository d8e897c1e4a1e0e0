// SPDX-License-Identifier: MIT
// Machines drawn at random, some with a damaged line: each is drawn and has routes, or is refused
// by errors with a place.
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/drawing.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {
namespace {

using Random = std::mt19937;

std::string one_of(Random& random, const std::vector<std::string>& all) {
  return all[random() % all.size()];
}

/// The links of a tree: sockets in a chain, switches below them, GPUs and cards anywhere; in one of
/// twenty a device is left out. NVLinks join some pairs.
std::string random_links(Random& random, unsigned sockets, unsigned gpus, unsigned switches,
                         unsigned cards) {
  std::vector<std::string> inner;
  std::string text;
  const auto link = [&](const std::string& type, const std::string& from, const std::string& to) {
    text += "  - {type: " + type + ", from: " + from + ", to: [" + to +
            "], count: " + std::to_string(1 + random() % 3) + "}\n";
  };
  const auto add = [&](const char* name, unsigned count, bool above_others) {
    for (unsigned i = 0; i < count; ++i) {
      const std::string device = name + std::to_string(i);
      if (random() % 20 > 0) link("pcie", one_of(random, inner), device);
      if (above_others) inner.push_back(device);
    }
  };
  for (unsigned i = 0; i < sockets; ++i) {
    const std::string socket = "cpu" + std::to_string(i);
    if (i > 0) link("upi", one_of(random, inner), socket);
    inner.push_back(socket);
  }
  add("switch", switches, true);
  add("gpu", gpus, false);
  add("card", cards, false);
  for (unsigned i = 0; i < gpus; ++i) {
    for (unsigned j = 0; j < i; ++j) {
      if (random() % 4 == 0) link("nvlink", "gpu" + std::to_string(j), "gpu" + std::to_string(i));
    }
  }
  return text.empty() ? "links: []\n" : "links:\n" + text;
}

std::string random_machine(Random& random) {
  const auto sockets = static_cast<unsigned>(1 + random() % 4);
  const auto gpus = static_cast<unsigned>(1 + random() % 9);
  const auto switches = static_cast<unsigned>(random() % 4),
             cards = static_cast<unsigned>(random() % 3);
  const auto names = [](const char* kind, const char* name, unsigned count) -> std::string {
    if (count == 0) return "";
    std::string row = std::string("  - {kind: ") + kind + ", names: [";
    for (unsigned i = 0; i < count; ++i) row += (i > 0 ? ", " : "") + (name + std::to_string(i));
    return row + "]}\n";
  };
  const std::string vertices =
      names("pcie-switch", "switch", switches) + names("nic", "card", cards);
  const auto type = [&](const char* kind) {
    return std::string("  ") + kind + ": {kind: " + kind +
           ", bandwidth: " + one_of(random, {"1 kB/s", "16 GB/s", "900 GB/s"}) +
           ", efficiency: " + one_of(random, {"1 %", "80 %", "100 %"}) +
           ", latency: " + one_of(random, {"0 us", "1 us", "1 s"}) + ", source: drawn}\n";
  };
  return "gpus:\n  - {model: " + one_of(random, {"k80", "p100-sxm2", "h100-sxm5", "mi300x"}) +
         ", count: " + std::to_string(gpus) + "}\nhost: {sockets: " + std::to_string(sockets) +
         ", cores: 8, memory_bandwidth: 50 GB/s}\n" + (vertices.empty() ? "" : "vertices:\n") +
         vertices + "link_types:\n" + type("pcie") + type("upi") + type("nvlink") +
         random_links(random, sockets, gpus, switches, cards);
}

/// Changes a word of the text, or nothing.
std::string damaged(std::string text, Random& random) {
  if (random() % 3 == 0) return text;
  const std::size_t from = random() % text.size();
  const std::size_t begin = text.find_first_of("0123456789{[:,gs", from);
  if (begin >= text.size()) return text.substr(0, from);
  return text.replace(begin, 1,
                      one_of(random, {"-1", "99999999999999999999", "nan", "1e400", "{", "]", "\t",
                                      "\x01", "\xff", "gpu99", "", "&a ", "\n", "'"}));
}

void expect_drawn(const Machine& machine) {
  std::istringstream lines(to_text(machine));
  std::string line;
  EXPECT_TRUE(std::getline(lines, line));
  EXPECT_THAT(to_dot(machine), testing::StartsWith("graph "));
  EXPECT_EQ(matrix_of(machine).rows.size() >= static_cast<std::size_t>(machine.gpu_count()), true);
  for (int a = 0; a < machine.gpu_count(); ++a) {
    for (int b = 0; b < machine.gpu_count(); ++b) {
      if (a == b) continue;
      const Route route = machine.route(machine.gpu_vertex(a), machine.gpu_vertex(b));
      EXPECT_GT(machine.bottleneck(route).value(), 0);
    }
  }
}

TEST(RandomMachines, are_drawn_or_refused_with_a_place) {
  Random random(20261128);
  int drawn = 0;
  constexpr int kMachines = 250;
  for (int i = 0; i < kMachines; ++i) {
    const std::string text = damaged(random_machine(random), random);
    SCOPED_TRACE("machine " + std::to_string(i) + "\n" + text);
    try {
      expect_drawn(load_machine(parse_yaml("m.yaml", text)));
      ++drawn;
    } catch (const SpecError& error) {
      std::istringstream lines(error.what());
      for (std::string line; std::getline(lines, line);) {
        EXPECT_THAT(line, testing::StartsWith("m.yaml:"));
        EXPECT_THAT(line, testing::HasSubstr(": error: "));
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(drawn, kMachines / 4);
  EXPECT_LT(drawn, kMachines);
}

}  // namespace
}  // namespace paceline
