// SPDX-License-Identifier: MIT
/// \file
/// The arithmetic of buffers on each stream of the roles.
#pragma once
#include <memory>
#include <vector>

#include "exec/cuda/machine/role_streams.hpp"
#include "training/learning/arrays.hpp"

namespace paceline::cuda {

/// On a GPU it queues on the stream, of which it is made when it is first needed; on the host it
/// computes on the CPU. For streams of GPUs not thread-safe.
class StreamWork {
 public:
  /// `streams` must outlive this.
  explicit StreamWork(const RoleStreams& streams);
  /// May make its device current. Throws Error.
  ArrayWork& of(Stream stream);

 private:
  const RoleStreams& streams_;
  std::vector<std::unique_ptr<ArrayWork>> work_;  ///< by lane; null: not needed yet
};

}  // namespace paceline::cuda
