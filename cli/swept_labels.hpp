// SPDX-License-Identifier: MIT
/// \file
/// Short names for the values of swept keys: `allreduce nccl` for `{kind: allreduce, algorithm:
/// nccl}`. Two values of one key never have the same name, so that points remain distinct in tables
/// and figures.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

class SweptLabels {
 public:
  explicit SweptLabels(const std::vector<ExperimentPoint>& points);

  /// The name of a swept key's value; `value` itself if it has no name.
  const std::string& of(const SweptKey& key) const;
  /// The name in a form that is clear without its key: "async", but "batch 64" and "overlap=true".
  std::string named(const SweptKey& key) const;
  /// All names, by path and value.
  const std::map<std::string, std::map<std::string, std::string>>& all() const { return names_; }

 private:
  std::map<std::string, std::map<std::string, std::string>> names_;
};

}  // namespace paceline
