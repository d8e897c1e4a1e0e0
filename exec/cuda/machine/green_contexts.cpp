// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/green_contexts.hpp"

#include <string>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/toolkit.hpp"

namespace paceline::cuda {

SmGranularity granularity_of(int major) {
  if (major >= 9) return {8, 8};
  if (major == 8) return {4, 2};
  if (major == 7) return {2, 2};
  return {1, 1};
}

GreenContexts::GreenContexts(int device, int groups)
    : driver_(GreenDriver::load()), device_(device), groups_(groups) {
  check(cudaSetDevice(device), "choosing a device");
  check(cudaFree(nullptr),
        "opening a device");  // creates the primary context, on which green contexts build
  try {
    split();
  } catch (...) {
    destroy();
    throw;
  }
}

GreenContexts::~GreenContexts() {
  destroy();
}

void GreenContexts::split() {
  driver_.check(driver_.device_get(&handle_, device_), "cuDeviceGet");
  CUdevResource all{};
  driver_.check(driver_.device_resource(handle_, &all, CU_DEV_RESOURCE_TYPE_SM),
                "cuDeviceGetDevResource");
  total_ = static_cast<int>(all.sm.smCount);
  const auto [minimum, multiple] = granularity(all);
  sms_ = divide_sms(total_, groups_, minimum, multiple);
  if (sms_.sms == 0) {
    throw NoGreenContexts(std::to_string(groups_) + " groups of at least " +
                          std::to_string(minimum) + " SMs are more than the " +
                          std::to_string(total_) + " of the card");
  }
  std::vector<CUdevResource> resources(static_cast<std::size_t>(groups_));
  CUdevResource rest{};
  // a group does not span clusters of SMs, which differ in size: fewer large ones may fit
  unsigned count = 0;
  for (int sms = sms_.sms; count != static_cast<unsigned>(groups_); sms -= multiple) {
    if (sms < minimum) {
      throw NoGreenContexts("the driver makes " + std::to_string(count) + " groups of " +
                            std::to_string(sms + multiple) + " SMs, not " +
                            std::to_string(groups_));
    }
    count = static_cast<unsigned>(groups_);
    rest = {};
    driver_.check(
        driver_.split(resources.data(), &count, &all, &rest, 0, static_cast<unsigned>(sms)),
        "cuDevSmResourceSplitByCount");
  }
  sms_.sms = static_cast<int>(resources.front().sm.smCount);
  sms_.rest = rest.type == CU_DEV_RESOURCE_TYPE_SM ? static_cast<int>(rest.sm.smCount) : 0;
  sms_.servers = sms_.rest >= minimum ? sms_.rest : 0;
  for (const CUdevResource& resource : resources) create(resource);
  if (sms_.servers > 0) create(rest);
}

SmGranularity GreenContexts::granularity([[maybe_unused]] const CUdevResource& all) const {
#if PACELINE_CUDA_API >= 13000
  const auto at_least_one = [](unsigned count) { return count > 0 ? static_cast<int>(count) : 1; };
  return {at_least_one(all.sm.minSmPartitionSize), at_least_one(all.sm.smCoscheduledAlignment)};
#else
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device_),
        "querying a device");
  return granularity_of(major);
#endif
}

void GreenContexts::create(const CUdevResource& resource) {
  CUdevResource given = resource;
  CUdevResourceDesc described = nullptr;
  driver_.check(driver_.describe(&described, &given, 1), "cuDevResourceGenerateDesc");
  CUgreenCtx context = nullptr;
  driver_.check(driver_.create(&context, described, handle_, CU_GREEN_CTX_DEFAULT_STREAM),
                "cuGreenCtxCreate");
  green_.push_back(context);
  CUcontext usable = nullptr;
  driver_.check(driver_.context_of(&usable, context), "cuCtxFromGreenCtx");
  contexts_.push_back(usable);
  CUdevResource got{};
  driver_.check(driver_.resource_of(context, &got, CU_DEV_RESOURCE_TYPE_SM),
                "cuGreenCtxGetDevResource");
  if (got.sm.smCount != resource.sm.smCount) {
    throw NoGreenContexts("the driver gives a group " + std::to_string(got.sm.smCount) +
                          " SMs, not " + std::to_string(resource.sm.smCount));
  }
}

void GreenContexts::destroy() noexcept {
  // errors are ignored: after a lost context nothing can be done about them
  for (const CUgreenCtx context : green_) driver_.destroy(context);
  green_.clear();
}

std::string GreenContexts::describe() const {
  return std::to_string(groups_) + (groups_ == 1 ? " group" : " groups") + " of " +
         std::to_string(sms_.sms) + " of " + std::to_string(total_) + " SMs, servers on " +
         (sms_.servers > 0 ? std::to_string(sms_.servers) + " SMs of their own" : "the whole card");
}

DeviceStream GreenContexts::stream(int group) const {
  if (group == kWholeCard) return {};
  CUstream stream = nullptr;
  driver_.check(driver_.create_stream(&stream, green_[static_cast<std::size_t>(group)],
                                      CU_STREAM_NON_BLOCKING, 0),
                "cuGreenCtxStreamCreate");
  return DeviceStream(stream);
}

GreenContexts::Current::Current(const GreenContexts& green, int group) {
  if (group == kWholeCard) return;
  CUcontext context = green.contexts_[static_cast<std::size_t>(group)];
  green.driver_.check(green.driver_.push_current(context), "cuCtxPushCurrent");
  green_ = &green;
}

GreenContexts::Current::~Current() {
  CUcontext left = nullptr;
  if (green_ != nullptr) green_->driver_.pop_current(&left);
}

}  // namespace paceline::cuda
