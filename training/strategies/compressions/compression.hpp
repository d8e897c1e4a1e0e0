// SPDX-License-Identifier: MIT
/// \file
/// The form in which gradients travel between workers and servers, or among workers. Fewer bytes
/// cost arithmetic at both ends, and what is left out.
#pragma once
#include "experiments/language/family.hpp"
#include "training/runtime/gradient_codec.hpp"

namespace paceline {

/// A compression with its keys.
class Compression {
 public:
  virtual ~Compression() = default;
  virtual GradientCodec codec() const = 0;
};

const Family<Compression>& table_of(const Compression*);

// The rows: one file each.
Variant<Compression> no_compression();
Variant<Compression> fp16_compression();
Variant<Compression> top_k_compression();
Variant<Compression> one_bit_compression();

/// The key `compression` of an aggregation.
inline constexpr const char* kCompressionHelp = "form of the gradients on their way";

}  // namespace paceline
