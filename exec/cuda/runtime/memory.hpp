// SPDX-License-Identifier: MIT
/// \file
/// Owning memory of a GPU, and of the host for access by GPUs. Allocated before a point runs, or
/// for the first operation of a stream; never in a later step.
#pragma once
#include <cstddef>
#include <memory>

namespace paceline::cuda {

/// A block of memory that `Free` releases.
template <class Free>
class OwnedMemory {
 public:
  void* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 protected:
  OwnedMemory() = default;
  OwnedMemory(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

 private:
  std::unique_ptr<void, Free> data_;
  std::size_t bytes_ = 0;
};

struct FreeDeviceMemory {
  void operator()(void* data) const;
};
struct FreePinnedMemory {
  void operator()(void* data) const;
};

/// Memory of the current device, not cleared. Throws Error ("out of memory on GPU 0: 3.1 GB
/// requested, 1.2 GB free").
class DeviceMemory : public OwnedMemory<FreeDeviceMemory> {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes);
};

/// Pinned host memory that every device can read and write at the same address (mapped, portable);
/// cleared to zero.
class PinnedMemory : public OwnedMemory<FreePinnedMemory> {
 public:
  PinnedMemory() = default;
  explicit PinnedMemory(std::size_t bytes);
};

/// Copies within and between the host and devices; when it returns, every stream finds the copy.
/// cudaMemcpy alone may return before, from pageable memory and within a device, and streams that
/// do not block do not wait for it. `what` names the copy in errors.
void copy_now(void* to, const void* from, std::size_t bytes, const char* what);

}  // namespace paceline::cuda
