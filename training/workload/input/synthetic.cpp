// SPDX-License-Identifier: MIT
#include "training/workload/input/input_source.hpp"

namespace paceline {
namespace {

/// Items that are already in the worker's memory: input costs no time.
class Synthetic final : public InputSource {
 public:
  static void describe(Description<Synthetic>&) {}
};

}  // namespace

Variant<InputSource> synthetic_input() {
  return variant<Synthetic, InputSource>("synthetic", "items are available without delay");
}

}  // namespace paceline
