// SPDX-License-Identifier: MIT
/// \file
/// Measured times: a file of them, from which `TimeSample` draws.
///
///     compute: {kind: empirical, file: times.csv, column: step_ms}
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "training/workload/stragglers/measured/time_sample.hpp"
#include "training/workload/stragglers/measured/times_csv.hpp"
#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class EmpiricalStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override { return Seconds{times_->quantile(u)}; }
  Seconds upper_quantile(double share) const override {
    return Seconds{times_->upper_quantile(share)};
  }
  double cdf(Seconds time) const override { return times_->cdf(time.value()); }
  double survival(Seconds time) const override { return times_->survival(time.value()); }
  Seconds mean() const override { return Seconds{times_->mean()}; }
  double cv() const override { return times_->cv(); }
  StragglerShape shape() const override;
  std::vector<Seconds> corners() const override;
  std::string content() const override { return times_->fingerprint(); }

  static void describe(Description<EmpiricalStraggler>& d) {
    using Self = EmpiricalStraggler;
    d.required("file", &Self::file_,
               "measured times: one a line, or a CSV; the path is relative to the file that names "
               "it");
    d.optional(
        "column", &Self::column_,
        "the column with the times; absent: the only one, or the one whose name says a step's "
        "time (`step_time_ms`), never a counter (`step`)");
    d.optional("unit", &Self::unit_,
               "unit of bare numbers; absent: the suffix of the column's name, else s");
    describe_applies(d);
  }
  /// Reads the file. False after noting its errors.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  std::string file_;
  std::optional<std::string> column_;
  std::optional<TimeUnit> unit_;
  std::shared_ptr<const TimeSample> times_;  ///< shared by all points that name the same file
};

}  // namespace paceline
