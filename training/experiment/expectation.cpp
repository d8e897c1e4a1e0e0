// SPDX-License-Identifier: MIT
#include "training/experiment/expectation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <variant>

#include "experiments/language/containers.hpp"
#include "experiments/language/key_table.hpp"
#include "experiments/language/share.hpp"
#include "experiments/language/unit_table.hpp"
#include "training/results/columns.hpp"

namespace paceline {
namespace {

constexpr const char* kThroughput = "throughput";
constexpr const char* kRate = "items/s";

/// A figure that can be bounded.
struct Bounded {
  std::string name;
  const char* unit;
  std::string meaning;
};

/// True if a column holds a result: neither text nor a setting, and not the base of another column.
bool is_result(const Column& column) {
  if (column.place == Column::Place::point_files) return false;
  if (std::string_view(column.name) == "speedup_base_workers") return false;
  return !std::holds_alternative<std::string ResultLine::*>(column.cell) &&
         !std::holds_alternative<std::string Measurement::*>(column.cell) &&
         !std::holds_alternative<std::optional<std::int64_t> ResultLine::*>(column.cell);
}

const std::vector<Bounded>& bounded() {
  static const std::vector<Bounded> all = [] {
    std::vector<Bounded> figures{
        {kErrorOfPrediction, "share",
         "size of the prediction's error, where the point has a measurement or a published row"}};
    for (const Column& column : columns()) {
      if (is_result(column)) figures.push_back({column.name, column.unit, column.meaning});
    }
    return figures;
  }();
  return all;
}

template <class V>
bool read_as(double& out, const Tree& written, Diagnostics& diagnostics) {
  V value{};
  if (!Value<V>::read(value, written, diagnostics)) return false;
  out = value.value();
  return true;
}

/// The unit of a bound.
std::string unit_written(const Bounded& figure) {
  return std::string_view(figure.unit) == "share" ? "%" : figure.unit;
}

/// Reads "1000 images/s", of any item, or "10 GB/s", of bytes.
bool read_rate(double& out, const Tree& written, Diagnostics& diagnostics) {
  double number = 0;
  std::string_view unit;
  if (leading_number(written, number, unit)) {
    for (const UnitRow& row : units_of(static_cast<const BytesPerSecond*>(nullptr))) {
      if (unit == row.suffix) return read_as<BytesPerSecond>(out, written, diagnostics);
    }
    const std::string_view item = unit.substr(0, unit.find('/'));
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
    if (!item.empty() && unit.substr(item.size()) == "/s" && std::ranges::all_of(item, is_letter)) {
      out = number;
      return true;
    }
  }
  const std::string hint = number_hint(written);
  diagnostics.error(written.at, quote(written) + " is not a throughput" +
                                    (hint.empty() ? " (write a number and items/s)" : hint));
  return false;
}

/// Reads a number in `unit`, that of a column.
bool read_in(std::string_view unit, double& out, const Tree& written, Diagnostics& diagnostics) {
  if (unit == kRate) return read_rate(out, written, diagnostics);
  if (unit == "s") return read_as<Seconds>(out, written, diagnostics);
  if (unit == "bytes") return read_as<Bytes>(out, written, diagnostics);
  if (unit == "bytes/s") return read_as<BytesPerSecond>(out, written, diagnostics);
  if (unit.empty()) return Value<double>::read(out, written, diagnostics);
  if (unit == "h") {
    if (!read_as<Seconds>(out, written, diagnostics)) return false;
    out /= 3600;
    return true;
  }
  if (unit == "share") {
    Percent share;
    if (!Value<Percent>::read(share, written, diagnostics)) return false;
    out = share.fraction;
    return true;
  }
  const std::string suffix(unit);
  const std::array<UnitRow, 1> one{{{suffix.c_str()}}};
  return read_quantity(out, written, "number", one, diagnostics);
}

/// The sign at the start of a bound; "" if there is none.
std::string sign_of(std::string_view text) {
  for (const char* sign : {"<=", ">=", "<", ">"}) {
    if (text.starts_with(sign)) return sign;
  }
  return "";
}

bool read_bound(Expectation& out, const Bounded& figure, const Tree& tree,
                Diagnostics& diagnostics) {
  const std::string sign = tree.is_scalar() ? sign_of(tree.text) : "";
  if (sign.empty()) {
    const std::string unit = unit_written(figure);
    diagnostics.error(tree.at, quote(tree) +
                                   " is not a bound (write <=, <, >= or > and a value: '" +
                                   "<= 10" + (unit.empty() ? "" : " ") + unit + "')");
    return false;
  }
  std::string_view rest = std::string_view(tree.text).substr(sign.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const Tree written = Tree::scalar(std::string(rest), tree.at);
  if (!read_in(figure.unit, out.limit, written, diagnostics)) return false;
  double number = 0;
  std::string_view unit;
  leading_number(written, number, unit);
  out.unit = unit;
  read_in(figure.unit, out.scale, Tree::scalar(out.unit.empty() ? "1" : "1 " + out.unit, tree.at),
          diagnostics);
  out.column = figure.name;
  out.sign = sign;
  out.text = tree.text;
  out.at = tree.at;
  return true;
}

}  // namespace

bool Expectation::met_by(double value) const {
  if (sign == "<=") return value <= limit;
  if (sign == "<") return value < limit;
  return sign == ">=" ? value >= limit : value > limit;
}

std::string unfit_unit(const Expectation& expectation, const Network& network) {
  if (expectation.column != kThroughput) return "";
  const std::string rate = network.item + "/s";
  if (expectation.unit == rate || expectation.unit == kRate) return "";
  const auto is_bandwidth = [&](const UnitRow& row) { return expectation.unit == row.suffix; };
  if (network.item == "bytes" &&
      std::ranges::any_of(units_of(static_cast<const BytesPerSecond*>(nullptr)), is_bandwidth)) {
    return "";
  }
  return "the throughput of '" + network.name + "' is in " + rate + ", and this bound in " +
         expectation.unit;
}

TypeInfo Value<Expectations>::type() {
  TypeInfo info;
  info.name = "mapping";
  info.fields = [] {
    std::vector<KeyInfo> keys;
    for (const Bounded& figure : bounded()) {
      KeyInfo key;
      key.name = figure.name;
      key.help = figure.meaning + (*figure.unit == '\0' ? "" : " (" + unit_written(figure) + ")");
      key.type.name = "text";
      keys.push_back(key);
    }
    return keys;
  };
  return info;
}

bool Value<Expectations>::read(Expectations& out, const Tree& tree, Diagnostics& diagnostics) {
  TypeInfo expected = type();
  expected.name = "mapping of result columns to bounds";
  if (!is_mapping_of(expected, tree, diagnostics)) return false;
  std::vector<std::string> names;
  for (const Bounded& figure : bounded()) names.push_back(figure.name);
  bool good = true;
  Expectations read;
  for (const Member& member : tree.members) {
    const auto at = std::ranges::find(names, member.key);
    if (at == names.end()) {
      diagnostics.error(member.key_at, unknown_name("result column", member.key, names));
      good = false;
      continue;
    }
    const Bounded& figure = bounded()[static_cast<std::size_t>(at - names.begin())];
    Expectation bound;
    good = is_present(member, diagnostics) &&
           read_bound(bound, figure, member.value, diagnostics) && good;
    read.all.push_back(std::move(bound));
  }
  if (good) out = std::move(read);
  return good;
}

Tree Value<Expectations>::write(const Expectations& value) {
  Tree tree = Tree::map();
  for (const Expectation& one : value.all) tree.set(one.column, Tree::quoted_scalar(one.text));
  return value.all.empty() ? Tree{} : tree;
}

}  // namespace paceline
