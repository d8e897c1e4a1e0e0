// SPDX-License-Identifier: MIT
/// \file
/// The cells of the matrix printed by `nvidia-smi topo -m`.
#pragma once
#include <optional>
#include <string>

#include "experiments/language/diagnostics.hpp"

namespace paceline {

/// The distance of two devices on PCIe, in ascending order.
enum class Distance {
  one_switch,        ///< PIX
  several_switches,  ///< PXB
  host_bridge,       ///< PHB
  socket,            ///< NODE: another host bridge of the same socket
  system             ///< SYS, formerly SOC: across sockets
};

/// A cell off the diagonal: a number of NVLinks, or the distance.
struct MatrixCell {
  int nvlinks = 0;
  Distance distance = Distance::system;
  Location at;
  friend bool operator==(const MatrixCell& a, const MatrixCell& b) {
    return a.nvlinks == b.nvlinks && (a.nvlinks > 0 || a.distance == b.distance);
  }
};
/// "PIX", "NV2".
std::string to_string(const MatrixCell& cell);

/// The cell that a word stands for, without its place; nothing if the word has another form.
std::optional<MatrixCell> matrix_cell(const std::string& word);

}  // namespace paceline
