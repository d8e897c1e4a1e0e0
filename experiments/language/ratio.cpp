// SPDX-License-Identifier: MIT
#include "experiments/language/ratio.hpp"

namespace paceline {

TypeInfo Value<Ratio>::type() {
  TypeInfo info;
  info.name = "ratio";
  info.units = {"", "%"};
  return info;
}
bool Value<Ratio>::read(Ratio& out, const Tree& tree, Diagnostics& diagnostics) {
  double value = 0;
  std::string_view unit;
  if (leading_number(tree, value, unit) && (unit.empty() || unit == "%")) {
    out.value = unit.empty() ? value : value / 100;
    return true;
  }
  std::string hint = number_hint(tree);
  if (hint.empty()) hint = " (write a number such as 0.5, or a share such as 50 %)";
  diagnostics.error(tree.at, quote(tree) + " is not a ratio" + hint);
  return false;
}
Tree Value<Ratio>::write(const Ratio& value) {
  return Tree::scalar(print_number(value.value));
}

}  // namespace paceline
