// SPDX-License-Identifier: MIT
/// \file
/// Owning wrappers of a stream and an event of the current device.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// A stream that is not ordered with any other stream, including the default one.
class DeviceStream {
 public:
  DeviceStream();
  /// No stream.
  explicit DeviceStream(std::nullptr_t) {}
  /// Takes ownership of a stream.
  explicit DeviceStream(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t get() const { return stream_.get(); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const;
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> stream_;
};

/// An event that records its time.
class DeviceEvent {
 public:
  DeviceEvent();
  cudaEvent_t get() const { return event_.get(); }
  void record(cudaStream_t stream) const;
  /// The same while `stream` is captured: each launch of the graph records the event when it comes
  /// there. CUDA does not say what a query of the event finds before that.
  void record_in_graph(cudaStream_t stream) const;
  /// Whether the stream has passed the event. Throws Error if the stream failed.
  bool passed() const;

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const;
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
};

}  // namespace paceline::cuda
