// SPDX-License-Identifier: MIT
#include "topology/import/matrix_cell.hpp"

#include <array>
#include <charconv>

namespace paceline {
namespace {

struct Name {
  const char* text;
  Distance distance;
};
constexpr std::array<Name, 7> kNames{{{"PIX", Distance::one_switch},
                                      {"PXB", Distance::several_switches},
                                      {"PHB", Distance::host_bridge},
                                      {"NODE", Distance::socket},
                                      {"SYS", Distance::system},
                                      {"SOC", Distance::system},
                                      {"PSB", Distance::one_switch}}};

/// The number in "NV2"; 0 if the word has another form.
int nvlinks_in(const std::string& word) {
  if (!word.starts_with("NV") || word.size() < 3) return 0;
  int count = 0;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + 2, end, count);
  return error == std::errc{} && rest == end && count > 0 ? count : 0;
}

}  // namespace

std::string to_string(const MatrixCell& cell) {
  if (cell.nvlinks > 0) return "NV" + std::to_string(cell.nvlinks);
  for (const Name& name : kNames) {
    if (name.distance == cell.distance) return name.text;
  }
  return "?";
}

std::optional<MatrixCell> matrix_cell(const std::string& word) {
  MatrixCell cell;
  cell.nvlinks = nvlinks_in(word);
  if (cell.nvlinks > 0) return cell;
  for (const Name& name : kNames) {
    if (word != name.text) continue;
    cell.distance = name.distance;
    return cell;
  }
  return std::nullopt;
}

}  // namespace paceline
