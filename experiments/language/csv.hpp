// SPDX-License-Identifier: MIT
/// \file
/// Comma-separated values, read and written. Quotes are those of RFC 4180: a field in quotes may
/// hold commas, line ends and doubled quotes. A byte order mark and the \r before a \n are dropped;
/// blank lines and lines that begin with `#` are comments.
#pragma once
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/language/diagnostics.hpp"

namespace paceline {

/// Reads one record after another.
class CsvReader {
 public:
  /// `name` is what errors call the text. `in` and `errors` must outlive this.
  CsvReader(const std::string& name, std::istream& in, Diagnostics& errors)
      : at_{std::make_shared<const std::string>(name), 0, 1}, in_(in), errors_(errors) {}

  /// Reads the next record. False at the end of the text and after an error in the quotes, behind
  /// which the fields are unknown.
  bool next();
  /// The fields of the last record, without their quotes.
  const std::vector<std::string>& fields() const { return fields_; }
  /// The line on which that record begins.
  const Location& at() const { return at_; }

 private:
  bool get_line();
  bool split();
  bool read_quoted(std::size_t& place, std::string& field);
  bool fail(const char* message);

  Location at_;
  std::istream& in_;
  Diagnostics& errors_;
  std::string line_;
  int lines_ = 0;  // read so far
  std::vector<std::string> fields_;
};

/// A record with its line end. Fields have quotes only where they need them.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace paceline
