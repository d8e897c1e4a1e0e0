// SPDX-License-Identifier: MIT
// A call of NCCL with more bytes never takes less time: on all preset machines, and on two of each.
#include <cmath>

#include <gmock/gmock.h>

#include "experiments/language/yaml.hpp"
#include "sim/nccl/library_call.hpp"

namespace paceline {
namespace {

constexpr double kMost = 8589934592;  // 8 GiB
constexpr Operation kOperations[] = {Operation::all_reduce,     Operation::all_gather,
                                     Operation::reduce_scatter, Operation::broadcast,
                                     Operation::reduce,         Operation::all_to_all};

std::string with(const std::string& name, double bytes, Operation operation) {
  return name + ", " + Value<Operation>::write(operation).text + " of " + print_number(bytes) +
         " B";
}

void expect_no_time_falls(const Machine& machine, const std::string& name) {
  Costs costs;
  costs.dispatchers = Dispatchers::gpu;
  try {
    costs.nccl = nccl_costs(machine, 0);
  } catch (const SpecError&) {
    return;  // links without times of NCCL
  }
  std::vector<int> vertices;
  for (int gpu = 0; gpu < machine.gpu_count(); ++gpu) {
    vertices.push_back(machine.gpu_vertex(gpu));
    if (machine.computers() > 1) costs.computers.push_back(machine.computer_of(gpu));
  }
  if (vertices.size() < 2) return;
  const LibraryModel model(machine, vertices, costs);
  for (const Operation operation : kOperations) {
    Seconds before;
    for (double bytes = 8; bytes <= kMost; bytes *= std::exp2(1.0 / 3)) {
      const Seconds time = model.time_alone(operation, std::floor(bytes));
      ASSERT_GE(time, before * (1 - 1e-12)) << with(name, std::floor(bytes), operation);
      before = time;
    }
  }
}

TEST(CallTimeTest, MoreBytesNeverTakeLessTimeInAComputer) {
  for (const EmbeddedFile& file : embedded_machines()) {
    const std::string name{file.name};
    expect_no_time_falls(load_machine(Tree::scalar(name)), name);
  }
}

TEST(CallTimeTest, MoreBytesNeverTakeLessTimeBetweenComputers) {
  for (const EmbeddedFile& file : embedded_machines()) {
    if (file.name.find("nvl72") != std::string_view::npos) continue;  // 144 GPUs take seconds
    for (const char* link : {"infiniband-ndr", "ethernet-100g", "efa-100g"}) {
      const std::string text =
          "{of: " + std::string(file.name) + ", count: 2, network: " + link + "}";
      expect_no_time_falls(load_machine(parse_yaml("test", text)), text);
    }
  }
}

}  // namespace
}  // namespace paceline
