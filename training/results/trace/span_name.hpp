// SPDX-License-Identifier: MIT
/// \file
/// What spans and roles are called in traces and tables.
#pragma once
#include <string>

#include "training/setting.hpp"
#include "training/trace/span.hpp"

namespace paceline {

/// The instant at which a trace that was cut ends.
inline constexpr const char* kTraceCut = "the trace ends here: too many spans";

class SpanNames {
 public:
  /// `setting` must outlive this.
  SpanNames(const Setting& setting, int workers) : setting_(setting), workers_(workers) {}

  /// "worker 3", "server", "server 1"
  std::string of(RoleId role) const;
  /// "forward", "backward conv4 - fc", "push to server", "update"
  std::string of(const Span& span) const;

 private:
  std::string layers(const LayerRange& range) const;

  const Setting& setting_;
  int workers_;
};

}  // namespace paceline
