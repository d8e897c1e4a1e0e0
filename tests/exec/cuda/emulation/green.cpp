// SPDX-License-Identifier: MIT
// The driver's calls for green contexts, and their lookup by the runtime.
#include "tests/exec/cuda/emulation/green.hpp"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cuda.h>

#include "tests/exec/cuda/emulation/stream.hpp"

struct CUgreenCtx_st {
  std::shared_ptr<paceline::cuda::emulation::GreenGroup> group;
  int device = 0;
};
struct CUdevResourceDesc_st {
  CUdevResource resource;
};

namespace paceline::cuda::emulation {
namespace {

struct Driver {
  std::mutex mutex;
  GreenSettings settings;
  std::vector<std::unique_ptr<CUgreenCtx_st>> contexts;  ///< including destroyed ones
  std::vector<std::unique_ptr<CUdevResourceDesc_st>> descriptions;
};

Driver& driver() {
  static Driver one;
  return one;
}

/// The stack of current contexts above the primary one; null stands for the primary one.
std::vector<std::shared_ptr<GreenGroup>>& stack() {
  static thread_local std::vector<std::shared_ptr<GreenGroup>> contexts;
  return contexts;
}

CUresult called(const char* call) {
  const std::lock_guard lock(driver().mutex);
  return driver().settings.failing == call ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

unsigned first_of(const CUdevResource& resource) {
  unsigned first = 0;
  std::memcpy(&first, resource._internal_padding, sizeof first);
  return first;
}

CUdevResource some_sms(unsigned first, unsigned count) {
  CUdevResource resource{};
  resource.type = CU_DEV_RESOURCE_TYPE_SM;
  std::memcpy(resource._internal_padding, &first, sizeof first);
  resource.sm.smCount = count;
  resource.sm.minSmPartitionSize = driver().settings.minimum;
  resource.sm.smCoscheduledAlignment = driver().settings.multiple;
  return resource;
}

CUresult device_get(CUdevice* device, int ordinal) {
  *device = ordinal;
  return called("cuDeviceGet");
}

CUresult error_name(CUresult error, const char** name) {
  *name = error == CUDA_ERROR_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED" : "CUDA_ERROR_UNKNOWN";
  return CUDA_SUCCESS;
}

CUresult device_resource(CUdevice, CUdevResource* resource, CUdevResourceType type) {
  if (const CUresult result = called("cuDeviceGetDevResource"); result != CUDA_SUCCESS) {
    return result;
  }
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  *resource = some_sms(0, driver().settings.sms);
  return CUDA_SUCCESS;
}

/// Rounds the size of each group up; every call starts at the first SM of the given resource.
CUresult split(CUdevResource* parts, unsigned* count, const CUdevResource* all, CUdevResource* rest,
               unsigned flags, unsigned at_least) {
  const GreenSettings& settings = driver().settings;
  if (flags != 0 || at_least > all->sm.smCount) return CUDA_ERROR_INVALID_VALUE;
  const unsigned each = std::max(
      settings.minimum, (at_least + settings.multiple - 1) / settings.multiple * settings.multiple);
  *count = std::min({*count, all->sm.smCount / each,
                     each >= settings.groups_above ? settings.groups_at_most : ~0U});
  for (unsigned i = 0; i < *count && parts != nullptr; ++i) {
    parts[i] = some_sms(first_of(*all) + i * each, each);
  }
  if (rest != nullptr) {
    *rest = some_sms(first_of(*all) + *count * each, all->sm.smCount - *count * each);
  }
  return called("cuDevSmResourceSplitByCount");
}

CUresult describe(CUdevResourceDesc* description, CUdevResource* resources, unsigned count) {
  if (count != 1) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(driver().mutex);
  driver().descriptions.push_back(std::make_unique<CUdevResourceDesc_st>(resources[0]));
  *description = driver().descriptions.back().get();
  return CUDA_SUCCESS;
}

CUresult create(CUgreenCtx* context, CUdevResourceDesc description, CUdevice device,
                unsigned flags) {
  if (const CUresult result = called("cuGreenCtxCreate"); result != CUDA_SUCCESS) return result;
  if (flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  auto fresh = std::make_unique<CUgreenCtx_st>();
  fresh->device = device;
  fresh->group = std::make_shared<GreenGroup>();
  fresh->group->first = first_of(description->resource);
  fresh->group->sms = description->resource.sm.smCount;
  const std::lock_guard lock(driver().mutex);
  driver().contexts.push_back(std::move(fresh));
  *context = driver().contexts.back().get();
  return CUDA_SUCCESS;
}

CUresult destroy(CUgreenCtx context) {
  if (!context->group->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  context->group->alive = false;
  return CUDA_SUCCESS;
}

CUresult resource_of(CUgreenCtx context, CUdevResource* resource, CUdevResourceType) {
  *resource = some_sms(context->group->first, context->group->sms);
  return CUDA_SUCCESS;
}

CUresult context_of(CUcontext* context, CUgreenCtx green) {
  *context = reinterpret_cast<CUcontext>(green);
  return CUDA_SUCCESS;
}

CUresult push_current(CUcontext context) {
  const auto& group = reinterpret_cast<CUgreenCtx>(context)->group;
  if (!group->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  stack().push_back(group);
  return CUDA_SUCCESS;
}

CUresult pop_current(CUcontext* context) {
  if (stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  stack().pop_back();
  *context = nullptr;
  return CUDA_SUCCESS;
}

CUresult create_stream(CUstream* stream, CUgreenCtx context, unsigned flags, int) {
  if (const CUresult result = called("cuGreenCtxStreamCreate"); result != CUDA_SUCCESS) {
    return result;
  }
  if (flags != CU_STREAM_NON_BLOCKING || !context->group->alive) return CUDA_ERROR_INVALID_VALUE;
  *stream = new CUstream_st(context->device);
  (*stream)->group = context->group;
  ++context->group->streams;
  ++context->group->live_streams;
  Machine::instance().add(*stream);
  return CUDA_SUCCESS;
}

struct EntryPoint {
  void* function;
  int version;  ///< CUDA version that introduced it
};

template <class Function>
EntryPoint entry(Function* function, int version) {
  return {reinterpret_cast<void*>(function), version};
}

const std::map<std::string, EntryPoint>& entry_points() {
  static const std::map<std::string, EntryPoint> all{
      {"cuDeviceGet", entry(&device_get, 2000)},
      {"cuGetErrorName", entry(&error_name, 6000)},
      {"cuCtxPushCurrent", entry(&push_current, 4000)},
      {"cuCtxPopCurrent", entry(&pop_current, 4000)},
      {"cuDeviceGetDevResource", entry(&device_resource, 12040)},
      {"cuDevSmResourceSplitByCount", entry(&split, 12040)},
      {"cuDevResourceGenerateDesc", entry(&describe, 12040)},
      {"cuGreenCtxCreate", entry(&create, 12040)},
      {"cuGreenCtxDestroy", entry(&destroy, 12040)},
      {"cuGreenCtxGetDevResource", entry(&resource_of, 12040)},
      {"cuCtxFromGreenCtx", entry(&context_of, 12040)},
      {"cuGreenCtxStreamCreate", entry(&create_stream, 12050)},
  };
  return all;
}

}  // namespace

std::shared_ptr<GreenGroup> current_group() {
  return stack().empty() ? nullptr : stack().back();
}

void leave_group() {
  if (!stack().empty()) stack().back() = nullptr;
}

void note_handle() {
  if (const auto group = current_group()) ++group->handles;
}

void restart_green() {
  const std::lock_guard lock(driver().mutex);
  driver().settings = {};
  driver().contexts.clear();
  driver().descriptions.clear();
}

int driver_version() {
  const std::lock_guard lock(driver().mutex);
  return driver().settings.driver;
}

void set_green(const GreenSettings& settings) {
  const std::lock_guard lock(driver().mutex);
  driver().settings = settings;
}

std::vector<SmGroup> green_groups() {
  const std::lock_guard lock(driver().mutex);
  std::vector<SmGroup> groups;
  for (const auto& context : driver().contexts) {
    const GreenGroup& group = *context->group;
    groups.push_back({group.first, group.sms, group.kernels, group.copies, group.streams,
                      group.live_streams, group.handles, group.alive});
  }
  return groups;
}

}  // namespace paceline::cuda::emulation

using namespace paceline::cuda::emulation;

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                        unsigned version, unsigned long long,
                                                        cudaDriverEntryPointQueryResult* result) {
  *function = nullptr;
  const auto found = entry_points().find(symbol);
  *result = found == entry_points().end() || found->second.version > static_cast<int>(version)
                ? cudaDriverEntryPointSymbolNotFound
            : found->second.version > driver_version() ? cudaDriverEntryPointVersionNotSufficent
                                                       : cudaDriverEntryPointSuccess;
  if (*result == cudaDriverEntryPointSuccess) *function = found->second.function;
  return cudaSuccess;
}
