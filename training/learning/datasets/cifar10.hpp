// SPDX-License-Identifier: MIT
/// \file
/// CIFAR-10, read from a folder that the user has: 32 x 32 photographs of ten kinds of things.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "training/arithmetic/dataset.hpp"

namespace paceline {

/// The images of the binary version, as they lie in its files: records of a label and 3072 bytes,
/// in channels, rows, columns.
struct Cifar10Images {
  static constexpr std::size_t kPixels = std::size_t{3} * 32 * 32;
  static constexpr std::size_t kRecord = 1 + kPixels;

  std::vector<std::uint8_t> train;  ///< whole records, of data_batch_1.bin to data_batch_5.bin
  std::vector<std::uint8_t> test;   ///< whole records, of test_batch.bin

  /// Reads a folder; while anyone keeps its images they are not read again. Throws
  /// std::runtime_error that says which file is wrong and how.
  static std::shared_ptr<const Cifar10Images> load(const std::string& folder);
};

/// The folder as it is written, and what is in it: read when the experiment is.
struct Cifar10Folder {
  std::string written;
  std::shared_ptr<const Cifar10Images> images;
};
template <>
struct Value<Cifar10Folder> {
  static TypeInfo type();
  static bool read(Cifar10Folder& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Cifar10Folder& value);
};

/// **Does** an image and its class for each item, drawn with replacement from the training images;
/// the held-out items are the test images in their order. Each channel is normalised: less its mean
/// over the training set, over its deviation. A file may hold fewer images than the original's
/// 10,000. **Source** Krizhevsky, "Learning multiple layers of features from tiny images", 2009.
struct Cifar10 final : Dataset {
  Cifar10Folder path;
  bool flip = false;

  static void describe(Description<Cifar10>& d);
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override;
  void held_out(const Shape& input, int classes, std::uint64_t seed, std::int64_t block,
                std::span<float> inputs, std::span<float> targets) const override;
  std::string unfit(const Network& network) const override;
};

}  // namespace paceline
