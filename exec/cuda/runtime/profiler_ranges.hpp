// SPDX-License-Identifier: MIT
/// \file
/// Named ranges for a profiler such as Nsight Systems (NVTX). Without a profiler, or without NVTX's
/// headers at build time, they do nothing: NVTX is loaded by the profiler alone.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "training/runtime/command.hpp"

namespace paceline::cuda {

/// Whether a profiler has announced itself (in NVTX_INJECTION64_PATH).
bool profiled();

/// The name of the range of a command in a stream: "worker 0 forward 3-17", "worker 1 push",
/// "server 0 update". `workers` come first among the roles.
std::string range_name(Stream stream, const Command& command, RoleId workers);
/// The same, of a part of its layers.
std::string range_name(RoleId worker, const LayerRange& layers);

/// The same, of a pass forward and then backward through layers: "worker 0 forward and backward
/// 3-17".
std::string range_name_of_both(RoleId worker, const LayerRange& layers);

/// A range of the calling thread for the lifetime of the object: what it queues on a GPU meanwhile
/// has the name in the profiler's rows of the GPU, too.
class ProfilerRange {
 public:
  explicit ProfilerRange(const std::string& name) : open_(profiled()) {
    if (open_) push(name);
  }
  /// Of a command, or of a part of a worker's layers. A mark, which is no work, has no range.
  ProfilerRange(Stream stream, const Command& command, RoleId workers)
      : open_(profiled() && !command.is<Command::Mark>()) {
    if (open_) push(range_name(stream, command, workers));
  }
  ProfilerRange(RoleId worker, const LayerRange& layers) : open_(profiled()) {
    if (open_) push(range_name(worker, layers));
  }
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;

 private:
  void push(const std::string& name);

  bool open_;
};

/// The ranges of workers' steps, which overlap: each from its first layer to that of the next step.
class StepRanges {
 public:
  StepRanges() = default;
  ~StepRanges();
  StepRanges(const StepRanges&) = delete;
  StepRanges& operator=(const StepRanges&) = delete;
  /// Layers of a worker are queued.
  void note(WorkId work, const LayerRange& layers) {
    if (profiled() && layers.pass == Pass::forward && layers.first == 0) begin(work);
  }

 private:
  void begin(WorkId work);
  std::map<RoleId, std::uint64_t> open_;
};

}  // namespace paceline::cuda
