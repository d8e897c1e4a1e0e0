// SPDX-License-Identifier: MIT
#include "training/results/columns.hpp"

#include <array>
#include <functional>
#include <type_traits>
#include <utility>

#include "experiments/language/value.hpp"

namespace paceline {
namespace {

using M = Measurement;
using L = ResultLine;

constexpr Column::Place kAfter = Column::Place::after_swept;
constexpr Column::Place kPointFiles = Column::Place::point_files;

/// The mean over the repeats.
constexpr Figure mean(std::optional<double> M::*value) {
  return {value};
}
/// One value for all repeats together.
constexpr Figure joint(std::optional<double> M::*value) {
  return {value, false};
}
/// The mean over the repeats of a figure without a bound.
constexpr Figure unbounded(std::optional<double> M::*value) {
  return {value, true, true};
}

std::optional<double> share_of_step(const M& of, const std::optional<double>& part) {
  if (!part || !of.step_mean || *of.step_mean <= 0) return std::nullopt;
  return *part / *of.step_mean;
}

std::optional<double> idle_share(const M& of) {
  if (!of.wait || !of.exposed_comm) return std::nullopt;
  return share_of_step(of, *of.wait + *of.exposed_comm);
}

std::optional<double> wasted_share(const M& of) {
  return share_of_step(of, of.wasted);
}

std::optional<double> updates_per_s(const M& of) {
  if (!of.iteration_mean || *of.iteration_mean <= 0) return std::nullopt;
  return 1 / *of.iteration_mean;
}

std::optional<double> total_h(const M& of) {
  return of.total ? std::optional<double>(*of.total / 3600) : std::nullopt;
}

constexpr auto kColumns = std::to_array<Column>({
    {"experiment", "", "name of the experiment", &L::experiment},
    {"source", "", "`theory`, `predicted`, `measured` or `published`", &L::source},
    {"model", "", "network", &L::model},
    {"machine", "", "machine; `this`: the computer that ran it", &L::machine},
    {"device", "", "what measured it, `host` or `cuda`; of other sources the GPU", &L::device},
    {"policy", "", "update policy; blank: workers are independent", &L::policy},
    {"k", "", "gradients that an update waits for", &L::k},
    {"aggregation", "", "how gradients become weights", &L::aggregation},
    {"workers", "", "workers", &L::workers},
    {"batch", "items", "mini-batch of a worker", &L::batch},
    {"steps", "rounds", "length of the window, as asked for", &L::steps},
    {"updates", "", "updates in the window", mean(&M::updates)},
    {"iteration_s_mean", "s", "from one update to the next", mean(&M::iteration_mean)},
    {"iteration_s_median", "s", "its median, over all repeats", joint(&M::iteration_median)},
    {"iteration_s_p95", "s", "its 95th percentile, over all repeats", joint(&M::iteration_p95)},
    {"step_s_mean", "s",
     "a mini-batch of a worker: the sum of the next five, validation_s and checkpoint_s",
     mean(&M::step_mean)},
    {"compute_s", "s", "arithmetic", mean(&M::compute)},
    {"delay_s", "s", "injected straggler delay", mean(&M::delay)},
    {"exposed_comm_s", "s", "communication that no arithmetic hides", mean(&M::exposed_comm)},
    {"wait_s", "s", "waiting for other workers", mean(&M::wait)},
    {"input_s", "s", "waiting for input", mean(&M::input)},
    {"wasted_s", "s", "spent on cancelled mini-batches, part of the others", mean(&M::wasted)},
    {"overhead_s", "s", "step_s_mean less that of the base of `speedup`", &L::overhead},
    {"throughput", "items/s", "items whose gradients were applied", mean(&M::throughput)},
    {"throughput_stderr", "items/s", "its standard error over repeats",
     joint(&M::throughput_stderr)},
    {"throughput_jitter", "items/s", "its spread from update to update",
     joint(&M::throughput_jitter)},
    {"item", "", "what throughput counts", &L::item},
    {"speedup", "",
     "throughput / that of the base: the row with the fewest workers; a single worker counts with "
     "its servers on its own computer",
     &L::speedup},
    {"efficiency", "share", "speedup / (workers / speedup_base_workers)", &L::efficiency},
    {"speedup_base_workers", "", "workers of the base", &L::base_workers},
    {"staleness_mean", "versions", "of the gradients in the window", mean(&M::staleness_mean)},
    {"staleness_p95", "versions", "95th percentile", mean(&M::staleness_p95)},
    {"utilization", "share", "arithmetic of all workers / their time", mean(&M::utilization)},
    {"memory_bytes_peak", "bytes", "of a device, at most", mean(&M::memory_bytes_peak)},
    {"epoch_s", "s", "time of samples_per_epoch items", &L::epoch},
    {"loss_final", "", "held-out loss of the last evaluation", unbounded(&M::loss_final)},
    {"status", "", "`ok`, `bound`, `diverged ...`, `skipped (...)`, `failed: ...`", &M::status},
    {"updates_per_s", "1/s", "1 / iteration_s_mean", &updates_per_s, kAfter},
    {"layer_times", "",
     "of a prediction: `measured`, `published`, `efficiency`, `roofline` or `given`",
     &L::layer_times, kAfter},
    {"injected_share", "share", "delay_s / step_s_mean", &injected_share, kAfter},
    {"server_busy", "share", "arithmetic of the busiest server; blank without servers",
     mean(&M::server_busy), kAfter},
    {"idle_share", "share", "(wait_s + exposed_comm_s) / step_s_mean", &idle_share, kAfter},
    {"wasted_share", "share", "wasted_s / step_s_mean", &wasted_share, kAfter},
    {"staleness_max", "versions", "of the gradients in the window", mean(&M::staleness_max),
     kAfter},
    {"accuracy_final", "share", "held-out accuracy of the last evaluation",
     mean(&M::accuracy_final), kAfter},
    {"target", "", "the target that `train` sets, in words", &L::target, kAfter},
    {"time_to_target_s", "s", "blank where a repeat did not reach it", mean(&M::time_to_target),
     kAfter},
    {"time_to_target_stderr", "s", "its standard error over repeats",
     joint(&M::time_to_target_stderr), kAfter},
    {"updates_to_target", "", "updates at that time", mean(&M::updates_to_target), kAfter},
    {"loss_floor", "", "mean loss of the last half of the evaluations", unbounded(&M::loss_floor),
     kAfter},
    {"total_h", "h", "from the run's begin to its last update", &total_h, kAfter},
    {"cost_to_target", "USD", "blank where the machine gives no price", &L::cost_to_target, kAfter},
    {"energy_to_target_j", "J", "blank where the machine gives no power", &L::energy_to_target,
     kAfter},
    {"failures", "", "workers that died", mean(&M::failures), kAfter},
    {"busbw", "bytes/s", "bus bandwidth of a collective alone, as nccl-tests defines it",
     mean(&M::bus_bandwidth), kAfter},
    {"slowdown", "", "of a job beside others: its throughput alone / its throughput", &L::slowdown,
     kAfter},
    {"padding", "share", "positions that are padding, of sequences of unequal length",
     mean(&M::padding), kAfter},
    {"length_mean", "positions", "of a sequence, without padding", mean(&M::length_mean), kAfter},
    {"validation_s", "s", "validation passes, part of step_s_mean; blank without them",
     mean(&M::validation), kAfter},
    {"checkpoint_s", "s",
     "writing of checkpoints that workers wait for themselves, part of step_s_mean",
     mean(&M::checkpoint), kAfter},
    {"point", "", "number of the point, from 0: that of the other files", &L::point, kAfter},
    {"total_s", "s", "from the run's begin to its last update", mean(&M::total), kPointFiles},
    {"optimal_loss",
     "",
     "the least expected loss",
     {Figure{&M::optimal_loss, false, true}},
     kPointFiles},
});

Tree shown(const std::optional<double>& number) {
  return number ? Tree::scalar(print_number(*number)) : Tree{};
}
Tree shown(const std::optional<std::int64_t>& number) {
  return number ? Tree::scalar(std::to_string(*number)) : Tree{};
}
Tree shown(const std::string& text) {
  return Tree::quoted_scalar(text);
}

}  // namespace

Tree Column::value(const ResultLine& line) const {
  const auto read = [&line](const auto& from) {
    using From = std::decay_t<decltype(from)>;
    const Measurement& of = *line.measurement;
    if constexpr (std::is_same_v<From, Figure>) {
      return shown(of.*from.value);
    } else if constexpr (std::is_invocable_v<From, const ResultLine&>) {
      return shown(line.*from);
    } else {
      return shown(std::invoke(from, of));
    }
  };
  return std::visit(read, cell);
}

std::span<const Column> columns() {
  return kColumns;
}

std::string columns_page() {
  std::string page = "| column | unit | what |\n|---|---|---|\n";
  bool swept = false;
  for (const Column& column : columns()) {
    if (column.place == kPointFiles) continue;
    if (column.place == kAfter && !std::exchange(swept, true)) {
      page +=
          "| `swept.KEY` | | a column for each swept key: its value, a mapping as YAML flow text "
          "|\n";
    }
    const std::string unit = std::string(column.unit) + (*column.unit == '\0' ? "" : " ");
    page += "| `" + std::string(column.name) + "` | " + unit + "| " + column.meaning + " |\n";
  }
  return page;
}

std::optional<double> injected_share(const Measurement& measurement) {
  return share_of_step(measurement, measurement.delay);
}

}  // namespace paceline
