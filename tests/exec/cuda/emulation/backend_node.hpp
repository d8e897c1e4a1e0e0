// SPDX-License-Identifier: MIT
/// \file
/// The content of a descriptor of cuDNN's graph interface: attributes by name. Not for tests.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <cudnn.h>

namespace paceline::cuda::emulation {

struct Node;
using NodeRef = std::shared_ptr<const Node>;

/// One of the lists is in use, by the attribute's type.
struct Attribute {
  cudnnBackendAttributeType_t type = CUDNN_TYPE_INT64;
  std::vector<std::int64_t> numbers;  ///< also enumerations and booleans
  std::vector<float> floats;
  std::vector<void*> addresses;  ///< also handles
  std::vector<NodeRef> nodes;
};

struct Node {
  cudnnBackendDescriptorType_t type = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
  bool final = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;

  /// Null if it is not set.
  const Attribute* find(cudnnBackendAttributeName_t name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
  }
  std::vector<std::int64_t> numbers(cudnnBackendAttributeName_t name) const {
    const Attribute* attribute = find(name);
    return attribute == nullptr ? std::vector<std::int64_t>{} : attribute->numbers;
  }
  std::int64_t number(cudnnBackendAttributeName_t name, std::int64_t otherwise) const {
    const Attribute* attribute = find(name);
    return attribute == nullptr || attribute->numbers.empty() ? otherwise
                                                              : attribute->numbers.front();
  }
  float scale(cudnnBackendAttributeName_t name, float otherwise) const {
    const Attribute* attribute = find(name);
    return attribute == nullptr || attribute->floats.empty() ? otherwise
                                                             : attribute->floats.front();
  }
  std::vector<NodeRef> nodes(cudnnBackendAttributeName_t name) const {
    const Attribute* attribute = find(name);
    return attribute == nullptr ? std::vector<NodeRef>{} : attribute->nodes;
  }
  NodeRef node(cudnnBackendAttributeName_t name) const {
    const std::vector<NodeRef> all = nodes(name);
    return all.size() == 1 ? all.front() : nullptr;
  }
};

}  // namespace paceline::cuda::emulation
