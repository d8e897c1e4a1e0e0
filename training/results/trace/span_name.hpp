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

/// "forward", "backward", "validation"
const char* name_of(Pass pass);

class SpanNames {
 public:
  /// `network` must outlive this.
  /// \param loader_sets of `loaders` loaders each: one for each worker, or one for all
  SpanNames(const Network& network, int workers, int servers, int loaders = 0, int loader_sets = 0,
            int writers = 0)
      : network_(network),
        workers_(workers),
        servers_(servers),
        loaders_(loaders),
        loader_sets_(loader_sets),
        writers_(writers) {}

  /// Those with a program.
  int roles() const { return workers_ + servers_; }

  /// "worker 3", "server", "server 1", "loader 0 of worker 3"
  std::string of(RoleId role) const;
  /// "forward", "backward conv4 - fc", "push to server", "update"
  std::string of(const Span& span) const;

 private:
  std::string layers(const LayerRange& range) const;

  const Network& network_;
  int workers_, servers_, loaders_, loader_sets_, writers_;
};

}  // namespace paceline
