#include "experiments/value.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace paceline {
namespace {

// Binary and decimal multiples, as the field writes them. The first unit is the base.
constexpr std::array<UnitRow, 5> kTime{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"h", 3600}}};
constexpr std::array<UnitRow, 7> kSize{{{"B", 1},
                                        {"kB", 1e3},
                                        {"KiB", 1024},
                                        {"MB", 1e6},
                                        {"MiB", 1048576},
                                        {"GB", 1e9},
                                        {"GiB", 1073741824}}};
constexpr std::array<UnitRow, 8> kBandwidth{{{"B/s", 1},
                                             {"kB/s", 1e3},
                                             {"MB/s", 1e6},
                                             {"MiB/s", 1048576},
                                             {"GB/s", 1e9},
                                             {"GiB/s", 1073741824},
                                             {"Mbit/s", 1.25e5},
                                             {"Gbit/s", 1.25e8}}};
constexpr std::array<UnitRow, 4> kWork{{{"FLOP", 1}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}}};
constexpr std::array<UnitRow, 4> kSpeed{
    {{"FLOP/s", 1}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}}};

/// Reads the leading number; `rest` is what follows it without blanks.
bool leading_number(const Tree& tree, double& value, std::string_view& rest) {
  if (!tree.is_scalar() || tree.quoted) return false;
  const char* end = tree.text.data() + tree.text.size();
  const auto [stop, error] = std::from_chars(tree.text.data(), end, value);
  if (error != std::errc{} || !std::isfinite(value)) return false;
  rest = std::string_view(stop, static_cast<std::size_t>(end - stop));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return true;
}

template <class Integer>
bool read_integer(Integer& out, const Tree& tree, Diagnostics& diagnostics) {
  if (tree.is_scalar() && !tree.quoted) {
    const char* end = tree.text.data() + tree.text.size();
    Integer value = 0;
    const auto [rest, error] = std::from_chars(tree.text.data(), end, value);
    if (error == std::errc{} && rest == end) {
      out = value;
      return true;
    }
  }
  diagnostics.error(tree.at, "'" + to_flow(tree) + "' is not an integer");
  return false;
}

TypeInfo named(const char* name) {
  TypeInfo info;
  info.name = name;
  return info;
}

}  // namespace

std::span<const UnitRow> units_of(const Seconds*) { return kTime; }
std::span<const UnitRow> units_of(const Bytes*) { return kSize; }
std::span<const UnitRow> units_of(const BytesPerSecond*) { return kBandwidth; }
std::span<const UnitRow> units_of(const Flops*) { return kWork; }
std::span<const UnitRow> units_of(const FlopsPerSecond*) { return kSpeed; }
const char* dimension_of(const Seconds*) { return "time"; }
const char* dimension_of(const Bytes*) { return "size"; }
const char* dimension_of(const BytesPerSecond*) { return "bandwidth"; }
const char* dimension_of(const Flops*) { return "amount of work"; }
const char* dimension_of(const FlopsPerSecond*) { return "speed"; }

bool read_quantity(double& out, const Tree& tree, const char* what, std::span<const UnitRow> units,
                   Diagnostics& diagnostics) {
  double value = 0;
  std::string_view unit;
  if (leading_number(tree, value, unit)) {
    for (const UnitRow& row : units) {
      if (unit == row.suffix && std::isfinite(value * row.scale)) {
        out = value * row.scale;
        return true;
      }
    }
  }
  std::vector<std::string> known;
  for (const UnitRow& row : units) known.emplace_back(row.suffix);
  diagnostics.error(tree.at, "'" + to_flow(tree) + "' is not a " + what +
                                 " (write a number and one of: " + join(known) + ")");
  return false;
}

std::string print_number(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::string(text.data(), end) : std::string();
}

std::string print_quantity(double value, std::span<const UnitRow> units) {
  const UnitRow* best = &units.front();
  std::string text = print_number(value);
  for (const UnitRow& row : units) {  // the shortest digits that still read back exactly
    const double scaled = value / row.scale;
    if (std::fabs(scaled) < 1 || scaled * row.scale != value) continue;
    std::string shorter = print_number(scaled);
    if (shorter.size() < text.size() || std::fabs(value) < best->scale) {
      best = &row;
      text = std::move(shorter);
    }
  }
  return text + " " + best->suffix;
}

