// SPDX-License-Identifier: MIT
/// \file
/// What a published row says that one worker's mini-batch takes, and which of the tables that ship
/// with the program says it of a network on a GPU.
#pragma once
#include <optional>
#include <string>

#include "models/network.hpp"
#include "topology/gpu.hpp"
#include "training/published/published_table.hpp"

namespace paceline {

/// One worker's throughput, and what it is from.
struct OneWorker {
  double throughput = 0;  ///< items/s, at the batch that was asked for
  /// The aggregation whose update the step holds beside the arithmetic, "" for none; as a table
  /// writes it, which need not be one of Paceline's.
  std::string aggregation;
  std::string sentence;
  bool shipped = false;  ///< of a table that comes with the program
};

/// What a row is looked for. `model` is the preset's name; `software` the
/// experiment's.
struct WantedRow {
  std::string model;
  const Network* network = nullptr;
  int batch = 0;
  Precision precision = Precision::fp32;
  std::string layout;
  std::string software;
  const GpuSpec* gpu = nullptr;
};

/// What the shipped tables say of it. Rows of the experiment's software come first, then those of
/// just this batch, then those nearest to it, then the fastest. At a batch that was not measured
/// the nearest row is carried on along t = a + b x batch, fitted to the batches that were measured
/// with the same software, or along the roofline where there is one alone.
std::optional<OneWorker> shipped_one_worker(const WantedRow& wanted);

/// What a row of an experiment's own table says.
OneWorker own_one_worker(const PublishedRow& row, const std::string& table, int batch);

/// t = a + b x batch, least squares of the relative errors; a >= 0.
struct BatchLine {
  double a = 0, b = 0;
  double at(double batch) const { return a + b * batch; }
};
struct BatchTime {
  double batch, seconds;
};
BatchLine fit_batch_line(const std::vector<BatchTime>& times);

}  // namespace paceline
