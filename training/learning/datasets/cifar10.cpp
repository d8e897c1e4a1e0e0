// SPDX-License-Identifier: MIT
#include "training/learning/datasets/cifar10.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>

#include "experiments/language/presets.hpp"
#include "training/learning/datasets/draw_key.hpp"

namespace paceline {
namespace {

constexpr Shape kShape{3, 32, 32};
constexpr int kClasses = 10;  ///< a network may have more: some count the background as a class
constexpr std::uintmax_t kMostImages = 10'000;  ///< of a file: the original files have as many

/// The numbers of an item that draw_below draws.
constexpr std::uint32_t kWhichImage = 1;
constexpr std::uint32_t kIsFlipped = 2;

/// Mean and deviation of each channel over the 50,000 training images, of pixels from 0 to 1.
constexpr std::array<float, 3> kMean{0.4914f, 0.4822f, 0.4465f};
constexpr std::array<float, 3> kDeviation{0.2470f, 0.2435f, 0.2616f};

std::string quoted(const std::filesystem::path& path) {
  return "'" + path.string() + "'";
}

/// Appends the records of a file.
void append_file(const std::filesystem::path& file, std::vector<std::uint8_t>& records) {
  constexpr std::size_t kRecord = Cifar10Images::kRecord;
  std::error_code refused;
  const std::uintmax_t size = std::filesystem::file_size(file, refused);
  std::ifstream stream(file, std::ios::binary);
  if (refused || !stream) {
    throw std::runtime_error("cannot read " + quoted(file) +
                             " (CIFAR-10's binary version has data_batch_1.bin to "
                             "data_batch_5.bin and test_batch.bin)");
  }
  if (size == 0 || size % kRecord != 0 || size / kRecord > kMostImages) {
    throw std::runtime_error(quoted(file) + " has " + std::to_string(size) + " bytes (1 to " +
                             std::to_string(kMostImages) + " records of " +
                             std::to_string(kRecord) + " bytes)");
  }
  const std::size_t begin = records.size();
  records.resize(begin + size);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a stream reads chars
  stream.read(reinterpret_cast<char*>(records.data() + begin), static_cast<std::streamsize>(size));
  if (!stream) throw std::runtime_error("cannot read " + quoted(file));
  for (std::size_t at = begin; at < records.size(); at += kRecord) {
    if (records[at] < kClasses) continue;
    throw std::runtime_error(quoted(file) + " has label " + std::to_string(records[at]) +
                             " in record " + std::to_string((at - begin) / kRecord) +
                             " (labels are 0 to 9)");
  }
}

Cifar10Images read_folder(const std::filesystem::path& folder) {
  std::error_code refused;
  if (!std::filesystem::is_directory(folder, refused)) {
    throw std::runtime_error(quoted(folder) +
                             " is not a folder (expected that of CIFAR-10's binary version)");
  }
  Cifar10Images images;
  for (int i = 1; i <= 5; ++i) {
    append_file(folder / ("data_batch_" + std::to_string(i) + ".bin"), images.train);
  }
  append_file(folder / "test_batch.bin", images.test);
  return images;
}

/// Writes a record's pixels, normalised; mirrored left to right if `flip`.
void write_image(const std::uint8_t* record, bool flip, std::span<float> row) {
  const std::uint8_t* pixel = record + 1;
  std::size_t at = 0;
  for (std::size_t channel = 0; channel < kMean.size(); ++channel) {
    const float scale = 1 / (255 * kDeviation[channel]);
    const float shift = kMean[channel] / kDeviation[channel];
    for (int y = 0; y < kShape.height; ++y) {
      for (int x = 0; x < kShape.width; ++x) {
        const int from = flip ? kShape.width - 1 - x : x;
        row[at++] = static_cast<float>(pixel[from]) * scale - shift;
      }
      pixel += kShape.width;
    }
  }
}

}  // namespace

std::shared_ptr<const Cifar10Images> Cifar10Images::load(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const Cifar10Images>> loaded;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const Cifar10Images>& known = loaded[folder];
  std::shared_ptr<const Cifar10Images> images = known.lock();
  if (images == nullptr) {
    images = std::make_shared<const Cifar10Images>(read_folder(folder));
    known = images;
  }
  return images;
}

TypeInfo Value<Cifar10Folder>::type() {
  return Value<std::string>::type();
}

bool Value<Cifar10Folder>::read(Cifar10Folder& out, const Tree& tree, Diagnostics& diagnostics) {
  if (!Value<std::string>::read(out.written, tree, diagnostics)) return false;
  try {
    out.images = Cifar10Images::load(path_from(tree.at, out.written));
  } catch (const std::runtime_error& error) {
    diagnostics.error(tree.at, error.what());
    return false;
  }
  return true;
}

Tree Value<Cifar10Folder>::write(const Cifar10Folder& value) {
  return Value<std::string>::write(value.written);
}

void Cifar10::describe(Description<Cifar10>& d) {
  d.required("path", &Cifar10::path,
             "folder of the binary version's .bin files, relative to this file");
  d.optional("flip", &Cifar10::flip, "half of the training images, at random, are mirrored");
}

void Cifar10::draw(const Shape& /*input*/, int /*classes*/, std::uint64_t seed, int worker,
                   std::int64_t step, std::span<float> inputs, std::span<float> targets) const {
  const std::vector<std::uint8_t>& records = path.images->train;
  const auto images = static_cast<std::uint32_t>(records.size() / Cifar10Images::kRecord);
  const PhiloxKey key = draw_key(seed, DrawUse::items, worker, step);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    const std::uint8_t* record =
        &records[draw_below(images, key, item, kWhichImage) * Cifar10Images::kRecord];
    targets[i] = static_cast<float>(record[0]);
    const bool mirrored = flip && draw_below(2, key, item, kIsFlipped) == 1;
    write_image(record, mirrored,
                inputs.subspan(i * Cifar10Images::kPixels, Cifar10Images::kPixels));
  }
}

void Cifar10::held_out(const Shape& /*input*/, int /*classes*/, std::uint64_t /*seed*/,
                       std::int64_t block, std::span<float> inputs,
                       std::span<float> targets) const {
  const std::vector<std::uint8_t>& records = path.images->test;
  const std::size_t images = records.size() / Cifar10Images::kRecord;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t index = static_cast<std::size_t>(block) * targets.size() + i;
    const std::uint8_t* record = &records[index % images * Cifar10Images::kRecord];
    targets[i] = static_cast<float>(record[0]);
    write_image(record, false, inputs.subspan(i * Cifar10Images::kPixels, Cifar10Images::kPixels));
  }
}

std::string Cifar10::unfit(const Network& network) const {
  if (std::string why = Dataset::unfit(network); !why.empty()) return why;
  if (network.input == kShape && network.classes >= kClasses) return "";
  return "its items are 3x32x32 of 10 classes, but the network takes " +
         std::to_string(network.input.channels) + "x" + std::to_string(network.input.height) + "x" +
         std::to_string(network.input.width) + " of " + std::to_string(network.classes);
}

}  // namespace paceline
