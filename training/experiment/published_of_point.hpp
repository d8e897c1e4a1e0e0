// SPDX-License-Identifier: MIT
/// \file
/// The published measurements that an experiment file names: tables of throughputs, profiles of
/// steps, and logs of nccl-tests.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"
#include "training/experiment/part_cache.hpp"
#include "training/results/published/nccl_tests_log.hpp"

namespace paceline {

class PublishedOfPoints {
 public:
  /// Errors in the file at `path` go to `diagnostics`, those in the files that it names to
  /// `referenced`. Both must outlive this object.
  PublishedOfPoints(std::string path, Diagnostics& diagnostics,
                    std::vector<std::string>& referenced)
      : path_(std::move(path)), diagnostics_(diagnostics), referenced_(referenced) {}

  /// Finds the point's row of a table, its profile, and the row that sets the cost of arithmetic.
  /// Requires the point's other parts to be settled.
  void find(ExperimentPoint& point);
  /// Lets the row with a point's own rate set its cost, where that row sets the cost of other
  /// points.
  void share_costs(std::vector<ExperimentPoint>& points);
  /// Finds the time of a workload in a log.
  void find_in_log(ExperimentPoint& point);

 private:
  std::optional<CostRow> cost_row(const ExperimentPoint& point, const Tree& keys);
  std::string beside(const std::string& name) const;
  std::shared_ptr<const PublishedTable> table_at(const ExperimentPoint& point, const char* key,
                                                 const std::string& path);

  std::string path_;
  Diagnostics& diagnostics_;
  std::vector<std::string>& referenced_;
  PartCache<PublishedTable> tables_;
  PartCache<NcclTestsLog> logs_;
};

}  // namespace paceline
