// SPDX-License-Identifier: MIT
/// \file
/// A descriptor of cuDNN's graph interface: attributes are set by name, then it is finalized and
/// can be pointed to by others. It must outlive those that point to it.
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
  /// Each call throws Error where cuDNN refuses.
  explicit BackendDescriptor(cudnnBackendDescriptorType_t type);
  cudnnBackendDescriptor_t get() const { return descriptor_.get(); }

  /// Attributes of the types that cuDNN tells apart.
  void set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values);
  void set(cudnnBackendAttributeName_t name, std::initializer_list<std::int64_t> values);
  void set(cudnnBackendAttributeName_t name, float value);
  void set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  void set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t value);
  void set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value);
  void set(cudnnBackendAttributeName_t name, cudnnBackendKnobType_t value);
  void set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  void set(cudnnBackendAttributeName_t name, const BackendDescriptor& value);
  void set(cudnnBackendAttributeName_t name, std::span<const BackendDescriptor> values);
  /// Addresses in the device's memory.
  void set_addresses(cudnnBackendAttributeName_t name, std::span<void* const> values);
  /// Nothing more is set afterwards.
  void finalize();

  std::int64_t number(cudnnBackendAttributeName_t name) const;
  cudnnBackendKnobType_t knob_type(cudnnBackendAttributeName_t name) const;
  std::vector<cudnnBackendNumericalNote_t> notes(cudnnBackendAttributeName_t name) const;
  /// Descriptors of one type, at most so many, as cuDNN fills them in.
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
