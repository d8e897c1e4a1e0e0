// SPDX-License-Identifier: MIT
/// \file
/// The names of spans and roles in traces and tables.
#pragma once
#include <string>

#include "models/network.hpp"
#include "training/results/trace/span.hpp"

namespace paceline {

/// The name of the instant at which a trace was cut.
inline constexpr const char* kTraceCut = "the trace ends here: too many spans";

class SpanNames {
 public:
  /// `network` must outlive this.
  SpanNames(const Network& network, int workers, int servers, int loaders_of_worker = 0)
      : network_(network), workers_(workers), servers_(servers), loaders_(loaders_of_worker) {}

  /// Those with a program.
  int roles() const { return workers_ + servers_; }

  /// "worker 3", "server", "server 1", "loader 0 of worker 3"
  std::string of(RoleId role) const;
  /// "forward", "backward conv4 - fc", "push to server", "update"
  std::string of(const Span& span) const;

 private:
  std::string layers(const LayerRange& range) const;

  const Network& network_;
  int workers_, servers_, loaders_;
};

}  // namespace paceline
