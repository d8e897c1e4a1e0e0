// SPDX-License-Identifier: MIT
/// \file
/// Memory of a GPU and memory of the host that GPUs reach, freed with its owner. Allocated before a
/// point runs, never inside a step.
#pragma once
#include <cstddef>
#include <memory>

namespace paceline::cuda {

/// Bytes in the memory of the current device; not cleared. Throws Error ("out of memory on GPU 0:
/// 3.1 GB asked for, 1.2 GB free").
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes);
  void* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Free> data_;
  std::size_t bytes_ = 0;
};

/// Pinned bytes in the host's memory that every device may read and write at the same address
/// (mapped, portable); cleared to zero.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  explicit PinnedMemory(std::size_t bytes);
  void* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace paceline::cuda
