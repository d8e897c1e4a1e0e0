// SPDX-License-Identifier: MIT
/// \file
/// A stream and an event of the current device, destroyed with their owner.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// Work in order, beside all other streams (not ordered with the default one either).
class DeviceStream {
 public:
  DeviceStream();
  /// None.
  explicit DeviceStream(std::nullptr_t) {}
  /// Owns a stream that was made elsewhere.
  explicit DeviceStream(cudaStream_t made) : stream_(made) {}
  cudaStream_t get() const { return stream_.get(); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const;
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> stream_;
};

/// A mark in a stream that tells the time when it is passed.
class DeviceEvent {
 public:
  DeviceEvent();
  cudaEvent_t get() const { return event_.get(); }
  void record(cudaStream_t stream) const;
  /// Whether the stream has passed it. Throws Error when the stream failed.
  bool passed() const;

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const;
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
};

}  // namespace paceline::cuda
