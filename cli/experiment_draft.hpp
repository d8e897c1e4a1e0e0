// SPDX-License-Identifier: MIT
/// \file
/// A first experiment before it is written: its keys and values, the options that they come from,
/// and the text of the file.
#pragma once
#include <string>
#include <vector>

#include "cli/first_questions.hpp"

namespace paceline {

class ExperimentDraft {
 public:
  explicit ExperimentDraft(const FirstQuestion& question);

  /// Sets a key to a value in flow YAML; `a, b` is a list. `by`: the option, which errors name.
  /// Throws SpecError if the value is more than one line.
  void set(const std::string& key, const std::string& value, const std::string& by);
  /// The value of a key as it would be written to `path`, defaults included; "" if the key is
  /// absent.
  std::string value_of(const std::string& key, const std::string& path) const;
  /// The text of the file at `path`, which `check` accepts. A batch that was not set is halved
  /// until it fits. Throws SpecError with errors that name the options.
  std::string checked_text(const std::string& path) const;
  /// The errors in the value of one key; "" if there are none.
  std::string problem_of(const std::string& key, const std::string& path) const;

 private:
  struct Entry {
    std::string key;
    std::string value;
    std::string by;  ///< "" for a default
  };
  struct Line {
    std::string text;
    std::string key;  ///< "" in the comment at the beginning
  };

  const Entry* find(const std::string& key) const;
  ExperimentDraft with_defaults(const std::string& path) const;
  std::string machine() const;
  int gpus(const std::string& path) const;
  std::string question() const;
  std::vector<Line> lines(const std::string& path) const;
  std::string options_of(const std::string& key) const;
  /// The errors of a check by key, each naming the option.
  std::vector<Line> errors_of(const std::string& path) const;

  const FirstQuestion* row_;
  std::vector<Entry> entries_;
  std::string too_many_;  ///< the batch that was tried first; "" if it fits
};

/// The schema of experiment files as a file at `path` names it: a relative path where the folder
/// of the file, or one above it, has `experiments/schema.json`.
std::string schema_beside(const std::string& path);

}  // namespace paceline
