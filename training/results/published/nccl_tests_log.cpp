// SPDX-License-Identifier: MIT
#include "training/results/published/nccl_tests_log.hpp"

#include <charconv>
#include <iterator>
#include <sstream>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

// Of a row's words the first is the size, and the last eight are the two measurements: time, algbw,
// busbw and errors each. The words between them differ from operation to operation.
constexpr std::size_t kFiguresOfOne = 4;
constexpr std::size_t kFigures = 2 * kFiguresOfOne;
constexpr std::size_t kFewestWords = kFigures + 3;

template <class Number>
std::optional<Number> number(const std::string& word) {
  Number value{};
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

/// The length of the label that `srun -l` ("0: ") or `mpirun --tag-output` ("[1,0]<stdout>:") puts
/// before a line; 0 if there is none.
std::size_t label_of(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos) return 0;
  if (line[first] == '[') {
    const std::size_t end = line.find(">:", first);
    const bool tagged = line.find("]<std") < end && end != std::string::npos;
    return tagged ? end + 2 : 0;
  }
  const std::size_t end = line.find_first_not_of("0123456789", first);
  return end != std::string::npos && end > first && line[end] == ':' ? end + 1 : 0;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line.substr(label_of(line)));
  return {std::istream_iterator<std::string>(text), {}};
}

/// "#  Rank  0 Group  0 Pid ..." names one of the devices.
bool is_rank(const std::vector<std::string>& words) {
  return words.size() > 2 && words[0] == "#" && words[1] == "Rank";
}

}  // namespace

NcclTestsLog NcclTestsLog::parse(const std::string& path, const std::string& text) {
  const auto file = std::make_shared<const std::string>(path);
  NcclTestsLog log;
  std::istringstream lines(text);
  int line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    const std::vector<std::string> words = words_of(line);
    if (is_rank(words)) ++log.ranks;
    // programs that start the ranks, and NCCL itself, write lines of their own
    const auto size = words.empty() ? std::nullopt : number<std::int64_t>(words.front());
    if (!size) continue;
    const auto time = words.size() < kFewestWords
                          ? std::nullopt
                          : number<double>(words[words.size() - kFiguresOfOne]);
    if (!time || !(*time > 0) || *size < 0) {
      throw SpecError(
          Location{file, line_number, 1},
          "not a row of nccl-tests: size, count, type, ..., then time, algbw, busbw and "
          "errors out of place and in place");
    }
    log.rows.push_back({*size, Seconds{*time * 1e-6}, line_number});
  }
  if (log.rows.empty()) {
    throw SpecError(Location{file, 0, 0},
                    "no row of nccl-tests (give the output of all_reduce_perf or its siblings)");
  }
  return log;
}

const NcclTestsRow* NcclTestsLog::find(std::int64_t size) const {
  for (const NcclTestsRow& row : rows) {
    if (row.size == size) return &row;
  }
  return nullptr;
}

}  // namespace paceline
