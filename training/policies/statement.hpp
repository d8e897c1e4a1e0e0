// SPDX-License-Identifier: MIT
/// \file
/// What an update policy does, in words and under fixed headings: docs/policies.md is made of it.
#pragma once
#include <string>
#include <vector>

namespace paceline {

/// Plain Markdown; K, P, X and E[T] as docs/policies.md defines them.
struct Statement {
  std::string does;
  std::vector<std::string> steps;  ///< what happens, in order: who pushes, waits, is cancelled
  std::string time;                ///< E[T], or what bounds it
  std::string staleness;
  std::string source;
  /// Keys, as YAML, of the rows of the policy's table of examples.
  std::vector<std::string> examples;
};

}  // namespace paceline
