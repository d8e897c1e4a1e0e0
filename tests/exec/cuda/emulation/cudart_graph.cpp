// SPDX-License-Identifier: MIT
// Graphs of the CUDA runtime: their nodes, and their launches.
#include <algorithm>
#include <utility>

#include "tests/exec/cuda/emulation/stream.hpp"

namespace emulation = paceline::cuda::emulation;

namespace {

using emulation::Kind;
using emulation::Work;

/// Records an event on the stream's thread. CUDA says that a launch records the event "to capture
/// execution of the node's dependencies", but not what the event is until the node has run: here it
/// is what it was before, so that a query which comes too early gives a wrong answer.
void record_now(CUevent_st& event, std::int64_t bytes) {
  const auto mark = std::make_shared<emulation::Mark>();
  mark->pass(bytes);
  const std::lock_guard lock(event.mutex);
  event.capture = nullptr;
  event.mark = mark;
}

cudaGraphNodeType type_of(const Work& work) {
  if (!work.run) return cudaGraphNodeTypeEventRecord;
  switch (work.kind) {
    case Kind::copy:
      return cudaGraphNodeTypeMemcpy;
    case Kind::memset:
      return cudaGraphNodeTypeMemset;
    case Kind::host_function:
      return cudaGraphNodeTypeHost;
    case Kind::other:
      return cudaGraphNodeTypeEmpty;
    default:
      return cudaGraphNodeTypeKernel;
  }
}

}  // namespace

CUgraph_st::CUgraph_st(std::vector<Work> captured) : works(std::move(captured)) {
  for (std::size_t i = 0; i < works.size(); ++i) nodes.push_back({this, i});
}

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new CUgraphExec_st{std::make_shared<const std::vector<Work>>(graph->works), {}};
  for (const Work& work : graph->works) (*executable)->records.push_back(work.record);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}

/// Without `nodes` it counts them.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (nodes == nullptr) {
    *count = graph->nodes.size();
    return cudaSuccess;
  }
  const std::size_t given = *count;
  *count = std::min(given, graph->nodes.size());
  for (std::size_t i = 0; i < given; ++i) nodes[i] = i < *count ? &graph->nodes[i] : nullptr;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = type_of(node->graph->works[node->place]);
  return cudaSuccess;
}

/// Launches that are queued keep their event. Requires, as CUDA does, that the graph of `node` and
/// the event that it had before are still there.
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  const auto found = emulation::Machine::instance().find(event);
  if (found == nullptr) return emulation::returned(cudaErrorInvalidResourceHandle);
  if (node->place >= graph->records.size() || graph->records[node->place] == nullptr) {
    return emulation::returned(cudaErrorInvalidValue);
  }
  if (emulation::Machine::instance().find(graph->records[node->place].get()) == nullptr) {
    return emulation::returned(cudaErrorInvalidValue);  // as seen with driver 580
  }
  graph->records[node->place] = found;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const auto at = emulation::Machine::instance().find(stream);
  if (at == nullptr || graph == nullptr) {
    return emulation::returned(cudaErrorInvalidResourceHandle);
  }
  if (const auto status = emulation::callable(at->device()); status != cudaSuccess) {
    return emulation::returned(status);
  }
  if (at->capture != nullptr) return emulation::returned(cudaErrorStreamCaptureUnsupported);
  emulation::Device* device = &emulation::Machine::instance().device(at->device());
  at->push(
      [works = graph->works, records = graph->records, at = at.get(), device] {
        if (device->fault.load() == cudaSuccess) ++device->graph_launches;
        if (device->listing) device->list(at, {Kind::graph, {}, {}, {"graph launch"}});
        for (std::size_t i = 0; i < works->size(); ++i) {
          if (records[i] != nullptr) {
            record_now(*records[i], at->bytes);
          } else if (device->fault.load() == cudaSuccess && !device->cancelled) {
            at->perform((*works)[i]);
          }
        }
      },
      true);
  return cudaSuccess;
}

}  // extern "C"
