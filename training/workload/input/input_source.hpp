// SPDX-License-Identifier: MIT
/// \file
/// The sources of mini-batches: the `input:` key of an experiment.
#pragma once
#include "experiments/language/family.hpp"
#include "training/workload/input/loading.hpp"

namespace paceline {

class InputSource {
 public:
  virtual ~InputSource() = default;
  /// The loaders of each worker, if it needs any.
  virtual Loading loading() const { return {}; }
};

const Family<InputSource>& table_of(const InputSource*);
/// The pipelines of well-known programs, in this folder.
std::span<const EmbeddedFile> embedded_inputs();
Variant<InputSource> synthetic_input();
Variant<InputSource> pipeline_input();
Variant<InputSource> constant_input();

}  // namespace paceline
