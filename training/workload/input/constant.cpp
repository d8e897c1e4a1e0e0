// SPDX-License-Identifier: MIT
#include "training/workload/input/input_source.hpp"

namespace paceline {
namespace {

/// A data set that lies in the memory of each worker as a whole: a mini-batch is a slice of it.
class Constant final : public InputSource {
 public:
  std::int64_t items = 0;

  Loading loading() const override {
    Loading all;
    all.resident = items;
    return all;
  }
  static void describe(Description<Constant>& d) {
    d.required("items", &Constant::items, "of the data set, in the memory of each worker's device")
        .at_least(1)
        .at_most(1'000'000'000);
  }
};

}  // namespace

Variant<InputSource> constant_input() {
  return variant<Constant, InputSource>(
      "constant", "the data set is in each worker's memory, and a mini-batch is copied out of it");
}

}  // namespace paceline
