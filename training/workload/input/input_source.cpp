// SPDX-License-Identifier: MIT
#include "training/workload/input/input_source.hpp"

namespace paceline {

const Family<InputSource>& table_of(const InputSource*) {
  static const Family<InputSource> table{
      "input", {synthetic_input(), pipeline_input(), constant_input()}, {}, embedded_inputs};
  return table;
}

}  // namespace paceline
