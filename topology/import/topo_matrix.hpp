// SPDX-License-Identifier: MIT
/// \file
/// The matrix printed by `nvidia-smi topo -m`: the connection of each pair of GPUs and network
/// cards. It is read from text and converted to a tree of switches and sockets. To verify the tree,
/// the matrix of the resulting machine is compared with the original.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "topology/import/inventory.hpp"
#include "topology/import/matrix_cell.hpp"
#include "topology/machine.hpp"

namespace paceline {

struct TopoMatrix {
  struct Row {
    std::string label;  ///< "GPU0", "mlx5_0"
    bool gpu = false;
    std::string model;  ///< of a GPU, "NVIDIA H200", if the text around the matrix names it
    std::string cpus;   ///< CPU affinity: "0-19,40-59", or ""
    std::string numa;   ///< NUMA affinity: "0", or ""
    std::vector<std::optional<MatrixCell>>
        cells;  ///< by column; nothing on the diagonal or if unknown
  };
  std::vector<Row> rows;
  bool old_legend = false;         ///< uses SOC, as drivers before 2017 did
  std::vector<std::string> notes;  ///< repairs made while reading
  /// The matrix in nvidia-smi's format, with tabs and without affinities; "?" for unknown cells.
  std::string text() const;
};

/// Reads output of `nvidia-smi topo -m`. Accepts terminal escapes, tabs or blanks, rows wrapped
/// over several lines, missing rows, a header without its tabs, and the bars of a table. SYS
/// between devices of one socket is read as NODE. Throws SpecError.
TopoMatrix read_matrix(const std::string& file, const std::string& text);

/// The tree that a matrix implies. Throws SpecError if the matrix has no GPU. A matrix that no tree
/// can have gives a tree with other cells; the caller compares them.
Inventory inventory_of(const TopoMatrix& matrix);

/// For each row of `matrix`, the corresponding row of `matrix_of` the machine made from
/// `inventory`.
std::vector<std::size_t> rows_in_machine(const TopoMatrix& matrix, const Inventory& inventory);

/// The matrix that `nvidia-smi topo -m` would print for a machine: its GPUs, then its network
/// cards.
TopoMatrix matrix_of(const Machine& machine);

}  // namespace paceline
