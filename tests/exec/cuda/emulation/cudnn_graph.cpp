// SPDX-License-Identifier: MIT
// cuDNN's graph interface: descriptors, engines and plans.
#include <algorithm>
#include <cstring>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/machine.hpp"
#include "tests/exec/cuda/emulation/operation_graph.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

namespace {

/// A descriptor of the interface. Others refer to its content, not to it.
struct Descriptor {
  std::shared_ptr<Node> node;
};

Descriptor* of(cudnnBackendDescriptor_t descriptor) {
  return static_cast<Descriptor*>(descriptor);
}

/// Every graph has three engines. The second notes that it sums in less than fp32, and computes
/// nothing, since no caller may take it; the third notes that its results vary.
enum Engine : std::int64_t { exact, rounding, unordered, engines };
constexpr std::int64_t kKnobValues = 2;

std::vector<std::int64_t> notes_of(std::int64_t engine) {
  if (engine == rounding) {
    return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION};
  }
  if (engine == unordered) return {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
  return {};
}

std::vector<std::int64_t> proposals(std::int64_t mode) {
  if (mode == CUDNN_HEUR_MODE_A) return {rounding, exact};
  if (mode == CUDNN_HEUR_MODE_B) return {exact, rounding, unordered};
  return {unordered};
}

bool is_enumeration(cudnnBackendAttributeType_t type) {
  return type == CUDNN_TYPE_DATA_TYPE || type == CUDNN_TYPE_CONVOLUTION_MODE ||
         type == CUDNN_TYPE_HEUR_MODE || type == CUDNN_TYPE_KNOB_TYPE ||
         type == CUDNN_TYPE_POINTWISE_MODE || type == CUDNN_TYPE_GENSTATS_MODE;
}

template <class T>
std::vector<T> array_of(const void* values, std::int64_t count) {
  std::vector<T> array(static_cast<std::size_t>(count));
  std::memcpy(array.data(), values, array.size() * sizeof(T));
  return array;
}

/// Null if a descriptor is not complete, or the type is unknown.
std::shared_ptr<Attribute> read(cudnnBackendAttributeType_t type, std::int64_t count,
                                const void* values) {
  auto attribute = std::make_shared<Attribute>();
  attribute->type = type;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    for (auto* descriptor : array_of<cudnnBackendDescriptor_t>(values, count)) {
      if (descriptor == nullptr || !of(descriptor)->node->final) return nullptr;
      attribute->nodes.push_back(of(descriptor)->node);
    }
  } else if (type == CUDNN_TYPE_INT64) {
    attribute->numbers = array_of<std::int64_t>(values, count);
  } else if (is_enumeration(type)) {
    for (const int value : array_of<int>(values, count)) attribute->numbers.push_back(value);
  } else if (type == CUDNN_TYPE_BOOLEAN) {
    for (const auto value : array_of<unsigned char>(values, count)) {
      attribute->numbers.push_back(value);
    }
  } else if (type == CUDNN_TYPE_FLOAT) {
    attribute->floats = array_of<float>(values, count);
  } else if (type == CUDNN_TYPE_VOID_PTR || type == CUDNN_TYPE_HANDLE) {
    attribute->addresses = array_of<void*>(values, count);
  } else {
    return nullptr;
  }
  return attribute;
}

std::shared_ptr<Node> make(cudnnBackendDescriptorType_t type) {
  auto node = std::make_shared<Node>();
  node->type = type;
  return node;
}

void set_numbers(Node& node, cudnnBackendAttributeName_t name, std::vector<std::int64_t> values) {
  node.attributes[name] = {CUDNN_TYPE_INT64, std::move(values), {}, {}, {}};
}
void set_nodes(Node& node, cudnnBackendAttributeName_t name, std::vector<NodeRef> nodes) {
  node.attributes[name] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, {}, {}, {}, std::move(nodes)};
}

NodeRef make_engine(const NodeRef& graph, std::int64_t index) {
  auto engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  set_numbers(*engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, {index});
  set_nodes(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, {graph});
  set_numbers(*engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, notes_of(index));
  engine->final = true;
  return engine;
}

