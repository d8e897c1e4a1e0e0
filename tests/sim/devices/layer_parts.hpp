// SPDX-License-Identifier: MIT
/// \file
/// The layers of worker 0 as a trace shows them.
#pragma once
#include <vector>

#include "training/runtime/observer.hpp"

namespace paceline {

class LayerParts final : public Observer {
 public:
  struct Part {
    int layer;
    double begin_s, end_s;
  };
  std::vector<Part> parts;

  bool observes_parts() const override { return true; }
  void part(WorkId work, LayerRange layers, Instant begin, Instant end) override {
    if (work.worker != 0) return;
    parts.push_back({layers.first, to_seconds(begin.ps).value(), to_seconds(end.ps).value()});
  }
};

}  // namespace paceline
