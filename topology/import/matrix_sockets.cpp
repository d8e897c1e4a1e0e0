// SPDX-License-Identifier: MIT
#include "topology/import/matrix_sockets.hpp"

#include <algorithm>
#include <set>

#include "topology/import/cpu_set.hpp"

namespace paceline {
namespace {

bool on_one_socket(const std::optional<MatrixCell>& cell) {
  return cell && cell->nvlinks == 0 && cell->distance <= Distance::socket;
}

/// The processors of each row: its own CPU affinity, or that of a device on its socket; "" if the
/// matrix does not say.
std::vector<std::string> processors_of(const TopoMatrix& matrix) {
  std::vector<std::string> processors;
  for (const TopoMatrix::Row& row : matrix.rows) {
    processors.push_back(cores_in_list(row.cpus) > 0 ? row.cpus : "");
  }
  bool more = true;
  while (more) {
    more = false;
    for (std::size_t i = 0; i < processors.size(); ++i) {
      for (std::size_t j = 0; j < processors.size() && processors[i].empty(); ++j) {
        const bool near = on_one_socket(matrix.rows[i].cells[j]);
        if (!near || processors[j].empty()) continue;
        processors[i] = processors[j];
        more = true;
      }
    }
  }
  return processors;
}

}  // namespace

void join_parts_of_sockets(TopoMatrix& matrix) {
  std::vector<std::string> processors = processors_of(matrix);
  std::set<std::string> lists(processors.begin(), processors.end());
  lists.erase("");
  if (lists.empty()) return;
  const auto first = std::ranges::find_if(processors, [](const auto& p) { return !p.empty(); });
  const std::string elsewhere = lists.size() > 1 ? *first : "elsewhere";
  std::ranges::replace(processors, std::string(), elsewhere);
  std::set<std::size_t> joined;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    for (std::size_t j = 0; j < processors.size(); ++j) {
      std::optional<MatrixCell>& cell = matrix.rows[i].cells[j];
      const bool apart = cell && cell->nvlinks == 0 && cell->distance == Distance::system;
      if (!apart || processors[i] != processors[j]) continue;
      cell->distance = Distance::socket;
      joined.insert(std::min(i, j));
    }
  }
  if (joined.empty()) return;
  matrix.notes.push_back(
      "devices with the same CPU affinity are on one socket, though some of their cells are SYS (a "
      "virtual machine, or several NUMA nodes a socket): these are taken as NODE");
}

}  // namespace paceline
