// SPDX-License-Identifier: MIT
/// \file
/// The questions of `paceline new` at a terminal: each has a default, which an empty line takes.
#pragma once
#include <istream>
#include <ostream>
#include <string>

#include "cli/experiment_draft.hpp"

namespace paceline {

struct Interview {
  std::istream& in;
  std::ostream& out;

  /// The question that the experiment answers. Throws SpecError if the input ends.
  const FirstQuestion& question();
  /// Sets the keys of the file at `path` to the answers. The prompt is repeated after an answer
  /// that is wrong by itself. Throws SpecError if the input ends.
  void keys(ExperimentDraft& draft, bool with_policies, const std::string& path);

 private:
  std::string answer(const std::string& prompt, const std::string& usual);
};

}  // namespace paceline
