// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/budget/step_budget.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string_view>

#include "exec/cuda/cuda_execution.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/value.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/experiment/setting.hpp"

namespace paceline::cuda {
namespace {

using emulation::Kind;
using emulation::ListedWork;

constexpr std::size_t kMemory = std::size_t{80} << 30;  // bytes of the emulated GPU
/// Ranges of layers are launched as graphs from the third step on.
constexpr std::size_t kStep = 4;
constexpr const char* kFirst = "input";  ///< the kernel that begins a step

/// The GPU for which times are predicted; Paceline has not been measured on it.
struct Gpu {
  const char* name;
  double bandwidth;                        ///< bytes/s that large kernels reach
  std::map<std::string, double> products;  ///< flop/s of convolutions at best, by precision
};

// H100 SXM. Bandwidth: 90 % of the data sheet's 3.35 TB/s. Products: 60 % of 600 TFLOP/s, which is
// about the most that public measurements of large dense products show in bf16; tf32 and fp32 in
// proportion to their peaks. MLPerf's fastest ResNet-50 (7,006 images/s on an H100) computes 160
// TFLOP/s over the whole step, so half of that rate is given too.
const Gpu kH100{
    "H100 SXM", 3.0e12, {{"bf16", 360e12}, {"fp16", 360e12}, {"tf32", 180e12}, {"fp32", 36e12}}};
constexpr double kSlower = 0.5;

// PyTorch on one H100 SXM, ResNet-50, channels last, automatic mixed precision, batch 256, as
// public reports have it.
constexpr const char* kPyTorch = "PyTorch, eager, by public reports: 2,700 to 2,800 items/s\n";

bool launches(const ListedWork& work) {
  return work.kind == Kind::kernel || work.kind == Kind::library;
}

double seconds(const ListedWork& work, double products) {
  return std::max(static_cast<double>(work.cost.bytes()) / kH100.bandwidth,
                  static_cast<double>(work.cost.flops) / products);
}

/// The works of one step.
std::vector<ListedWork> step_in(const std::vector<ListedWork>& all) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].cost.name == nullptr) {
      if (launches(all[i]))
        throw std::runtime_error("a launch does not state its cost (LSTMs, compression)");
    } else if (std::string_view(all[i].cost.name) == kFirst) {
      begins.push_back(i);
    }
  }
  if (begins.size() < kStep + 2) throw std::runtime_error("fewer steps than expected");
  const auto first = all.begin();
  return {first + static_cast<std::ptrdiff_t>(begins[kStep]),
          first + static_cast<std::ptrdiff_t>(begins[kStep + 1])};
}

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[160];
  std::snprintf(line, sizeof(line), format, values...);
  return line;
}

struct Row {
  std::string name;
  int launches = 0;
  double read = 0, written = 0, flops = 0, seconds = 0;
};

Row row_of(const ListedWork& work, const std::string& precision) {
  return {work.cost.name,
          1,
          static_cast<double>(work.cost.read),
          static_cast<double>(work.cost.written),
          static_cast<double>(work.cost.flops),
          seconds(work, kH100.products.at(precision))};
}

void add(Row& to, const Row& from) {
  to.launches += from.launches;
  to.read += from.read;
  to.written += from.written;
  to.flops += from.flops;
  to.seconds += from.seconds;
}

std::string line_of(const Row& row) {
  return text("%-32s %6d %9.3f %9.3f %8.3f %8.2f\n", row.name.c_str(), row.launches, row.read / 1e9,
              row.written / 1e9, row.flops / 1e12, row.seconds * 1e3);
}

const char* const kHeading =
    "                               launches   GB read   written    TFLOP       ms\n";

}  // namespace

int StepBudget::kernels() const {
  return static_cast<int>(std::count_if(works.begin(), works.end(), launches));
}

std::int64_t StepBudget::bytes() const {
  std::int64_t sum = 0;
  for (const ListedWork& work : works) sum += work.cost.bytes();
  return sum;
}

std::int64_t StepBudget::flops() const {
  std::int64_t sum = 0;
  for (const ListedWork& work : works) sum += work.cost.flops;
  return sum;
}

StepBudget step_budget(const std::vector<std::string>& changes) {
  std::vector<std::string> overrides{"warmup=2", "steps=8", "repeats=1"};
  overrides.insert(overrides.end(), changes.begin(), changes.end());
  const ExperimentFile file =
      load_experiment_file(PACELINE_SOURCE_DIR "/experiments/gpu/resnet50-bf16.yaml", overrides);
  const Setting setting = make_setting(file.points.front());
  emulation::restart(1);
  emulation::set_memory(0, kMemory);
  emulation::list_work(0);
  {
    CudaExecution execution(setting, "");
    Recorder recorder(setting.counting);
    execution.run(0, recorder);
  }
  const Experiment& experiment = setting.point->experiment;
  StepBudget step;
  step.precision = Value<Precision>::write(experiment.precision).text;
  step.items = experiment.batch;
  step.title = setting.point->network->name + ", " + step.precision + ", " +
               Value<Layout>::write(experiment.layout).text + ", batch " +
               std::to_string(experiment.batch);
  step.works = step_in(emulation::listed_work(0));
  emulation::restart(1);
  return step;
}

std::string table_of(const StepBudget& step) {
  std::vector<Row> rows;
  Row total{"all"};
  int graphs = 0, others = 0;
  for (const ListedWork& work : step.works) {
    if (work.kind == Kind::graph) ++graphs;
    if (work.kind == Kind::host_function) ++others;
    if (work.cost.name == nullptr || work.kind == Kind::graph) continue;
    Row row = row_of(work, step.precision);
    if (!launches(work)) row.launches = 0;
    auto at = std::find_if(rows.begin(), rows.end(),
                           [&](const Row& other) { return other.name == row.name; });
    if (at == rows.end()) at = rows.insert(at, Row{row.name});
    add(*at, row);
    add(total, row);
  }
  std::string table =
      "One training step of " + step.title + ", as launched on the emulation\n" + kHeading;
  for (const Row& row : rows) table += line_of(row);
  table += line_of(total);
  table += text("%s; %s; %.2f GB\n", counted(graphs, "graph").c_str(),
                counted(others, "host function").c_str(), static_cast<double>(step.bytes()) / 1e9);
  double slower = 0;
  const double products = kH100.products.at(step.precision);
  for (const ListedWork& work : step.works) slower += seconds(work, kSlower * products);
  table += text("Predicted, not measured, of an %s at %.1f TB/s, without gaps:\n", kH100.name,
                kH100.bandwidth / 1e12);
  for (const auto& [rate, time] :
       {std::pair(products, total.seconds), std::pair(kSlower * products, slower)}) {
    table += text("  products at %.0f TFLOP/s: %.1f ms, %.0f items/s\n", rate / 1e12, time * 1e3,
                  step.items / time);
  }
  if (step.title.starts_with("resnet50, bf16")) table += kPyTorch;
  return table;
}

std::string list_of(const StepBudget& step) {
  std::string list = kHeading;
  for (const ListedWork& work : step.works) {
    if (work.cost.name != nullptr) list += line_of(row_of(work, step.precision));
  }
  return list;
}

}  // namespace paceline::cuda
