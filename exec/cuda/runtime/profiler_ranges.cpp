// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/profiler_ranges.hpp"

#include <cstdlib>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define PACELINE_NVTX
#endif

namespace paceline::cuda {
namespace {

#ifdef PACELINE_NVTX
/// Its rows are apart from those of CUDA's libraries.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t ours = nvtxDomainCreateA("paceline");
  return ours;
}

nvtxEventAttributes_t attributes(const std::string& name) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name.c_str();
  return event;
}
#endif

std::string name_of(RoleId role, RoleId workers) {
  if (role < workers) return "worker " + std::to_string(role);
  return "server " + std::to_string(role - workers);
}

std::string range_name(RoleId worker, const char* pass, const LayerRange& layers) {
  return "worker " + std::to_string(worker) + " " + pass + " " + std::to_string(layers.first) +
         "-" + std::to_string(layers.last - 1);
}

const char* name_of(Stream stream, const Command& command) {
  if (command.is<Command::Copy>()) {
    if (stream.kind == StreamKind::push) return "push";
    return stream.kind == StreamKind::fetch ? "fetch" : "copy";
  }
  if (command.is<Command::Delay>()) return "delay";
  if (command.is<Command::Reduce>() || command.is<Command::Collective>()) return "sum";
  if (command.is<Command::Encode>()) return "encode";
  if (command.is<Command::Decode>()) return "decode and sum";
  if (command.is<Command::Update>() || command.is<Command::Assign>()) return "update";
  if (command.is<Command::StorageRequest>()) return "checkpoint";
  return command.is<Command::Publish>() ? "publish" : "mark";
}

}  // namespace

#ifdef PACELINE_NVTX
bool profiled() {
  static const bool injected = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
  return injected;
}

void ProfilerRange::push(const std::string& name) {
  const nvtxEventAttributes_t event = attributes(name);
  nvtxDomainRangePushEx(domain(), &event);
}

ProfilerRange::~ProfilerRange() {
  if (open_) nvtxDomainRangePop(domain());
}

void StepRanges::begin(WorkId work) {
  const auto found = open_.find(work.worker);
  if (found != open_.end()) nvtxDomainRangeEnd(domain(), found->second);
  const std::string name =
      "worker " + std::to_string(work.worker) + " step " + std::to_string(work.step);
  const nvtxEventAttributes_t event = attributes(name);
  open_[work.worker] = nvtxDomainRangeStartEx(domain(), &event);
}

StepRanges::~StepRanges() {
  for (const auto& [worker, range] : open_) nvtxDomainRangeEnd(domain(), range);
}
#else
bool profiled() {
  return false;
}
void ProfilerRange::push(const std::string&) {}
ProfilerRange::~ProfilerRange() = default;
void StepRanges::begin(WorkId) {}
StepRanges::~StepRanges() = default;
#endif

std::string range_name(Stream stream, const Command& command, RoleId workers) {
  if (const auto* whole = command.as<Command::Compute>()) {
    return range_name(stream.role, whole->layers);
  }
  return name_of(stream.role, workers) + " " + name_of(stream, command);
}

std::string range_name(RoleId worker, const LayerRange& layers) {
  const char* pass = "forward";
  if (layers.pass == Pass::backward) pass = "backward";
  if (layers.pass == Pass::validation) pass = "validation";
  return range_name(worker, pass, layers);
}

std::string range_name_of_both(RoleId worker, const LayerRange& layers) {
  return range_name(worker, "forward and backward", layers);
}

}  // namespace paceline::cuda
