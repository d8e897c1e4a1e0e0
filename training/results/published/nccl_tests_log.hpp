// SPDX-License-Identifier: MIT
/// \file
/// The output of a program of nccl-tests (all_reduce_perf and its siblings), as it prints it: lines
/// that begin with # are comments, the others have size, count, type, and then time (us), algbw
/// (GB/s), busbw (GB/s) and errors, out of place and in place.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/units.hpp"

namespace paceline {

struct NcclTestsRow {
  std::int64_t size = 0;  ///< bytes
  Seconds time;           ///< in place, as Paceline's collectives are
  int line = 0;
};

struct NcclTestsLog {
  int ranks = 0;  ///< by the list of devices; 0: the log has none
  std::vector<NcclTestsRow> rows;

  /// Throws SpecError if the text has no row, or a damaged one; errors name `path`.
  static NcclTestsLog parse(const std::string& path, const std::string& text);
  const NcclTestsRow* find(std::int64_t size) const;
};

}  // namespace paceline
