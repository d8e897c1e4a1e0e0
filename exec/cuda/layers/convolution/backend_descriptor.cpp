// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/backend_descriptor.hpp"

#include <algorithm>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

std::vector<cudnnBackendDescriptor_t> raw(std::span<const BackendDescriptor> descriptors) {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const BackendDescriptor& descriptor : descriptors) handles.push_back(descriptor.get());
  return handles;
}

}  // namespace

BackendDescriptor::BackendDescriptor(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t descriptor = nullptr;
  check(cudnnBackendCreateDescriptor(type, &descriptor), "making a graph's descriptor");
  descriptor_.reset(descriptor);
}

void BackendDescriptor::Destroy::operator()(cudnnBackendDescriptor_t descriptor) const {
  cudnnBackendDestroyDescriptor(descriptor);
}

void BackendDescriptor::set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                std::int64_t count, const void* values) {
  check(cudnnBackendSetAttribute(get(), name, type, count, values), "describing a graph");
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name,
                            std::span<const std::int64_t> values) {
  set_raw(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name,
                            std::initializer_list<std::int64_t> values) {
  set(name, std::span(values.begin(), values.size()));
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, float value) {
  set_raw(name, CUDNN_TYPE_FLOAT, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
  set_raw(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t value) {
  set_raw(name, CUDNN_TYPE_CONVOLUTION_MODE, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value) {
  set_raw(name, CUDNN_TYPE_HEUR_MODE, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendKnobType_t value) {
  set_raw(name, CUDNN_TYPE_KNOB_TYPE, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnPointwiseMode_t value) {
  set_raw(name, CUDNN_TYPE_POINTWISE_MODE, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnGenStatsMode_t value) {
  set_raw(name, CUDNN_TYPE_GENSTATS_MODE, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, bool value) {
  set_raw(name, CUDNN_TYPE_BOOLEAN, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
  set_raw(name, CUDNN_TYPE_HANDLE, 1, &value);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, const BackendDescriptor& value) {
  set(name, std::span(&value, 1));
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name,
                            std::span<const BackendDescriptor> values) {
  const std::vector<cudnnBackendDescriptor_t> handles = raw(values);
  set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(handles.size()),
          handles.data());
}

void BackendDescriptor::set_addresses(cudnnBackendAttributeName_t name,
                                      std::span<void* const> values) {
  set_raw(name, CUDNN_TYPE_VOID_PTR, static_cast<std::int64_t>(values.size()), values.data());
}

void BackendDescriptor::finalize() {
  check(cudnnBackendFinalize(get()), "completing a graph's descriptor");
}

std::int64_t BackendDescriptor::get_raw(cudnnBackendAttributeName_t name,
                                        cudnnBackendAttributeType_t type, std::int64_t count,
                                        void* values) const {
  std::int64_t filled = 0;
  check(cudnnBackendGetAttribute(get(), name, type, count, &filled, values), "querying a graph");
  return filled;
}

std::int64_t BackendDescriptor::number(cudnnBackendAttributeName_t name) const {
  std::int64_t value = 0;
  get_raw(name, CUDNN_TYPE_INT64, 1, &value);
  return value;
}

cudnnBackendKnobType_t BackendDescriptor::knob_type(cudnnBackendAttributeName_t name) const {
  cudnnBackendKnobType_t value{};
  get_raw(name, CUDNN_TYPE_KNOB_TYPE, 1, &value);
  return value;
}

std::vector<cudnnBackendNumericalNote_t> BackendDescriptor::notes(
    cudnnBackendAttributeName_t name) const {
  std::vector<cudnnBackendNumericalNote_t> values(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  const std::int64_t count =
      get_raw(name, CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT, values.data());
  // cuDNN reports the total count, which may exceed the capacity
  values.resize(std::min(static_cast<std::size_t>(count), values.size()));
  return values;
}

std::vector<BackendDescriptor> BackendDescriptor::descriptors(cudnnBackendAttributeName_t name,
                                                              cudnnBackendDescriptorType_t type,
                                                              std::int64_t most) const {
  std::vector<BackendDescriptor> found;
  for (std::int64_t i = 0; i < most; ++i) found.emplace_back(type);
  std::vector<cudnnBackendDescriptor_t> handles = raw(found);
  const std::int64_t count = get_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, handles.data());
  found.erase(found.begin() + std::min(count, most), found.end());
  return found;
}

}  // namespace paceline::cuda
