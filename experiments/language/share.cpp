// SPDX-License-Identifier: MIT
#include "experiments/language/share.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "experiments/language/unit_table.hpp"

namespace paceline {
namespace {

constexpr std::array<UnitRow, 1> kShare{{{"%", 1, 100}}};

TypeInfo share_type(const char* name, std::vector<std::string> units) {
  TypeInfo info;
  info.name = name;
  info.units = std::move(units);
  return info;
}

}  // namespace

TypeInfo Value<Percent>::type() {
  return share_type("share", {"%"});
}
bool Value<Percent>::read(Percent& out, const Tree& tree, Diagnostics& diagnostics) {
  return read_quantity(out.fraction, tree, "share", kShare, diagnostics);
}
Tree Value<Percent>::write(const Percent& value) {
  return Tree::scalar(print_quantity(value.fraction, kShare));
}

int CountOrShare::of(int workers) const {
  if (share == 0) return count;
  // Rounds up: 50 % of 7 is 4. The tolerance absorbs rounding: a third of 3 is 1, not 2.
  return std::max(1, static_cast<int>(std::ceil(share * workers - 1e-9)));
}

TypeInfo Value<CountOrShare>::type() {
  return share_type("count or share of the workers", {"", "%"});
}
bool Value<CountOrShare>::read(CountOrShare& out, const Tree& tree, Diagnostics& diagnostics) {
  double value = 0;
  std::string_view unit;
  if (leading_number(tree, value, unit)) {
    if (unit == "%" && value > 0 && value <= 100) {
      out = {0, value / 100};
      return true;
    }
    int count = 0;
    const char* end = tree.text.data() + tree.text.size();
    const auto [rest, error] = std::from_chars(tree.text.data(), end, count);
    if (error == std::errc{} && rest == end && count >= 1) {
      out = {count, 0};
      return true;
    }
  }
  std::string hint = number_hint(tree);
  if (hint.empty()) hint = " (write 1, 2, ... or above 0 % to 100 %)";
  diagnostics.error(tree.at, quote(tree) + " is neither a count nor a share" + hint);
  return false;
}
Tree Value<CountOrShare>::write(const CountOrShare& value) {
  if (!value.set()) return {};
  if (value.share != 0) return Value<Percent>::write({value.share});
  return Tree::scalar(std::to_string(value.count));
}

}  // namespace paceline
