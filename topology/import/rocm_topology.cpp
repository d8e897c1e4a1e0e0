// SPDX-License-Identifier: MIT
#include "topology/import/rocm_topology.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "topology/import/matrix_words.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostRows = 256;
constexpr int kMostNumaNodes = 64;

std::optional<int> integer_of(const std::string& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

/// The words of a line, in lower case and between single blanks.
std::string in_lower_case(const MatrixLine& line) {
  std::string text;
  for (const MatrixWord& word : line) text += (text.empty() ? "" : " ") + word.text;
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

class RocmReader final {
 public:
  RocmReader(const std::string& file, const std::string& text)
      : file_(std::make_shared<const std::string>(file)), lines_(matrix_lines(text)) {}
  Inventory read();

 private:
  /// A table of GPUs: a line of labels, and for each label a row of as many cells.
  struct Table {
    std::vector<std::string> labels;
    std::vector<std::vector<MatrixWord>> rows;
  };
  Location at(const MatrixWord& word) const { return {file_, word.line, word.column}; }
  std::optional<Table> table(const std::string& title) const;
  void read_gpu_lines();
  void add_gpus(const Table& types);
  void add_bonds(const Table& types, const std::optional<Table>& hops);

  std::shared_ptr<const std::string> file_;
  std::vector<MatrixLine> lines_;
  std::map<int, int> nodes_;  // NUMA nodes by GPU
  std::map<int, std::string> names_;
  std::map<int, std::string> architectures_;
  Inventory out_;
};

/// The table below the first line that has `title`; nothing if there is none.
std::optional<RocmReader::Table> RocmReader::table(const std::string& title) const {
  const auto found = std::ranges::find_if(lines_, [&](const MatrixLine& line) {
    return in_lower_case(line).find(title) != std::string::npos;
  });
  if (found == lines_.end()) return std::nullopt;
  const Location place = at(found->front());
  Table table;
  for (auto line = found + 1; line != lines_.end() && (table.labels.empty() || !line->empty());
       ++line) {
    if (line->empty()) continue;
    if (table.labels.empty()) {
      for (const MatrixWord& word : *line) table.labels.push_back(word.text);
      if (table.labels.size() > kMostRows) break;
      continue;
    }
    const std::size_t row = table.rows.size();
    if (row == table.labels.size()) break;
    if (line->front().text != table.labels[row] || line->size() != table.labels.size() + 1) {
      throw SpecError(at(line->front()), "expected row " + quote(table.labels[row]) + " with " +
                                             std::to_string(table.labels.size()) + " cells");
    }
    table.rows.push_back({line->begin() + 1, line->end()});
  }
  if (table.labels.empty() || table.rows.size() != table.labels.size()) {
    throw SpecError(place, "the table has " + std::to_string(table.labels.size()) +
                               " columns and " + std::to_string(table.rows.size()) +
                               " rows (at most " + std::to_string(kMostRows) + " of each)");
  }
  return table;
}

/// Reads lines such as "GPU[0] : (Topology) Numa Node: 0" and "GPU[0] : GFX Version: gfx90a".
void RocmReader::read_gpu_lines() {
  for (const MatrixLine& line : lines_) {
    if (line.empty() || !line.front().text.starts_with("GPU")) continue;
    std::string digits;  // of "GPU[0]" or "GPU 0"
    for (const MatrixWord& word : line) {
      if (word.text == ":") break;
      for (const char c : word.text) digits += c >= '0' && c <= '9' ? std::string(1, c) : "";
    }
    const std::optional<int> gpu = integer_of(digits);
    const std::string text = in_lower_case(line);
    const std::string& last = line.back().text;
    if (!gpu) continue;
    if (text.find("numa node: ") != std::string::npos) {
      nodes_.emplace(*gpu, std::clamp(integer_of(last).value_or(0), 0, kMostNumaNodes - 1));
    } else if (text.find("gfx version: gfx") != std::string::npos) {
      architectures_.emplace(*gpu, last.substr(0, 16));
    } else if (const std::size_t at = text.find("card series: "); at != std::string::npos) {
      std::string name;
      for (auto word = line.rbegin(); !word->text.ends_with(':'); ++word) {
        if (word->text != "AMD") name = word->text + (name.empty() ? "" : " ") + name;
      }
      names_.emplace(*gpu, name.substr(0, 64));
    }
  }
}

void RocmReader::add_gpus(const Table& types) {
  std::map<int, int> sockets;  // by NUMA node
  for (std::size_t i = 0; i < types.labels.size(); ++i) sockets[nodes_[static_cast<int>(i)]] = 0;
  out_.sockets = 0;
  std::string numbers;
  bool as_counted = true;
  for (auto& [node, socket] : sockets) {
    socket = out_.sockets++;
    as_counted = as_counted && node == socket;
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(node);
  }
  if (out_.sockets > 2) out_.socket_share = share_of_socket(sockets.rbegin()->first + 1);
  if (!as_counted) {
    out_.notes.push_back("cpu0, cpu1, ... are the NUMA nodes " + numbers + " of the source");
  }
  for (std::size_t i = 0; i < types.labels.size(); ++i) {
    const int gpu = static_cast<int>(i);
    PciDevice device;
    device.order = gpu;
    device.vendor = "1002";
    device.socket = sockets.at(nodes_[gpu]);
    device.driver_name = names_[gpu];
    device.architecture = architectures_[gpu];
    out_.devices.push_back(std::move(device));
  }
}

void RocmReader::add_bonds(const Table& types, const std::optional<Table>& hops) {
  for (std::size_t i = 0; i < types.rows.size(); ++i) {
    for (std::size_t j = 0; j < types.rows.size(); ++j) {
      const MatrixWord& cell = types.rows[i][j];
      const bool xgmi = cell.text == "XGMI";
      if (i == j) continue;
      if (!xgmi && cell.text != "PCIE") {
        throw SpecError(at(cell), quote(cell.text) + " is not a type of link (known: XGMI, PCIE)");
      }
      if (types.rows[j][i].text != cell.text) {
        throw SpecError(at(cell), quote(cell.text) + " here, but " + quote(types.rows[j][i].text) +
                                      " on line " + std::to_string(types.rows[j][i].line) +
                                      " for the same pair");
      }
      const bool direct = !hops || hops->rows.size() <= std::max(i, j) ||
                          integer_of(hops->rows[i][j].text).value_or(1) <= 1;
      if (xgmi && direct && i < j) out_.bonds.push_back({static_cast<int>(i), static_cast<int>(j)});
    }
  }
  if (out_.bonds.empty()) return;
  out_.bond_link = "xgmi";
  out_.notes.push_back(
      "xGMI: how many links join two GPUs is not in the source, assumed 1 (the topology file of "
      "RCCL, NCCL_TOPO_DUMP_FILE, says it)");
}

Inventory RocmReader::read() {
  out_.origin = "a topology of ROCm";
  out_.socket_link = "infinity-fabric";
  out_.naming = "put what `rocm-smi --showproductname` prints above the tables";
  const std::optional<Table> types = table("link type");
  if (!types) throw SpecError({file_, 1, 1}, "no table of link types");
  read_gpu_lines();
  if (nodes_.empty()) {
    out_.notes.push_back("NUMA nodes: not in the source, assumed one socket for all GPUs");
  } else if (nodes_.size() < types->labels.size()) {
    out_.notes.push_back("NUMA nodes of some GPUs: not in the source, assumed node 0");
  }
  add_gpus(*types);
  add_bonds(*types, table("hops"));
  return std::move(out_);
}

}  // namespace

bool is_rocm_topology(const std::string& text) {
  constexpr std::array<std::string_view, 2> kTitles{"Link Type between two GPUs",
                                                    "LINK TYPE TABLE"};
  return std::ranges::any_of(
      kTitles, [&](std::string_view title) { return text.find(title) != std::string::npos; });
}

Inventory inventory_of_rocm(const std::string& file, const std::string& text) {
  return RocmReader(file, text).read();
}

}  // namespace paceline
