// SPDX-License-Identifier: MIT
/// \file
/// The rows of results.csv: what each source says of each point, and what follows from comparing
/// rows with each other (speedup, overhead).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "training/experiment_file.hpp"
#include "training/metrics/measurement.hpp"

namespace paceline {

/// In the order in which a point's rows stand.
enum class Source { theory, predicted, measured, published };
const char* name_of(Source source);

struct ResultRow {
  const ExperimentPoint* point = nullptr;
  std::size_t index = 0;  ///< of the point
  Source source = Source::predicted;
  bool cuda = false;  ///< the CUDA layer measures the point, or would
  Measurement measurement;
  std::optional<double> speedup, efficiency, base_workers, overhead, epoch;  ///< by `relate`
  std::string layer_times;                 ///< of a prediction: where they come from, in one word
  std::string layer_times_from;            ///< likewise, in a sentence
  std::optional<double> cost_to_target;    ///< in the machine's currency
  std::optional<double> energy_to_target;  ///< J, of its GPUs

  /// Whether it holds figures: neither skipped nor failed.
  bool usable() const { return measurement.status == "ok" || measurement.status == "bound"; }
};

/// What others published of a point, as a measurement.
Measurement published_measurement(const ExperimentPoint& point);

/// Fills in what a row says relative to its base: the row of the same source and the same swept
/// keys, update and K aside, with the fewest workers; of several the one with the same
/// update. Updates that push, fetch or average at another interval are never compared.
void relate(std::vector<ResultRow>& rows);

/// What training is to reach, in words: "loss 0.1"; "" where nothing is said.
std::string target_of(const ResultRow& row);

/// What measured the row: "host" or "cuda". Of the other sources: the described GPU's name, else
/// what would measure it; "" where nothing is said of it.
std::string device_of(const ResultRow& row);

/// K as results show it; nothing for independent workers.
std::optional<int> shown_k(const ExperimentPoint& point);

}  // namespace paceline
