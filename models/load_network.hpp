// SPDX-License-Identifier: MIT
/// \file
/// The network that an experiment's `model` says: a preset's name, a path to a YAML file, or the
/// description itself, `{kind: synthetic, compute: 10 ms, gradient: 100 MB}`.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "experiments/presets.hpp"
#include "models/network.hpp"

namespace paceline {

/// The presets in models/.
std::span<const EmbeddedFile> embedded_models();

/// The network that `value` says. Its name is the preset's or the file's, or else its kind.
/// Throws SpecError with every error found.
Network load_network(const Tree& value);

/// The presets' names, in alphabetical order.
std::vector<std::string> network_names();

/// A preset and what it is, in a line.
struct NetworkHelp {
  std::string name;
  std::string help;
};
/// The presets in alphabetical order, as `paceline list models` shows them.
std::vector<NetworkHelp> network_helps();

}  // namespace paceline
