// SPDX-License-Identifier: MIT
// NCCL's model against published curves of nccl-tests, and against hand computation.
#include "sim/nccl/library_call.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/sim/devices/star.hpp"

namespace paceline {
namespace {

struct Group {
  Operation operation;
  int gpus;
  auto operator<=>(const Group&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Group& group) {
  return out << Value<Operation>::write(group.operation).text << " on " << group.gpus;
}
struct Errors {
  double typical = 0;  ///< geometric mean of max(predicted, measured) / min, less 1
  double p95 = 0;
};

std::vector<int> gpus_of(const Machine& machine, int count) {
  std::vector<int> vertices;
  for (int gpu = 0; gpu < count; ++gpu) vertices.push_back(machine.gpu_vertex(gpu));
  return vertices;
}

/// The simulated time of one call on the machine's first GPUs, in microseconds.
double simulated(const Machine& machine, const Costs& costs, const Group& group, double bytes) {
  std::vector<Program> ranks;
  for (RoleId me = 0; me < group.gpus; ++me) {
    ranks.push_back([=](Backend& backend) -> Task<> {
      const Token done =
          backend.collective({me, StreamKind::push}, {{0, 1, bytes}, group.gpus, group.operation});
      co_await backend.finished(me, done);
    });
  }
  return run(machine, costs, ranks) * 1e6;
}

/// The errors by operation and number of GPUs on all rows of a curve.
std::map<Group, Errors> errors_on(const std::string& preset, const std::string& curves) {
  const Machine machine = load_machine(Tree::scalar(preset));
  Costs costs = four_layers();
  costs.dispatchers = Dispatchers::gpu;  // nccl-tests with a process for each GPU
  costs.nccl = nccl_costs(machine, 0);
  std::map<Group, std::vector<double>> logs;
  std::map<std::pair<Group, double>, double> known;
  std::ifstream file(PACELINE_SOURCE_DIR "/tests/sim/nccl/curves/" + curves);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#') || line.starts_with("nccl,")) continue;
    std::istringstream row(line);
    std::string nccl, operation, type, gpus, bytes, us;
    for (std::string* field : {&nccl, &operation, &type, &gpus, &bytes, &us}) {
      std::getline(row, *field, ',');
    }
    // NVLS sums floating-point numbers only, and the model's gradients are such
    if (type == "int8" && operation == "all-reduce" && curves == "h100.csv") continue;
    Diagnostics none;
    Group group{Operation::all_reduce, std::stoi(gpus)};
    EXPECT_TRUE(Value<Operation>::read(group.operation, Tree::scalar(operation), none));
    auto [entry, fresh] = known.try_emplace({group, std::stod(bytes)}, 0);
    if (fresh) entry->second = simulated(machine, costs, group, std::stod(bytes));
    logs[group].push_back(std::abs(std::log(entry->second / std::stod(us))));
  }
  std::map<Group, Errors> errors;
  for (auto& [group, all] : logs) {
    std::ranges::sort(all);
    double sum = 0;
    for (const double log : all) sum += log;
    errors[group] = {std::expm1(sum / static_cast<double>(all.size())),
                     std::expm1(all[all.size() * 95 / 100])};
  }
  return errors;
}

/// All-to-all has bars of its own.
void expect_within(const std::map<Group, Errors>& errors, double typical, double p95,
                   double of_pairs, double p95_of_pairs) {
  for (const auto& [group, error] : errors) {
    const bool pairs = group.operation == Operation::all_to_all;
    EXPECT_LT(error.typical, pairs ? of_pairs : typical) << group;
    EXPECT_LT(error.p95, pairs ? p95_of_pairs : p95) << group;
  }
}

TEST(LibraryCallTest, CurvesOfV100AreMet) {
  const auto errors = errors_on("dgx1-v100", "v100.csv");
  ASSERT_EQ(errors.size(), 3U);
  expect_within(errors, 0.06, 0.06, 0, 0);
}

TEST(LibraryCallTest, CurvesOfA100AreMet) {
  const auto errors = errors_on("dgx-a100", "a100.csv");
  ASSERT_EQ(errors.size(), 12U);
  expect_within(errors, 0.06, 0.17, 0.125, 0.35);
}

TEST(LibraryCallTest, CurvesOfH100AreMet) {
  // the versions of NCCL in this table differ from each other by up to 25 % at small sizes
  const auto errors = errors_on("dgx-h100", "h100.csv");
  ASSERT_EQ(errors.size(), 12U);
  expect_within(errors, 0.10, 0.25, 0.17, 0.65);
}

TEST(LibraryCallTest, CurvesOfMi300xAreMet) {
  // sizes of 128 B to 512 B take 10 us longer than 1 KiB in this table
  const auto errors = errors_on("8xmi300x", "mi300x.csv");
  ASSERT_EQ(errors.size(), 1U);
  expect_within(errors, 0.12, 0.55, 0, 0);
}

/// Figures that allow of computation by hand: nothing but bytes takes time, and 80 % of the links.
Costs by_hand(const Machine& machine) {
  Costs costs = four_layers();
  costs.nccl = nccl_costs(machine, 0);
  NcclConstants& inside = costs.nccl->inside;
  inside.start = inside.step = inside.simple_start = inside.simple_step = {};
  inside.full_channel = 1;
  inside.last_step = 0;
  inside.ll128 = Percent{0.5};
  inside.efficiency = Percent{0.8};
  NcclNetworkConstants& between = costs.nccl->between;
  between.step = between.ll128_step = between.simple_step = {};
  between.efficiency = Percent{0.8};
  between.fill = 0;
  return costs;
}

TEST(LibraryCallTest, ARingOfSimpleCarriesEachPartTwiceLessItself) {
  const Machine machine = load_machine(Tree::scalar("dgx-a100"));
  const Costs costs = by_hand(machine);
  const LibraryModel model(machine, gpus_of(machine, 8), costs);
  const NcclChoice chosen = model.choice(Operation::all_reduce, 1e9);
  EXPECT_EQ(chosen.algorithm, NcclAlgorithm::ring);
  EXPECT_EQ(chosen.protocol, NcclProtocol::simple);
  const LibraryCall call = model.call(Operation::all_reduce, 1e9);
  ASSERT_EQ(call.flows.size(), 8U);
  EXPECT_NEAR(call.flows[0].bytes, 1e9 * 14 / 8 / 0.8, 1);
  // 24 channels, each on one of 108 multiprocessors
  EXPECT_NEAR(call.occupied.fraction, 24.0 / 108, 1e-12);
}

TEST(LibraryCallTest, AShortCallUsesFlagsAndOneChannel) {
  const Machine machine = load_machine(Tree::scalar("dgx-a100"));
  const Costs costs = by_hand(machine);
  const LibraryModel model(machine, gpus_of(machine, 8), costs);
  EXPECT_EQ(model.choice(Operation::all_reduce, 8192).protocol, NcclProtocol::ll);
  const LibraryCall call = model.call(Operation::all_reduce, 8192);
  EXPECT_NEAR(call.flows[0].bytes, 15 * 1024 / 0.4, 1e-6);  // half are flags; no overlap at the end
  EXPECT_NEAR(call.occupied.fraction, 1.0 / 108, 1e-12);
}

TEST(LibraryCallTest, SwitchesSumOnlyWhereTheyCan) {
  const auto chosen = [](const char* preset, int gpus) {
    const Machine machine = load_machine(Tree::scalar(preset));
    const Costs costs = by_hand(machine);
    return LibraryModel(machine, gpus_of(machine, gpus), costs)
        .choice(Operation::all_reduce, 1e9)
        .algorithm;
  };
  EXPECT_EQ(chosen("dgx-h100", 8), NcclAlgorithm::nvls);
  EXPECT_EQ(chosen("dgx-h100", 4), NcclAlgorithm::ring);
  EXPECT_EQ(chosen("dgx-a100", 8), NcclAlgorithm::ring);
}

TEST(LibraryCallTest, ABroadcastDoesNotReturnToItsRoot) {
  const Machine machine = load_machine(Tree::scalar("dgx-a100"));
  const Costs costs = by_hand(machine);
  const LibraryModel model(machine, gpus_of(machine, 4), costs);
  const LibraryCall call = model.call(Operation::broadcast, 1e9);
  ASSERT_EQ(call.flows.size(), 3U);
  for (const LibraryFlow& flow : call.flows) EXPECT_NE(flow.to, 0);
}

}  // namespace
}  // namespace paceline
