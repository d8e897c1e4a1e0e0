// SPDX-License-Identifier: MIT
#include "training/results/trace/span_name.hpp"

namespace paceline {

const char* name_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "forward";
    case Pass::backward:
      return "backward";
    case Pass::validation:
      break;
  }
  return "validation";
}

std::string SpanNames::of(RoleId role) const {
  if (role < workers_) return "worker " + std::to_string(role);
  const int after = role - roles();
  if (writers_ > 0 && after >= loaders_ * loader_sets_) {
    const int writer = after - loaders_ * loader_sets_;
    return writers_ == 1 ? "writer" : "writer " + std::to_string(writer);
  }
  if (after >= 0 && loaders_ > 0) {
    const std::string number = loaders_ == 1 ? "" : " " + std::to_string(after % loaders_);
    if (loader_sets_ == 1 && workers_ > 1) return "loader" + number;  // of all workers
    return "loader" + number + " of worker " + std::to_string(after / loaders_);
  }
  return servers_ == 1 ? "server" : "server " + std::to_string(role - workers_);
}

/// The layers of a range, in execution order; "" for all layers.
std::string SpanNames::layers(const LayerRange& range) const {
  const auto& all = network_.layers;
  if (range.first == 0 && range.last == static_cast<std::int32_t>(all.size())) return "";
  const std::string& first = all[static_cast<std::size_t>(range.first)].name;
  const std::string& last = all[static_cast<std::size_t>(range.last - 1)].name;
  if (range.last - range.first == 1) return first;
  return range.pass == Pass::backward ? last + " - " + first : first + " - " + last;
}

std::string SpanNames::of(const Span& span) const {
  switch (span.kind) {
    case SpanKind::compute: {
      const std::string pass = name_of(span.layers.pass);
      const std::string which = layers(span.layers);
      return which.empty() ? pass : pass + " " + which;
    }
    case SpanKind::part: {
      if (span.layers.last - span.layers.first == 1) {  // even in a network of one layer
        return network_.layers[static_cast<std::size_t>(span.layers.first)].name;
      }
      const std::string which = layers(span.layers);
      return which.empty() ? "all layers" : which;
    }
    case SpanKind::delay:
      return "delay";
    case SpanKind::copy:
      if (span.stream.role >= roles()) return "batch to " + of(span.to);
      if (span.from == span.to) return "slice of the data set";
      if (span.to >= roles()) return "checkpoint to " + of(span.to);
      if (span.stream.kind == StreamKind::fetch) return "fetch from " + of(span.from);
      return "push to " + of(span.to);
    case SpanKind::sum:
      return span.from < 0 ? "sum" : "sum of " + of(span.from);
    case SpanKind::encoding:
      return "encoding";
    case SpanKind::update:
      return span.version > 0 || span.stream.role >= workers_ ? "update" : "update of its own";
    case SpanKind::collective:
      return "all-reduce";
    case SpanKind::input:
      return "waits for input";
    case SpanKind::read:
      return "read records";
    case SpanKind::checkpoint:
      return "waits for its checkpoint";
    case SpanKind::write:
      return "write checkpoint";
    case SpanKind::prepare:
      return "prepare items";
    case SpanKind::wait:
      break;
  }
  return "waits for other workers";
}

}  // namespace paceline
