// SPDX-License-Identifier: MIT
/// \file
/// A part of a sweep's points, so that several processes on several computers share the work of one
/// experiment and one results folder.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace paceline {

/// Part `number` of `count` equal parts, from 1. Neighbouring points are in different parts, since
/// they cost about the same.
struct Shard {
  int number = 1;
  int count = 1;
  std::string launcher{};  ///< the program that started the parts: "mpirun"; "" for --shard
  bool holds(std::size_t point) const {
    return point % static_cast<std::size_t>(count) == static_cast<std::size_t>(number - 1);
  }
  /// "part 3 of 64".
  std::string text() const;
};

/// The most parts of a sweep.
inline constexpr int kMostShards = 65'536;

/// The part that "3/64" names. Throws SpecError.
Shard read_shard(const std::string& text);

/// The part of this process if mpirun or Slurm's srun started several of it: nothing in a batch
/// script, which runs once for all tasks of its job.
std::optional<Shard> launched_shard();

}  // namespace paceline
