// SPDX-License-Identifier: MIT
/// \file
/// Bounds that an experiment expects its results to keep, by column of results.csv:
/// `expect: {throughput: ">= 1000 images/s", error: "<= 5 %"}`.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/value.hpp"
#include "models/network.hpp"

namespace paceline {

/// The name of the only figure that is not a column: the size of the prediction's error.
inline constexpr const char* kErrorOfPrediction = "error";

/// The bound of one column.
struct Expectation {
  std::string column;
  std::string sign;  ///< "<=", "<", ">=" or ">"
  double limit = 0;  ///< in the unit of the column
  double scale = 1;  ///< of the unit written, in the unit of the column
  std::string unit;  ///< as written
  std::string text;  ///< the bound as written
  Location at;

  bool met_by(double value) const;
};

struct Expectations {
  std::vector<Expectation> all;
};

/// The reason why an expectation's unit does not fit the network; "" if it fits. Throughput counts
/// the network's items.
std::string unfit_unit(const Expectation& expectation, const Network& network);

template <>
struct Value<Expectations> {
  static TypeInfo type();
  static bool read(Expectations& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Expectations& value);
};

}  // namespace paceline
