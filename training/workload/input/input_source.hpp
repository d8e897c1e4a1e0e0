// SPDX-License-Identifier: MIT
/// \file
/// Where mini-batches come from, and what they cost before a worker can start.
#pragma once
#include "experiments/family.hpp"

namespace paceline {

class InputSource {
 public:
  virtual ~InputSource() = default;
};

const Family<InputSource>& table_of(const InputSource*);

}  // namespace paceline
