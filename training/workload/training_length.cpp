// SPDX-License-Identifier: MIT
#include "training/workload/training_length.hpp"

namespace paceline {

TypeInfo Value<Length>::type() {
  TypeInfo info;
  info.name = "rounds or epochs";
  info.units = {"", "epochs"};
  return info;
}
bool Value<Length>::read(Length& out, const Tree& tree, Diagnostics& diagnostics) {
  constexpr std::string_view kUnit = "epochs";
  if (tree.is_scalar() && tree.text.ends_with(kUnit)) {
    Tree number = tree;
    number.text.resize(number.text.size() - kUnit.size());
    while (number.text.ends_with(' ')) number.text.pop_back();
    Length length{1, 0};  // 1 round is within any bound; the batch gives the number later
    if (!Value<double>::read(length.epochs, number, diagnostics)) return false;
    if (length.epochs <= 0) {
      diagnostics.error(tree.at, "a number of epochs must be > 0");
      return false;
    }
    out = length;
    return true;
  }
  Length length;
  if (!Value<std::int64_t>::read(length.rounds, tree, diagnostics)) return false;
  out = length;
  return true;
}
Tree Value<Length>::write(const Length& value) {
  if (value.epochs != 0)
    return Tree::scalar(to_flow(Value<double>::write(value.epochs)) + " epochs");
  return Value<std::int64_t>::write(value.rounds);
}

}  // namespace paceline
