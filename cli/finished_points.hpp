// SPDX-License-Identifier: MIT
/// \file
/// The finished points of one experiment on the disk, by their number and the source of the result.
#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_set>
#include <vector>

#include "cli/point_file.hpp"
#include "cli/point_runner.hpp"

namespace paceline {

/// The results that are kept for a point, each in a file of its own.
enum class Kept { predicted, measured };

/// Several threads may use different points at a time.
class FinishedPoints {
 public:
  explicit FinishedPoints(const PointRun& run);

  /// False if nothing is kept on the disk.
  bool kept() const { return !run_.folder.empty(); }
  bool on_cuda(std::size_t point) const;
  /// The name of the result's file.
  const std::string& key(std::size_t point, Kept result) const;
  /// The result in the folder, or in `also_finished`, from which it is then copied. Notes a damaged
  /// file on `notes`.
  std::optional<Measurement> load(std::size_t point, Kept result, std::ostream& notes) const;
  /// The names of all files that are kept now. One listing is faster than a look for each file, and
  /// a network file system shows in it what other computers have written.
  std::unordered_set<std::string> names() const;
  /// Saves a result with its spans and weights, if the run keeps them. A failure is not kept, so
  /// that the next run tries again. On a full disk the run goes on, and its table is still printed.
  void keep(std::size_t point, Kept result, const Measurement& measurement, const Setting& setting,
            const std::vector<float>& weights);
  /// Why a result could not be saved; "" if all were. Not while another thread saves one.
  const std::string& unsaved() const { return unsaved_; }
  bool has_trace(std::size_t point, Kept result) const;
  /// The file of the weights at the end of a point's training.
  std::filesystem::path weights_file(std::size_t point, Kept result) const;
  bool has_weights(std::size_t point, Kept result) const;

 private:
  Device device() const { return run_.devices != nullptr ? run_.devices->device() : Device::any; }
  std::string new_key(std::size_t point, Kept result) const;
  void save(std::size_t point, Kept result, const Measurement& measurement, const Setting& setting,
            const std::vector<float>& weights) const;

  const PointRun& run_;
  struct Keys {
    std::string content;              ///< of the point; "" until first used
    std::array<std::string, 2> keys;  ///< by result; "" until first used
  };
  mutable SharedParts parts_;
  mutable std::vector<Keys> keys_;
  std::mutex unsaved_mutex_;
  std::string unsaved_;
};

}  // namespace paceline
