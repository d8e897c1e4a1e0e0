// SPDX-License-Identifier: MIT
//
// Reads the text of a matrix. Pasted text may have lost tabs, gained terminal escapes or been
// wrapped, so lines are classified by their words only: a row is a label followed by cells.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "topology/import/gpu_list.hpp"
#include "topology/import/matrix_sockets.hpp"
#include "topology/import/matrix_words.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr int kMostNvlinks = 64;

bool is_cell(const std::string& word) {
  return word == "X" || matrix_cell(word);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_gpu(const std::string& label) {
  return label.size() > 3 && label.starts_with("GPU") &&
         std::all_of(label.begin() + 3, label.end(), is_digit);
}

/// True if a line begins a header: its first word is a GPU's label, after which a tab may be
/// missing. A line of text about a GPU ("GPU0: NVIDIA ...") is not a header.
bool begins_header(const MatrixLine& words) {
  if (words.empty() || !words[0].text.starts_with("GPU")) return false;
  const std::string& text = words[0].text;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 3), text.size());
  return end > 3 &&
         (end == text.size() || std::isalpha(static_cast<unsigned char>(text[end])) != 0);
}

/// True for a label of printable ASCII characters, which notes and files can show as it is.
bool is_label(const std::string& word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// True for an affinity, which follows a row's cells: "0-19,40-59" or "N/A".
bool is_affinity(const std::string& word) {
  return word == "N/A" || std::all_of(word.begin(), word.end(),
                                      [](char c) { return is_digit(c) || c == '-' || c == ','; });
}

bool is_bar(const MatrixWord& word) {
  return word.text == "|";
}

/// True for a line that a table draws between its rows ("|---|---|").
bool is_rule(const MatrixLine& words) {
  return words.size() == 1 && words[0].text.find_first_not_of("|-+=:") == std::string::npos;
}

/// A row: its label and the words after it, cells first.
struct RowText {
  MatrixWord label;
  std::vector<MatrixWord> words;
};

class MatrixReader final {
 public:
  MatrixReader(const std::string& file, const std::string& text)
      : file_(std::make_shared<const std::string>(file)), lines_(matrix_lines(text)) {
    names_ = gpu_names(lines_);
    for (MatrixLine& line : lines_) std::erase_if(line, is_bar);
  }
  TopoMatrix read();

 private:
  Location at(const MatrixWord& word) const { return {file_, word.line, word.column}; }
  Location at_line(std::size_t index) const { return {file_, static_cast<int>(index) + 1, 1}; }
  void note_heads(const MatrixLine& words);
  bool begins_row(const MatrixLine& words) const;
  void find_rows();
  std::string model_of(const std::string& label) const;
  void find_columns();
  std::vector<std::string> split_glued(const std::string& word) const;
  void read_row(const RowText& row);
  MatrixCell cell_of(const MatrixWord& word) const;
  void fill_by_symmetry();
  void read_legend();

  std::shared_ptr<const std::string> file_;
  std::vector<MatrixLine> lines_;
  std::map<int, std::string> names_;  // of GPUs by number, from text around the matrix
  std::set<std::string> heads_;       // labels of the header
  std::vector<RowText> rows_;
  std::size_t first_row_ = 0;  // lines
  std::size_t behind_rows_ = 0;
  std::map<std::string, std::size_t> columns_;
  TopoMatrix matrix_;
};

/// Collects the labels of a header, which begins with a GPU and may span several lines.
void MatrixReader::note_heads(const MatrixLine& words) {
  if (heads_.empty() && !begins_header(words)) return;
  constexpr std::string_view kDigits = "0123456789";
  for (const MatrixWord& word : words) {
    if (word.text == "CPU" || word.text == "NUMA") return;  // the columns end here
    std::string rest = word.text;
    while (rest.starts_with("GPU")) {  // tabs between labels may be missing
      const std::size_t end = std::min(rest.find_first_not_of(kDigits, 3), rest.size());
      if (end == 3) break;
      heads_.insert(rest.substr(0, end));
      rest.erase(0, end);
    }
    if (!rest.empty()) heads_.insert(rest);
  }
}

/// True if a line begins a row: its first word is a label followed by a cell, or a known label
/// without a row yet. Known are the labels of the header and, after the first row, all GPUs. Text
/// below the matrix may begin with a label that already has its row.
bool MatrixReader::begins_row(const MatrixLine& words) const {
  const std::string& label = words[0].text;
  if (is_cell(label) || is_affinity(label)) return false;
  if (words.size() > 1 && is_cell(words[1].text)) return true;
  if (words.size() > 1 && is_gpu(words[1].text)) return false;  // a header
  const bool known = heads_.contains(label) || (is_gpu(label) && !rows_.empty());
  return known && std::none_of(rows_.begin(), rows_.end(),
                               [&](const RowText& row) { return row.label.text == label; });
}

void MatrixReader::find_rows() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const MatrixLine& words = lines_[i];
    if (words.empty() || is_rule(words)) continue;
    if (begins_row(words)) {
      if (rows_.empty()) first_row_ = i;
      rows_.push_back({words[0], {words.begin() + 1, words.end()}});
    } else if (!rows_.empty()) {
      const bool continues_row = std::all_of(
          words.begin(), words.end(),
          [](const MatrixWord& word) { return is_cell(word.text) || is_affinity(word.text); });
      if (!continues_row) break;
      rows_.back().words.insert(rows_.back().words.end(), words.begin(), words.end());
    } else {
      note_heads(words);
    }
    if (!rows_.empty()) behind_rows_ = i + 1;
  }
  if (rows_.empty()) {
    throw SpecError(at_line(0),
                    "no row of a matrix such as 'GPU0  X  PIX' (give what "
                    "`nvidia-smi topo -m` prints)");
  }
}

