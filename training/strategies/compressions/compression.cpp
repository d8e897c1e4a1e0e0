// SPDX-License-Identifier: MIT
#include "training/strategies/compressions/compression.hpp"

namespace paceline {

const Family<Compression>& table_of(const Compression*) {
  static const Family<Compression> table{
      "compression",
      {no_compression(), fp16_compression(), top_k_compression(), one_bit_compression()}};
  return table;
}

}  // namespace paceline
