// SPDX-License-Identifier: MIT
#include "topology/import/slurm_topology.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "topology/import/matrix_words.hpp"
#include "topology/import/switch_tree.hpp"

namespace paceline {
namespace {

using Values = std::map<std::string, MatrixWord>;  // by key in lower case

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// The key of "SwitchName=s1"; "" if there is none.
std::string key_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == std::string::npos ? "" : in_lower_case(word.substr(0, equals));
}

/// The lines with their words, without comments; a line that ends in a backslash goes on in the
/// next one.
std::vector<MatrixLine> lines_of(const std::string& text) {
  std::vector<MatrixLine> lines;
  bool goes_on = false;
  for (MatrixLine& line : matrix_lines(text)) {
    const auto comment = std::ranges::find_if(
        line, [](const MatrixWord& word) { return word.text.starts_with('#'); });
    line.erase(comment, line.end());
    if (!goes_on) lines.emplace_back();
    goes_on = !line.empty() && line.back().text.ends_with('\\');
    if (goes_on) line.back().text.pop_back();
    if (goes_on && line.back().text.empty()) line.pop_back();
    lines.back().insert(lines.back().end(), line.begin(), line.end());
  }
  std::erase_if(lines, [](const MatrixLine& line) { return line.empty(); });
  return lines;
}

class SlurmReader final {
 public:
  SlurmReader(const std::string& file, const std::string& text)
      : file_(std::make_shared<const std::string>(file)), lines_(lines_of(text)) {}
  NetworkInventory read();

 private:
  Location at(const MatrixWord& word) const { return {file_, word.line, word.column}; }
  Values values_of(const MatrixLine& line) const;
  void read_line(const MatrixLine& line);

  std::shared_ptr<const std::string> file_;
  std::vector<MatrixLine> lines_;
  SwitchTree tree_;
  bool speeds_ = false;
};

Values SlurmReader::values_of(const MatrixLine& line) const {
  constexpr std::array<std::string_view, 6> kKnown{"switchname", "switches",  "nodes",
                                                   "linkspeed",  "blockname", "blocksizes"};
  Values values;
  for (const MatrixWord& word : line) {
    const std::string key = key_of(word.text);
    if (std::ranges::find(kKnown, key) == kKnown.end()) {
      throw SpecError(at(word), quote(std::string_view(word.text).substr(0, 60)) +
                                    " is not of a topology.conf (known: SwitchName=, Switches=, "
                                    "Nodes=, LinkSpeed=, BlockName=, BlockSizes=)");
    }
    MatrixWord value = word;
    value.text.erase(0, key.size() + 1);
    std::erase(value.text, '"');
    if (!values.emplace(key, std::move(value)).second)
      throw SpecError(at(word), quote(key) + " is on the line twice");
  }
  return values;
}

void SlurmReader::read_line(const MatrixLine& line) {
  const Values values = values_of(line);
  const auto value = [&](const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second.text;
  };
  speeds_ = speeds_ || values.contains("linkspeed");
  const std::string nodes = value("nodes");
  if (in_lower_case(nodes) == "all") {
    throw SpecError(
        at(values.at("nodes")),
        "Nodes=ALL does not say how many (list them, as `scontrol show topology` does)");
  }
  if (values.contains("switchname")) {
    tree_.add_switch(value("switchname"), value("switches"), nodes, at(line.front()));
  } else if (values.contains("blockname")) {
    tree_.add_block(nodes, at(line.front()));
  } else if (!values.contains("blocksizes")) {
    throw SpecError(at(line.front()), "the line has no SwitchName= or BlockName=");
  }
}

NetworkInventory SlurmReader::read() {
  for (const MatrixLine& line : lines_) read_line(line);
  NetworkInventory network = tree_.network("a Slurm topology", {file_, 0, 0});
  if (speeds_) network.notes.push_back("LinkSpeed: no effect in Slurm, left out");
  return network;
}

}  // namespace

bool is_slurm_topology(const std::string& text) {
  return std::ranges::any_of(lines_of(text), [](const MatrixLine& line) {
    const std::string key = key_of(line.front().text);
    return key == "switchname" || key == "blockname";
  });
}

NetworkInventory network_of_slurm(const std::string& file, const std::string& text) {
  return SlurmReader(file, text).read();
}

}  // namespace paceline