TypeInfo Value<double>::type() { return named("number"); }
bool Value<double>::read(double& out, const Tree& tree, Diagnostics& diagnostics) {
  double value = 0;
  std::string_view rest;
  if (leading_number(tree, value, rest) && rest.empty()) {
    out = value;
    return true;
  }
  diagnostics.error(tree.at, "'" + to_flow(tree) + "' is not a number");
  return false;
}
Tree Value<double>::write(const double& value) { return Tree::scalar(print_number(value)); }

TypeInfo Value<int>::type() { return named("integer"); }
bool Value<int>::read(int& out, const Tree& tree, Diagnostics& diagnostics) {
  return read_integer(out, tree, diagnostics);
}
Tree Value<int>::write(const int& value) { return Tree::scalar(std::to_string(value)); }

TypeInfo Value<std::int64_t>::type() { return named("integer"); }
bool Value<std::int64_t>::read(std::int64_t& out, const Tree& tree, Diagnostics& diagnostics) {
  return read_integer(out, tree, diagnostics);
}
Tree Value<std::int64_t>::write(const std::int64_t& value) {
  return Tree::scalar(std::to_string(value));
}

TypeInfo Value<std::uint64_t>::type() { return named("integer"); }
bool Value<std::uint64_t>::read(std::uint64_t& out, const Tree& tree, Diagnostics& diagnostics) {
  return read_integer(out, tree, diagnostics);
}
Tree Value<std::uint64_t>::write(const std::uint64_t& value) {
  return Tree::scalar(std::to_string(value));
}

TypeInfo Value<bool>::type() { return named("true or false"); }
bool Value<bool>::read(bool& out, const Tree& tree, Diagnostics& diagnostics) {
  if (tree.is_scalar() && !tree.quoted && (tree.text == "true" || tree.text == "false")) {
    out = tree.text == "true";
    return true;
  }
  diagnostics.error(tree.at, "'" + to_flow(tree) + "' is neither true nor false");
  return false;
}
Tree Value<bool>::write(const bool& value) { return Tree::scalar(value ? "true" : "false"); }

TypeInfo Value<std::string>::type() { return named("text"); }
bool Value<std::string>::read(std::string& out, const Tree& tree, Diagnostics& diagnostics) {
  if (!tree.is_scalar() || tree.text.empty()) {
    diagnostics.error(tree.at, "expected text");
    return false;
  }
  out = tree.text;
  return true;
}
Tree Value<std::string>::write(const std::string& value) {
  if (value.empty()) return {};
  return Tree::scalar(value);
}

TypeInfo Value<Tree>::type() { return named("anything"); }
bool Value<Tree>::read(Tree& out, const Tree& tree, Diagnostics&) {
  out = tree;
  return true;
}
Tree Value<Tree>::write(const Tree& value) { return value; }

TypeInfo Value<Percent>::type() {
  TypeInfo info = named("share");
  info.units = {"%"};
  return info;
}
bool Value<Percent>::read(Percent& out, const Tree& tree, Diagnostics& diagnostics) {
  double value = 0;
  std::string_view unit;
  if (leading_number(tree, value, unit) && unit == "%") {
    out.fraction = value / 100;
    return true;
  }
  diagnostics.error(tree.at, "'" + to_flow(tree) + "' is not a share (write a number and %)");
  return false;
}
Tree Value<Percent>::write(const Percent& value) {
  return Tree::scalar(print_number(value.fraction * 100) + " %");
}

int CountOrShare::of(int workers) const {
  if (share == 0) return count;
  // 50 % of 7 is 4; the slack keeps 1/3 * 3 at 1
  return static_cast<int>(std::ceil(share * workers - 1e-9));
}

TypeInfo Value<CountOrShare>::type() {
  TypeInfo info = named("count or share of the workers");
  info.units = {"", "%"};
  return info;
}
bool Value<CountOrShare>::read(CountOrShare& out, const Tree& tree, Diagnostics& diagnostics) {
  double value = 0;
  std::string_view unit;
  if (leading_number(tree, value, unit)) {
    if (unit == "%" && value > 0 && value <= 100) {
      out = {0, value / 100};
      return true;
    }
    if (unit.empty() && value >= 1 && value <= 1e9 && value == std::floor(value)) {
      out = {static_cast<int>(value), 0};
      return true;
    }
  }
  diagnostics.error(tree.at, "'" + to_flow(tree) +
                                 "' is neither a count (1, 2, ...) nor a share (above 0 % to 100 %)");
  return false;
}
Tree Value<CountOrShare>::write(const CountOrShare& value) {
  if (!value.set()) return {};
  if (value.share != 0) return Value<Percent>::write({value.share});
  return Tree::scalar(std::to_string(value.count));
}

}  // namespace paceline
