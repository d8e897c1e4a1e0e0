// SPDX-License-Identifier: MIT
/// \file
/// Reads an experiment file: overrides, sweeps, types, and every check that needs no hardware. All
/// errors of a file are reported together, each with its location.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topology/machine.hpp"
#include "training/experiment/experiment.hpp"
#include "training/experiment/software/software.hpp"
#include "training/results/published/cost_row.hpp"

namespace paceline {

struct InitialWeights;

/// One point of an experiment, checked.
struct ExperimentPoint {
  Experiment experiment;
  std::vector<SweptKey> swept;
  Tree tree;  ///< the point's own document
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Software> software;
  std::shared_ptr<const Machine> machine;  ///< null for `this`, which needs a profile
  std::optional<PublishedRow> published;   ///< the published measurement of this point
  std::optional<PublishedRow> profiled;    ///< the published profile of its step
  /// The row of the experiment's own table that sets the cost of the arithmetic, if one does.
  std::optional<CostRow> own_row;
  std::shared_ptr<const InitialWeights> initial;  ///< of a point that trains; null: drawn
  /// The jobs that share the machine meanwhile.
  std::vector<std::shared_ptr<const ExperimentPoint>> beside;
  /// The location of a key; of the whole point if the key is not written.
  Location place(const char* key) const;
  std::string machine_name() const { return machine ? machine->name() : "this"; }
  std::string update_name() const;  ///< "" for independent workers
  int k() const;                    ///< K of the policy; P for sync
};

struct ExperimentFile {
  std::string path;
  std::string text;
  std::string question;  ///< the file's opening comment
  std::string name;
  std::vector<std::string> swept;  ///< dotted paths
  std::vector<ExperimentPoint> points;
};

/// Throws SpecError with all errors, one per line.
ExperimentFile load_experiment_file(const std::string& path,
                                    const std::vector<std::string>& overrides);

/// Reads a text as if it were the content of `path`.
ExperimentFile load_experiment_text(const std::string& path, const std::string& text,
                                    const std::vector<std::string>& overrides);

}  // namespace paceline
