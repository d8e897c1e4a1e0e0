// SPDX-License-Identifier: MIT
/// \file
/// Loads the network of an experiment's `model`: a preset's name, a path to a YAML file, or a
/// description such as `{kind: synthetic, compute: 10 ms, gradient: 100 MB}`.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "experiments/language/presets.hpp"
#include "models/network.hpp"

namespace paceline {

/// The presets in models/.
std::span<const EmbeddedFile> embedded_models();

/// The network that `value` describes. Its name is the name of the preset or the file, otherwise
/// its kind. Throws a SpecError with all errors found.
Network load_network(const Tree& value);

/// The names of the presets in alphabetical order.
std::vector<std::string> network_names();

/// A preset and a one-line description.
struct NetworkHelp {
  std::string name;
  std::string help;
};
/// The presets in alphabetical order, as `paceline list models` shows them.
std::vector<NetworkHelp> network_helps();

}  // namespace paceline
