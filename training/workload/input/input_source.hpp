// SPDX-License-Identifier: MIT
/// \file
/// The sources of mini-batches: the `input:` key of an experiment.
#pragma once
#include "experiments/language/family.hpp"

namespace paceline {

class InputSource {
 public:
  virtual ~InputSource() = default;
};

const Family<InputSource>& table_of(const InputSource*);

}  // namespace paceline
