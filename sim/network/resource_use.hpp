// SPDX-License-Identifier: MIT
/// \file
/// The use of resources by a flow. A resource is anything with a bounded use per second: a link
/// (bytes/s), a host's cores (core-seconds/s), its memory (bytes/s).
#pragma once

#include <cstddef>
#include <cstdint>

namespace paceline {

enum class ResourceId : std::uint32_t {};
enum class RouteId : std::uint32_t {};
enum class FlowClassId : std::uint32_t {};

/// The index of an id in a vector; ids count from 0.
template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// One resource on a route: a flow at rate x uses coefficient * x of the resource's capacity.
/// Coefficient > 0.
struct Use {
  ResourceId resource{};
  double coefficient = 1.0;
  friend bool operator==(const Use&, const Use&) = default;
  friend bool operator<(const Use& a, const Use& b) {
    return a.resource != b.resource ? a.resource < b.resource : a.coefficient < b.coefficient;
  }
};

}  // namespace paceline
