// SPDX-License-Identifier: MIT
#include "experiments/language/unit_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

namespace paceline {
namespace {

// Decimal and binary multiples as used in the field, in ascending order.
constexpr std::array<UnitRow, 6> kTime{
    {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3}, {"s"}, {"min", 60}, {"h", 3600}}};
constexpr std::array<UnitRow, 9> kSize{{{"B"},
                                        {"kB", 1e3},
                                        {"KiB", 1024},
                                        {"MB", 1e6},
                                        {"MiB", 1048576},
                                        {"GB", 1e9},
                                        {"GiB", 1073741824},
                                        {"TB", 1e12},
                                        {"TiB", 1099511627776}}};
constexpr std::array<UnitRow, 9> kBandwidth{{{"B/s"},
                                             {"kB/s", 1e3},
                                             {"MB/s", 1e6},
                                             {"MiB/s", 1048576},
                                             {"GB/s", 1e9},
                                             {"GiB/s", 1073741824},
                                             {"TB/s", 1e12},
                                             {"Mbit/s", 1.25e5, 1, false},
                                             {"Gbit/s", 1.25e8, 1, false}}};
constexpr std::array<UnitRow, 5> kWork{
    {{"FLOP"}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}, {"PFLOP", 1e15}}};
constexpr std::array<UnitRow, 5> kSpeed{
    {{"FLOP/s"}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}}};
constexpr std::array<UnitRow, 2> kPower{{{"W"}, {"kW", 1e3}}};
constexpr std::array<UnitRow, 1> kPrice{{{"USD/h"}}};

double in_base(double number, const UnitRow& unit) {
  return number * unit.scale / unit.per;
}

struct UnitWord {
  std::string_view word, symbol;
};

constexpr std::array<UnitWord, 30> kWords{
    {{"sec", "s"},           {"secs", "s"},          {"second", "s"},       {"seconds", "s"},
     {"msec", "ms"},         {"msecs", "ms"},        {"millis", "ms"},      {"millisecond", "ms"},
     {"milliseconds", "ms"}, {"usec", "us"},         {"usecs", "us"},       {"micros", "us"},
     {"microsecond", "us"},  {"microseconds", "us"}, {"nsec", "ns"},        {"nsecs", "ns"},
     {"nanos", "ns"},        {"nanosecond", "ns"},   {"nanoseconds", "ns"}, {"mins", "min"},
     {"minute", "min"},      {"minutes", "min"},     {"hr", "h"},           {"hrs", "h"},
     {"hour", "h"},          {"hours", "h"},         {"byte", "B"},         {"bytes", "B"},
     {"watt", "W"},          {"watts", "W"}}};

/// The unit that a suffix stands for: "ms" for "msec", "GiB" for "gib"; "" if none.
std::string meant(std::string_view suffix, std::span<const UnitRow> units) {
  const auto lower = [](std::string_view text) {
    std::string all(text);
    for (char& c : all) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return all;
  };
  std::string word = lower(suffix);
  if (word.ends_with("ps")) word.replace(word.size() - 2, 1, "/");  // GBps, Gbps
  const bool rate = suffix.size() == 4 && word.ends_with("b/s");
  if (rate && suffix[1] == 'b') word.insert(2, "it");  // bits, not bytes
  const std::string_view known = unit_of_word(word);
  const std::string wanted = known.empty() ? word : lower(known);
  for (const UnitRow& unit : units) {
    if (suffix == unit.suffix) return "";  // the number is at fault
    if (*unit.suffix != '\0' && wanted == lower(unit.suffix)) return unit.suffix;
  }
  return "";
}

/// The shortest decimal that is exactly `value` when read in `unit`; "" if there is none.
std::string exact_digits(double value, const UnitRow& unit) {
  const double scaled = value / unit.scale * unit.per;
  for (int digits = 1; digits <= 17; ++digits) {
    std::array<char, 40> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.*g", digits, scaled);
    double rounded = 0;
    std::from_chars(text.data(), text.data() + length, rounded);
    if (in_base(rounded, unit) == value) return print_number(rounded);
  }
  return "";
}

}  // namespace

std::string_view unit_of_word(std::string_view word) {
  const auto known = std::ranges::find(kWords, word, &UnitWord::word);
  return known != kWords.end() ? known->symbol : "";
}

std::span<const UnitRow> units_of(const Seconds*) {
  return kTime;
}
std::span<const UnitRow> units_of(const Bytes*) {
  return kSize;
}
std::span<const UnitRow> units_of(const BytesPerSecond*) {
  return kBandwidth;
}
std::span<const UnitRow> units_of(const Flops*) {
  return kWork;
}
std::span<const UnitRow> units_of(const FlopsPerSecond*) {
  return kSpeed;
}
std::span<const UnitRow> units_of(const Watts*) {
  return kPower;
}
std::span<const UnitRow> units_of(const DollarsPerHour*) {
  return kPrice;
}
const char* dimension_of(const Seconds*) {
  return "time";
}
const char* dimension_of(const Bytes*) {
  return "size";
}
const char* dimension_of(const BytesPerSecond*) {
  return "bandwidth";
}
const char* dimension_of(const Flops*) {
  return "amount of work";
}
const char* dimension_of(const FlopsPerSecond*) {
  return "speed";
}
const char* dimension_of(const Watts*) {
  return "power";
}
const char* dimension_of(const DollarsPerHour*) {
  return "price";
}

TypeInfo quantity_type(const char* what, std::span<const UnitRow> units) {
  TypeInfo info;
  info.name = what;
  for (const UnitRow& row : units) info.units.emplace_back(row.suffix);
  return info;
}

bool read_quantity(double& out, const Tree& tree, const char* what, std::span<const UnitRow> units,
                   Diagnostics& diagnostics) {
  double value = 0;
  std::string_view suffix;
  if (leading_number(tree, value, suffix)) {
    for (const UnitRow& unit : units) {
      if (suffix != unit.suffix || !std::isfinite(in_base(value, unit))) continue;
      out = in_base(value, unit);
      return true;
    }
  }
  std::string allowed = number_hint(tree);
  if (const std::string unit = meant(suffix, units); allowed.empty() && !unit.empty())
    allowed = " (did you mean '" + print_number(value) + " " + unit + "'?)";
  if (allowed.empty()) {
    std::vector<std::string> known;
    for (const UnitRow& unit : units) known.emplace_back(unit.suffix);
    allowed = known.size() == 1 ? " (write a number and " + known.front() + ")"
                                : " (write a number and one of: " + join(known) + ")";
  }
  diagnostics.error(tree.at, quote(tree) + " is not " + with_article(what) + allowed);
  return false;
}

std::string print_quantity(double value, std::span<const UnitRow> units) {
  std::string best;
  bool best_readable = false;
  for (const UnitRow& unit : units) {
    if (!unit.printed || (value == 0 && in_base(1, unit) != 1)) continue;
    const std::string digits = exact_digits(value, unit);
    if (digits.empty()) continue;
    const double size = std::fabs(value / unit.scale * unit.per);
    const bool readable = size >= 1 && size < 1000;
    const std::size_t unit_length = std::string_view(unit.suffix).size() + 1;
    const bool shorter = digits.size() + unit_length <= best.size();
    if (best.empty() || (readable && !best_readable) || (readable == best_readable && shorter)) {
      best = digits + " " + unit.suffix;
      best_readable = readable;
    }
  }
  if (!best.empty()) return best;
  // no unit has an exact decimal: the nearest decimal in the first unit
  return print_number(value / units.front().scale * units.front().per) + " " + units.front().suffix;
}

}  // namespace paceline
