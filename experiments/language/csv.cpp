// SPDX-License-Identifier: MIT
#include "experiments/language/csv.hpp"

#include <algorithm>
#include <utility>

namespace paceline {
namespace {

// Beyond it a field has no end: its quote was forgotten.
constexpr std::size_t kMostInField = std::size_t{1} << 20;

}  // namespace

bool CsvReader::fail(const char* message) {
  errors_.error(at_, message);
  return false;
}

bool CsvReader::get_line() {
  if (!std::getline(in_, line_)) return false;
  if (++lines_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

bool CsvReader::next() {
  while (get_line()) {
    const std::size_t first = line_.find_first_not_of(" \t");
    if (first == std::string::npos || line_[first] == '#') continue;
    at_.line = lines_;
    return split();
  }
  return false;
}

bool CsvReader::split() {
  std::size_t count = 0;
  for (std::size_t place = 0;; ++place) {
    if (count == fields_.size()) fields_.emplace_back();  // the strings keep their memory
    std::string& field = fields_[count++];
    bool misplaced = false;
    if (place < line_.size() && line_[place] == '"') {
      if (!read_quoted(place, field)) return false;
      misplaced = place < line_.size() && line_[place] != ',';
    } else {
      const std::size_t begin =
          std::exchange(place, std::min(line_.find(',', place), line_.size()));
      misplaced = line_.find('"', begin) < place;
      field.assign(line_, begin, place - begin);
    }
    if (misplaced) {
      return fail("a quote inside a field (quote the whole field, and double the quotes in it)");
    }
    if (place == line_.size()) break;
  }
  fields_.resize(count);
  return true;
}

/// Reads a field from its opening quote on; `place` is then behind its closing one.
bool CsvReader::read_quoted(std::size_t& place, std::string& field) {
  field.clear();
  for (++place;; ++place) {
    while (place == line_.size()) {
      if (field.size() > kMostInField || !get_line()) return fail("the quote is never closed");
      field += '\n';
      place = 0;
    }
    if (line_[place] == '"') {
      ++place;
      if (place == line_.size() || line_[place] != '"') return true;
    }
    field += line_[place];
  }
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    const bool first = &field == &fields.front();
    if (!first) line += ',';
    const bool comment = first && field.starts_with('#');
    if (!comment && field.find_first_of(",\"\n\r") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

}  // namespace paceline