/// Splits "GPU0GPU1" into labels of rows; returns the word itself if that is impossible.
std::vector<std::string> MatrixReader::split_glued(const std::string& word) const {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin < word.size()) {
    std::size_t longest = 0;
    for (const RowText& row : rows_) {
      const std::string& label = row.label.text;
      if (label.size() > longest && word.compare(begin, label.size(), label) == 0) {
        longest = label.size();
      }
    }
    if (longest == 0) return {word};
    parts.push_back(word.substr(begin, longest));
    begin += longest;
  }
  return parts;
}

/// The model of a GPU. A text that names some GPUs, all alike, is taken as part of a list.
std::string MatrixReader::model_of(const std::string& label) const {
  bool alike = !names_.empty();
  for (const auto& [number, name] : names_) {
    if (label == "GPU" + std::to_string(number)) return name;
    alike = alike && name == names_.begin()->second;
  }
  return alike ? names_.begin()->second : "";
}

void MatrixReader::find_columns() {
  std::size_t begin = first_row_;  // a header may span several lines
  while (begin > 0 && !lines_[begin - 1].empty()) --begin;
  std::vector<std::string> labels;
  bool more = true;
  for (std::size_t i = begin; i < first_row_ && more; ++i) {
    const MatrixLine& words = lines_[i];
    if (begins_header(words)) {  // the same GPU again: the lines before were text about it
      if (!labels.empty() && split_glued(words[0].text).front() == labels.front()) labels.clear();
    } else if (labels.empty() || is_rule(words)) {
      continue;
    }
    for (const MatrixWord& word : words) {
      // "CPU Affinity", "NUMA Affinity", "GPU NUMA ID" follow the columns
      if (word.text == "CPU" || word.text == "NUMA" || word.text.starts_with("CPUAff")) {
        more = false;
        break;
      }
      for (std::string& label : split_glued(word.text)) labels.push_back(std::move(label));
    }
  }
  if (labels.empty()) {
    for (const RowText& row : rows_) labels.push_back(row.label.text);
    matrix_.notes.push_back("the matrix has no header: its columns are taken as its rows");
  }
  if (labels.size() > kMostColumns) {
    throw SpecError(at_line(begin),
                    "too many columns (at most " + std::to_string(kMostColumns) + ")");
  }
  for (const std::string& label : labels) {
    if (!is_label(label)) {
      throw SpecError(at_line(begin),
                      "column " + quote(label) + " has characters that no name of a device has");
    }
    if (!columns_.emplace(label, matrix_.rows.size()).second) {
      throw SpecError(at_line(begin), "column " + quote(label) + " appears twice");
    }
    TopoMatrix::Row row;
    row.label = label;
    row.gpu = is_gpu(label);
    if (row.gpu) row.model = model_of(label);
    row.cells.resize(labels.size());
    matrix_.rows.push_back(std::move(row));
  }
}

MatrixCell MatrixReader::cell_of(const MatrixWord& word) const {
  std::optional<MatrixCell> cell = matrix_cell(word.text);
  if (!cell) {
    throw SpecError(
        at(word),
        quote(word.text) +
            " is not a cell of a matrix (known: X, NV#, PIX, PXB, PHB, NODE, SYS, SOC, as "
            "`nvidia-smi topo -m` prints)");
  }
  if (cell->nvlinks > kMostNvlinks) {
    throw SpecError(
        at(word), quote(word.text) + " has more than " + std::to_string(kMostNvlinks) + " NVLinks");
  }
  cell->at = at(word);
  return *cell;
}