NodeRef make_configuration(const NodeRef& graph, std::int64_t index) {
  auto knob = make(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  set_numbers(*knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, {CUDNN_KNOB_TYPE_TILE_SIZE});
  set_numbers(*knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, {1});
  knob->final = true;
  auto configuration = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  set_nodes(*configuration, CUDNN_ATTR_ENGINECFG_ENGINE, {make_engine(graph, index)});
  set_nodes(*configuration, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, {knob});
  configuration->final = true;
  return configuration;
}

/// The graph of an engine, an engine's configuration, a heuristic or a plan.
NodeRef graph_of(const Node& node) {
  for (const auto name :
       {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINE_OPERATION_GRAPH}) {
    if (const NodeRef graph = node.node(name)) return graph;
  }
  for (const auto name : {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_ATTR_ENGINECFG_ENGINE}) {
    if (const NodeRef inner = node.node(name)) return graph_of(*inner);
  }
  return nullptr;
}

cudnnStatus_t complete_heuristics(Node& node) {
  const NodeRef graph = graph_of(node);
  if (graph == nullptr) return CUDNN_STATUS_BAD_PARAM;
  if (!OperationGraph(*graph).supported()) return CUDNN_STATUS_NOT_SUPPORTED;
  std::vector<NodeRef> results;
  for (const std::int64_t index : proposals(node.number(CUDNN_ATTR_ENGINEHEUR_MODE, -1))) {
    results.push_back(make_configuration(graph, index));
  }
  set_nodes(node, CUDNN_ATTR_ENGINEHEUR_RESULTS, std::move(results));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t complete_engine(Node& node) {
  const NodeRef graph = graph_of(node);
  const std::int64_t index = node.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, -1);
  if (graph == nullptr) return CUDNN_STATUS_BAD_PARAM;
  if (index < 0 || index >= engines) return CUDNN_STATUS_BAD_PARAM;
  if (!OperationGraph(*graph).supported()) return CUDNN_STATUS_NOT_SUPPORTED;
  set_numbers(node, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, notes_of(index));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t complete_configuration(const Node& node) {
  if (node.node(CUDNN_ATTR_ENGINECFG_ENGINE) == nullptr) return CUDNN_STATUS_BAD_PARAM;
  for (const NodeRef& knob : node.nodes(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES)) {
    const std::int64_t value = knob->number(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, -1);
    if (knob->number(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, -1) != CUDNN_KNOB_TYPE_TILE_SIZE ||
        value < 0 || value >= kKnobValues) {
      return CUDNN_STATUS_BAD_PARAM;
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t complete_plan(Node& node) {
  const NodeRef graph = graph_of(node);
  if (graph == nullptr) return CUDNN_STATUS_BAD_PARAM;
  const OperationGraph operations(*graph);
  if (!operations.supported()) return CUDNN_STATUS_NOT_SUPPORTED;
  set_numbers(node, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
              {static_cast<std::int64_t>(operations.workspace_bytes())});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t complete(Node& node) {
  switch (node.type) {
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return OperationGraph(node).legal() ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return complete_heuristics(node);
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      return complete_engine(node);
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      return complete_configuration(node);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return complete_plan(node);
    default:
      return CUDNN_STATUS_SUCCESS;
  }
}

/// Copies an attribute to the caller; `count` is the room there.
cudnnStatus_t write(const Attribute& attribute, cudnnBackendAttributeType_t type,
                    std::int64_t count, std::int64_t* filled, void* values) {
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    *filled = static_cast<std::int64_t>(attribute.nodes.size());
    for (std::int64_t i = 0; i < std::min(count, *filled); ++i) {
      auto* const descriptor = static_cast<cudnnBackendDescriptor_t*>(values)[i];
      if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM;
      of(descriptor)->node = std::make_shared<Node>(*attribute.nodes[static_cast<std::size_t>(i)]);
    }
    return CUDNN_STATUS_SUCCESS;
  }
  *filled = static_cast<std::int64_t>(attribute.numbers.size());
  for (std::int64_t i = 0; i < std::min(count, *filled); ++i) {
    const std::int64_t value = attribute.numbers[static_cast<std::size_t>(i)];
    if (type == CUDNN_TYPE_INT64) {
      static_cast<std::int64_t*>(values)[i] = value;
    } else {
      static_cast<int*>(values)[i] = static_cast<int>(value);
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

std::map<std::int64_t, void*> addresses_of(const Node& pack) {
  const Attribute* pointers = pack.find(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  const auto uids = pack.numbers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  std::map<std::int64_t, void*> addresses;
  if (pointers == nullptr || pointers->addresses.size() != uids.size()) return {};
  for (std::size_t i = 0; i < uids.size(); ++i) addresses[uids[i]] = pointers->addresses[i];
  return addresses;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
  *descriptor = nullptr;
  if (graphs_at_most() == Graphs::none) return CUDNN_STATUS_NOT_SUPPORTED;
  *descriptor = new Descriptor{make(type)};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete of(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  Node& node = *of(descriptor)->node;
  const cudnnStatus_t status = complete(node);
  if (status == CUDNN_STATUS_SUCCESS) node.final = true;
  return status;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count,
                                       const void* values) {
  Node& node = *of(descriptor)->node;
  if (node.final || count < 0 || values == nullptr) return CUDNN_STATUS_BAD_PARAM;
  const auto attribute = read(type, count, values);
  if (attribute == nullptr) return CUDNN_STATUS_BAD_PARAM;
  node.attributes[name] = *attribute;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count,
                                       std::int64_t* filled, void* values) {
  const Node& node = *of(descriptor)->node;
  *filled = 0;
  if (!node.final) return CUDNN_STATUS_NOT_INITIALIZED;
  const Attribute* attribute = node.find(name);
  if (attribute == nullptr) return CUDNN_STATUS_SUCCESS;
  return write(*attribute, type, count, filled, values);
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  const Node& plan_node = *of(plan)->node;
  const Node& pack_node = *of(pack)->node;
  if (!plan_node.final || !pack_node.final) return CUDNN_STATUS_BAD_PARAM;
  const auto graph = std::make_shared<const OperationGraph>(*graph_of(plan_node));
  const std::map<std::int64_t, void*> memory = addresses_of(pack_node);
  const Attribute* workspaces = pack_node.find(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (!graph->accepts(memory) || workspaces == nullptr || workspaces->addresses.size() != 1 ||
      workspaces->addresses.front() == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const NodeRef configuration = plan_node.node(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const NodeRef engine = configuration->node(CUDNN_ATTR_ENGINECFG_ENGINE);
  const bool computes = engine->number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, -1) != rounding;
  void* workspace = workspaces->addresses.front();
  const std::size_t bytes = graph->workspace_bytes();
  return from(submit(handle->stream, {Kind::library,
                                      [graph, memory, workspace, bytes, computes] {
                                        std::memset(workspace, 0xff, bytes);
                                        if (computes) graph->run(memory);
                                      },
                                      {},
                                      graph->cost()}));
}

}  // extern "C"
