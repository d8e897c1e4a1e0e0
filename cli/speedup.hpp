// SPDX-License-Identifier: MIT
/// \file
/// The rows of results.csv: one per point and source, with the figures that follow from comparing
/// rows (speedup, overhead).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"
#include "training/experiment/repeats.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// The sources, in the order of a point's rows.
enum class Source { theory, predicted, measured, published };
const char* name_of(Source source);

struct ResultRow {
  const ExperimentPoint* point = nullptr;
  std::size_t index = 0;  ///< index of the point
  Source source = Source::predicted;
  bool cuda = false;  ///< the CUDA layer measures, or would measure, the point
  Measurement measurement;
  std::optional<double> speedup, efficiency, base_workers, overhead, epoch;  ///< set by `relate`
  std::optional<std::size_t> base_point;  ///< index of the base's point; set by `relate`
  /// The throughput of the only worker with its servers beside it, where they are on other
  /// computers: the base of other rows instead of the row's own. Set by `set_bases`.
  std::optional<double> beside_servers;
  bool base_beside_servers = false;        ///< the base is such a figure; set by `relate`
  std::optional<double> slowdown;          ///< of a job beside others; set by `relate`
  std::string weights;                     ///< file of the weights in the folder of results, or ""
  std::string layer_times;                 ///< source of a prediction's layer times, in one word
  std::string layer_times_from;            ///< the same, in a sentence
  std::optional<double> cost_to_target;    ///< in the machine's currency
  std::optional<double> energy_to_target;  ///< J, of the GPUs

  /// True if the row has figures, that is, it was neither skipped nor failed.
  bool usable() const { return measurement.status == "ok" || measurement.status == "bound"; }
};

/// The published figures of a point, as a measurement.
Measurement published_measurement(const ExperimentPoint& point);

/// Sets the figures of each row relative to its base row. The base has the same source and the same
/// swept keys except for update and K, and the fewest workers; among several, the one with the same
/// update. Updates with different intervals of pushing, fetching or averaging are never compared.
/// A base of one worker with servers on other computers counts as with its servers beside it.
void relate(std::vector<ResultRow>& rows);

/// The target of training in words: "loss 0.1"; "" if there is none.
std::string target_of(const ResultRow& row);

/// The device of a row. For a measured row: "host" or "cuda". For other sources: the described
/// GPU's name, otherwise the layer that would measure the point; "" if unknown.
std::string device_of(const ResultRow& row);

/// K as shown in results; nothing for independent workers.
std::optional<int> shown_k(const ExperimentPoint& point);

}  // namespace paceline