void MatrixReader::read_row(const RowText& row) {
  const auto found = columns_.find(row.label.text);
  if (found == columns_.end()) {
    throw SpecError(at(row.label), "row " + quote(row.label.text) + " has no column of that name");
  }
  const std::size_t mine = found->second;
  TopoMatrix::Row& out = matrix_.rows[mine];
  const std::size_t columns = columns_.size();
  if (row.words.size() < columns) {
    throw SpecError(at(row.label), "row " + quote(row.label.text) + " has " +
                                       std::to_string(row.words.size()) + " cells, and there are " +
                                       std::to_string(columns) + " columns");
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const MatrixWord& word = row.words[column];
    if ((word.text == "X") != (column == mine)) {
      throw SpecError(at(word), column == mine ? quote(word.text) + " on the diagonal (expected X)"
                                               : "'X' between " + quote(row.label.text) + " and " +
                                                     quote(matrix_.rows[column].label) +
                                                     " (X is for the diagonal)");
    }
    if (column == mine) continue;
    if (word.text == "SOC") matrix_.old_legend = true;
    const MatrixCell cell = cell_of(word);
    if (cell.nvlinks > 0 && !(out.gpu && matrix_.rows[column].gpu)) {
      throw SpecError(at(word), quote(word.text) + " between " + quote(row.label.text) + " and " +
                                    quote(matrix_.rows[column].label) +
                                    " (NVLinks are between GPUs: GPU0, GPU1, ...)");
    }
    const std::optional<MatrixCell>& opposite = matrix_.rows[column].cells[mine];
    if (opposite && !(*opposite == cell)) {
      throw SpecError(cell.at, quote(word.text) + " here, but '" + to_string(*opposite) +
                                   "' on line " + std::to_string(opposite->at.line) +
                                   " for the same pair");
    }
    if (out.cells[column]) {
      throw SpecError(at(row.label), "row " + quote(row.label.text) + " appears twice");
    }
    out.cells[column] = cell;
  }
  if (row.words.size() > columns && is_cell(row.words[columns].text)) {
    throw SpecError(at(row.words[columns]), "row " + quote(row.label.text) +
                                                " has more cells than there are columns (" +
                                                std::to_string(columns) + ")");
  }
  // After the cells: CPU affinity, NUMA affinity.
  std::vector<std::string> rest;
  for (std::size_t i = columns; i < row.words.size(); ++i) rest.push_back(row.words[i].text);
  if (!rest.empty() && rest[0] != "N/A") out.cpus = rest[0];
  if (rest.size() > 1 && rest[1] != "N/A") out.numa = rest[1];
}

void MatrixReader::fill_by_symmetry() {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < matrix_.rows.size(); ++i) {
    const bool has_row = std::any_of(rows_.begin(), rows_.end(), [&](const RowText& row) {
      return row.label.text == matrix_.rows[i].label;
    });
    if (has_row) continue;
    missing.push_back(matrix_.rows[i].label);
    for (std::size_t j = 0; j < matrix_.rows.size(); ++j) {
      if (matrix_.rows[j].cells[i]) matrix_.rows[i].cells[j] = matrix_.rows[j].cells[i];
    }
  }
  if (missing.empty()) return;
  matrix_.notes.push_back("rows that are missing were filled in by symmetry: " + join(missing));
}

/// Reads the legend that newer drivers print below the matrix: "NIC0: mlx5_0".
void MatrixReader::read_legend() {
  std::set<std::string> labels;
  for (const TopoMatrix::Row& row : matrix_.rows) labels.insert(row.label);
  for (std::size_t i = behind_rows_; i < lines_.size(); ++i) {
    const MatrixLine& words = lines_[i];
    if (words.size() != 2 || !words[0].text.ends_with(':') || !is_label(words[1].text)) continue;
    const auto found = columns_.find(words[0].text.substr(0, words[0].text.size() - 1));
    if (found == columns_.end() || matrix_.rows[found->second].gpu) continue;
    if (labels.insert(words[1].text).second) matrix_.rows[found->second].label = words[1].text;
  }
}

TopoMatrix MatrixReader::read() {
  find_rows();
  find_columns();
  for (const RowText& row : rows_) read_row(row);
  fill_by_symmetry();
  read_legend();
  join_parts_of_sockets(matrix_);
  return std::move(matrix_);
}

}  // namespace

TopoMatrix read_matrix(const std::string& file, const std::string& text) {
  return MatrixReader(file, text).read();
}

}  // namespace paceline
