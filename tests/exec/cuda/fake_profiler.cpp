// SPDX-License-Identifier: MIT
// A profiler for the test of NVTX ranges: NVTX loads it where NVTX_INJECTION64_PATH names it. It
// writes the names of all ranges into the file of FAKE_PROFILER.
#include <cstdlib>
#include <fstream>
#include <mutex>

#include <nvtx3/nvToolsExt.h>

namespace {

void write(const char* kind, const nvtxEventAttributes_t* event) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static std::ofstream file(std::getenv("FAKE_PROFILER"));
  file << kind << ' ' << event->message.ascii << std::endl;
}

int push(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  write("push", event);
  return 0;
}

nvtxRangeId_t start(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  write("start", event);
  return 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t find) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(find(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned count = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &count) == 0) {
    return 0;
  }
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *table[NVTX_CBID_CORE2_DomainRangeStartEx] = reinterpret_cast<NvtxFunctionPointer>(&start);
  return 1;
}
