// SPDX-License-Identifier: MIT
/// \file
/// A descriptor of cuDNN's graph interface: attributes are set by name, then the descriptor is
/// finalized and other descriptors can refer to it. It must outlive them.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include <cudnn.h>

namespace paceline::cuda {

class BackendDescriptor {
 public:
  /// Every function throws Error if cuDNN refuses the call.
  explicit BackendDescriptor(cudnnBackendDescriptorType_t type);
  cudnnBackendDescriptor_t get() const { return descriptor_.get(); }

  /// Sets an attribute; one overload for each of cuDNN's attribute types.
  void set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values);
  void set(cudnnBackendAttributeName_t name, std::initializer_list<std::int64_t> values);
  void set(cudnnBackendAttributeName_t name, float value);
  void set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  void set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t value);
  void set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value);
  void set(cudnnBackendAttributeName_t name, cudnnBackendKnobType_t value);
  void set(cudnnBackendAttributeName_t name, cudnnPointwiseMode_t value);
  void set(cudnnBackendAttributeName_t name, cudnnGenStatsMode_t value);
  void set(cudnnBackendAttributeName_t name, bool value);
  void set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  void set(cudnnBackendAttributeName_t name, const BackendDescriptor& value);
  void set(cudnnBackendAttributeName_t name, std::span<const BackendDescriptor> values);
  /// Sets addresses in device memory.
  void set_addresses(cudnnBackendAttributeName_t name, std::span<void* const> values);
  /// No attribute may be set afterwards.
  void finalize();

  std::int64_t number(cudnnBackendAttributeName_t name) const;
  cudnnBackendKnobType_t knob_type(cudnnBackendAttributeName_t name) const;
  std::vector<cudnnBackendNumericalNote_t> notes(cudnnBackendAttributeName_t name) const;
  /// Reads an attribute that holds at most `most` descriptors of one type.
  std::vector<BackendDescriptor> descriptors(cudnnBackendAttributeName_t name,
                                             cudnnBackendDescriptorType_t type,
                                             std::int64_t most) const;

 private:
  struct Destroy {
    void operator()(cudnnBackendDescriptor_t descriptor) const;
  };
  void set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
               std::int64_t count, const void* values);
  std::int64_t get_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                       std::int64_t count, void* values) const;

  std::unique_ptr<void, Destroy> descriptor_;
};

}  // namespace paceline::cuda
