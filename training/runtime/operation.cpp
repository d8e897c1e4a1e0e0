// SPDX-License-Identifier: MIT
#include "training/runtime/operation.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<Operation>> enum_names(const Operation*) {
  static constexpr std::array<EnumName<Operation>, 6> kNames{
      {{"all-reduce", Operation::all_reduce},
       {"reduce-scatter", Operation::reduce_scatter},
       {"all-gather", Operation::all_gather},
       {"broadcast", Operation::broadcast},
       {"reduce", Operation::reduce},
       {"all-to-all", Operation::all_to_all}}};
  return kNames;
}

bool sums(Operation operation) {
  return operation == Operation::all_reduce || operation == Operation::reduce_scatter ||
         operation == Operation::reduce;
}

int root_of(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ? 0 : -1;
}

double bus_factor(Operation operation, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (operation) {
    case Operation::all_reduce:
      return 2 * others;
    case Operation::reduce_scatter:
    case Operation::all_gather:
    case Operation::all_to_all:
      return others;
    case Operation::broadcast:
    case Operation::reduce:
      return 1;
  }
  return 1;
}

}  // namespace paceline
