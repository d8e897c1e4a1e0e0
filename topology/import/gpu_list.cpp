// SPDX-License-Identifier: MIT
#include "topology/import/gpu_list.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

namespace paceline {
namespace {

constexpr int kMostGpus = 256;
constexpr std::size_t kLongestName = 64;

using Words = MatrixLine::const_iterator;

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && rest == text.data() + text.size();
  return whole && value >= 0 && value < kMostGpus ? std::optional(value) : std::nullopt;
}

/// The words up to a comma as a name, which begins with a letter; "" if they are none.
std::string name_of(Words begin, Words end) {
  std::string name;
  for (Words word = begin; word < end; ++word) {
    name += (name.empty() ? "" : " ") + word->text;
    if (!name.ends_with(',')) continue;
    name.pop_back();
    break;
  }
  const bool is_name = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                       name.size() <= kLongestName;
  return is_name ? name : "";
}

/// Adds the name in a line such as "GPU 0: NAME (UUID: ...)" or "GPU0: NAME, 24564 MiB".
void read_sentence(const MatrixLine& line, std::map<int, std::string>& names) {
  Words number = line.begin();
  std::string_view digits;
  for (; number != line.end() && digits.empty(); ++number) {
    std::string_view text = number->text;
    if (text == "GPU") continue;
    const bool after_gpu = number != line.begin() && std::prev(number)->text == "GPU";
    if (!text.ends_with(':') || (!after_gpu && !text.starts_with("GPU"))) continue;
    text.remove_suffix(1);
    if (!after_gpu) text.remove_prefix(3);
    if (number_in(text)) digits = text;
  }
  if (digits.empty()) return;
  const Words end = std::find_if(number, line.end(),
                                 [](const MatrixWord& word) { return word.text.starts_with('('); });
  std::string name = name_of(number, end);
  if (!name.empty()) names.emplace(*number_in(digits), std::move(name));
}

/// True for an address of the PCI bus, as in the table of `nvidia-smi`: "00000000:01:00.0".
bool is_bus_id(const std::string& word) {
  return std::count(word.begin(), word.end(), ':') == 2 &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return c == ':' || c == '.' || std::isxdigit(static_cast<unsigned char>(c)) != 0;
         });
}

/// Adds the name in a row "|  0  NAME  Off | 00000000:01:00.0 Off |  Off |". Between the name and
/// the next bar is the mode of the driver.
void read_table_row(const MatrixLine& line, std::map<int, std::string>& names) {
  const auto is_bar = [](const MatrixWord& word) { return word.text == "|"; };
  if (line.size() < 2 || !is_bar(line[0])) return;
  const std::optional<int> number = number_in(line[1].text);
  const Words bar = std::find_if(line.begin() + 1, line.end(), is_bar);
  if (!number || bar == line.end() || bar + 1 == line.end() || !is_bus_id((bar + 1)->text)) return;
  std::string name = name_of(line.begin() + 2, bar - 1);
  if (!name.empty()) names.emplace(*number, std::move(name));
}

}  // namespace

std::map<int, std::string> gpu_names(const std::vector<MatrixLine>& lines) {
  std::map<int, std::string> names;
  for (const MatrixLine& line : lines) {
    read_sentence(line, names);
    read_table_row(line, names);
  }
  return names;
}

}  // namespace paceline
