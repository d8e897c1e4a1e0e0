// SPDX-License-Identifier: MIT
/// \file
/// The matrix that `nvidia-smi topo -m` prints: how each pair of GPUs and network cards is joined.
/// It is read from text, turned into a tree of switches and sockets, and made again from a machine,
/// which shows whether the tree is right.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "topology/import/inventory.hpp"
#include "topology/machine.hpp"

namespace paceline {

/// How far apart two devices are on PCIe; each contains those before it.
enum class Distance {
  one_switch,        ///< PIX
  several_switches,  ///< PXB
  host_bridge,       ///< PHB
  socket,            ///< NODE: another host bridge of the same socket
  system             ///< SYS, once SOC: across sockets
};

/// A cell beside the diagonal: NVLinks, or else the distance.
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

struct TopoMatrix {
  struct Row {
    std::string label;  ///< "GPU0", "mlx5_0"
    bool gpu = false;
    std::string cpus;  ///< CPU affinity: "0-19,40-59", or ""
    std::string numa;  ///< NUMA affinity: "0", or ""
    std::vector<std::optional<MatrixCell>>
        cells;  ///< by column; nothing on the diagonal, or unknown
  };
  std::vector<Row> rows;
  bool old_legend = false;         ///< SOC, which drivers said before 2017
  std::vector<std::string> notes;  ///< what was mended while reading
  /// As nvidia-smi prints it, with tabs, affinities left out; "?" where nothing is known.
  std::string text() const;
};

/// Reads what `nvidia-smi topo -m` printed: with terminal escapes, tabs or blanks, rows broken over
/// several lines, rows that are missing, a header whose tabs were lost. Throws SpecError.
TopoMatrix read_matrix(const std::string& file, const std::string& text);

/// The tree that a matrix implies. Throws SpecError where no tree has all of its cells.
Inventory inventory_of(const TopoMatrix& matrix);

/// By row of `matrix`: the row of `matrix_of` the machine that `inventory` becomes.
std::vector<std::size_t> rows_in_machine(const TopoMatrix& matrix, const Inventory& inventory);

/// What `nvidia-smi topo -m` would print of a machine: its GPUs, then its network cards.
TopoMatrix matrix_of(const Machine& machine);

}  // namespace paceline
