// SPDX-License-Identifier: MIT
/// \file
/// Weights in files of the safetensors format (https://huggingface.co/docs/safetensors): 8 bytes
/// with the length of a JSON header, the header, the numbers. Names and shapes are those of
/// tensors_of().
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/network.hpp"

namespace paceline {

/// Keys and texts of a file's `__metadata__`.
using WeightsMetadata = std::vector<std::pair<std::string, std::string>>;

/// The file of a network's weights, given in the flat layout. The same weights and metadata give
/// the same bytes.
std::string weights_file_text(const Network& network, std::span<const float> weights,
                              const WeightsMetadata& metadata);

/// A file that was read and checked.
class WeightsFile {
 public:
  /// Throws SpecError with one line, which begins with `name`, where `bytes` are no such file or
  /// hold another number format than fp32.
  WeightsFile(std::string name, std::string bytes);
  /// Reads a file. Throws also if that is impossible.
  explicit WeightsFile(const std::string& path);

  /// The weights of `network` in the flat layout. Throws SpecError naming the first tensor that
  /// does not fit: in the order of the network, then of those that it does not have.
  std::vector<float> weights_of(const Network& network) const;
  const std::string& bytes() const { return bytes_; }

 private:
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::int64_t begin = 0, end = 0;  ///< bytes after the header
  };
  [[noreturn]] void fail(const std::string& problem) const;
  void read_header(const std::string& header, std::int64_t data);
  void check_coverage(std::int64_t data) const;

  std::string name_, bytes_;
  std::size_t data_begin_ = 0;
  std::vector<Tensor> tensors_;  ///< in the order of the file
};

/// The weights that training begins with, instead of drawn ones.
struct InitialWeights {
  std::string file;
  std::string hash;           ///< of the file's bytes
  std::vector<float> values;  ///< in the flat layout
};

}  // namespace paceline
