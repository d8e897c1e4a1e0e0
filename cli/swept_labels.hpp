// SPDX-License-Identifier: MIT
/// \file
/// Short names for the values of swept keys: `allreduce nccl` for `{kind: allreduce, algorithm:
/// nccl}`. Two values of one key never share a name, so that points stay apart in tables and
/// figures.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "training/experiment_file.hpp"

namespace paceline {

class SweptLabels {
 public:
  explicit SweptLabels(const std::vector<ExperimentPoint>& points);

  /// The name of a value that a point has under a swept key; `value` itself where it is none.
  const std::string& of(const SweptKey& key) const;
  /// The same to be read without its key: "async", but "batch 64" and "overlap=true".
  std::string named(const SweptKey& key) const;
  /// By path and value.
  const std::map<std::string, std::map<std::string, std::string>>& all() const { return names_; }

 private:
  std::map<std::string, std::map<std::string, std::string>> names_;
};

}  // namespace paceline
