// SPDX-License-Identifier: MIT
/// \file
/// CIFAR-10, read from a folder that the user provides: 32 x 32 photographs of ten kinds of
/// objects.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "training/learning/datasets/dataset.hpp"

namespace paceline {

/// The images of the binary version in the layout of its files: records of a label and 3072 bytes,
/// ordered by channel, row and column.
struct Cifar10Images {
  static constexpr std::size_t kPixels = std::size_t{3} * 32 * 32;
  static constexpr std::size_t kRecord = 1 + kPixels;

  std::vector<std::uint8_t> train;  ///< whole records, of data_batch_1.bin to data_batch_5.bin
  std::vector<std::uint8_t> test;   ///< whole records, of test_batch.bin

  /// Loads a folder. A folder is not read again while its images are in use. Throws
  /// std::runtime_error that names the faulty file and the fault.
  static std::shared_ptr<const Cifar10Images> load(const std::string& folder);
};

/// The folder as written in the experiment, and its images, loaded when the experiment is read.
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

/// **Does** gives each item an image and its class, drawn with replacement from the training
/// images; the held-out items are the test images in order. Each channel is normalised: minus its
/// mean over the training set, divided by its deviation. A file may hold fewer images than the
/// original's 10,000. **Source** Krizhevsky, "Learning multiple layers of features from tiny
/// images", 2009.
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
