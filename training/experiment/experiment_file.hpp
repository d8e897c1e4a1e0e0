// SPDX-License-Identifier: MIT
/// \file
/// Reads an experiment file: overrides, sweeps, types, and every check that needs no hardware. All
/// of a file's errors come at once, each with its place.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topology/machine.hpp"
#include "training/experiment.hpp"
#include "training/published/one_worker.hpp"
#include "training/software/software.hpp"

namespace paceline {

/// One point of an experiment, checked.
struct ExperimentPoint {
  Experiment experiment;
  std::vector<SweptKey> swept;
  Tree tree;  ///< the point's own document
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Software> software;
  std::shared_ptr<const Machine> machine;  ///< null for `this`, which needs a profile
  std::optional<PublishedRow> published;   ///< what others measured at this point
  /// What sets the cost of the arithmetic where it was not measured here; nothing: the roofline.
  std::optional<OneWorker> one_worker;
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

/// Throws SpecError with all mistakes, one a line.
ExperimentFile load_experiment_file(const std::string& path,
                                    const std::vector<std::string>& overrides);

/// The same of a text, as if it stood in `path`.
ExperimentFile load_experiment_text(const std::string& path, const std::string& text,
                                    const std::vector<std::string>& overrides);

}  // namespace paceline
