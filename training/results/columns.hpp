// SPDX-License-Identifier: MIT
/// \file
/// The columns of results.csv, listed only here: name, unit, meaning, and the member that holds the
/// value. The files of finished points, the joining of repeats, the check of a measurement and the
/// table in docs/model.md use the same list. A new figure is a member of `Measurement` and a row
/// in columns.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "experiments/language/tree.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// A row of results.csv: its point and source, the measurement, and the comparison with other rows.
struct ResultLine {
  std::string experiment, source, model, machine, device, policy, aggregation, item;
  std::optional<std::int64_t> k, workers, batch, steps, point;
  const Measurement* measurement = nullptr;
  std::optional<double> overhead, speedup, efficiency, base_workers, epoch, slowdown;
  std::string layer_times, target;
  std::optional<double> cost_to_target, energy_to_target;
};

/// A column that is a member of `Measurement`.
struct Figure {
  std::optional<double> Measurement::*value;
  bool mean = true;     ///< a point has the mean over its repeats
  bool below0 = false;  ///< it may be negative, and not finite if training has diverged
};

struct Column {
  enum class Place {
    first,        ///< before the swept keys
    after_swept,  ///< after the swept keys
    point_files,  ///< only in the files of finished points
  };
  using Derived = std::optional<double> (*)(const Measurement&);
  using Cell = std::variant<std::string ResultLine::*, std::optional<std::int64_t> ResultLine::*,
                            std::optional<double> ResultLine::*, std::string Measurement::*, Figure,
                            Derived>;

  const char* name;
  const char* unit;  ///< "s"; "": a count, or text
  const char* meaning;
  Cell cell;
  Place place = Place::first;

  /// Null if the column is not a figure.
  const Figure* figure() const { return std::get_if<Figure>(&cell); }
  /// The value in a row: quoted text, a number, or null for a blank cell.
  Tree value(const ResultLine& line) const;
};

/// All columns, in the order of results.csv.
std::span<const Column> columns();

/// The table of docs/model.md, in Markdown.
std::string columns_page();

/// Injected straggler delay as a share of a mini-batch's time; nothing if it is not known.
std::optional<double> injected_share(const Measurement& measurement);

}  // namespace paceline
