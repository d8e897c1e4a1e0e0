// SPDX-License-Identifier: MIT
/// \file
/// Distributions for the tests, read from the YAML that a user would write.
#pragma once
#include <string>

#include "experiments/yaml.hpp"
#include "training/stragglers/stragglers.hpp"

namespace paceline {

/// Reads `text`; throws SpecError when it is wrong.
inline Choice<Straggler> read_straggler(const std::string& text) {
  Choice<Straggler> choice;
  Diagnostics diagnostics;
  Value<Choice<Straggler>>::read(choice, parse_yaml("test.yaml", text), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

/// A `stragglers:` map.
inline Stragglers read_stragglers(const std::string& text) {
  Diagnostics diagnostics;
  auto stragglers = read<Stragglers>(parse_yaml("test.yaml", text), diagnostics);
  diagnostics.throw_if_any();
  return stragglers;
}

}  // namespace paceline
