// SPDX-License-Identifier: MIT
#include "topology/discover/nvml.hpp"

#include <array>
#include <cctype>

#include "topology/discover/shared_library.hpp"

namespace paceline {
namespace {

using Handle = struct nvmlDevice_st*;
using Status = int;  // 0: success

/// nvmlPciInfo_t, version 3.
struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, pci_id, subsystem;
  char address[32];
};

struct Functions {
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  Status (*count)(unsigned*) = nullptr;
  Status (*handle)(unsigned, Handle*) = nullptr;
  Status (*name)(Handle, char*, unsigned) = nullptr;
  Status (*pci)(Handle, PciInfo*) = nullptr;
  // Optional functions, missing in some drivers.
  Status (*generation)(Handle, unsigned*) = nullptr;
  Status (*lanes)(Handle, unsigned*) = nullptr;
  Status (*link_state)(Handle, unsigned, int*) = nullptr;
  Status (*link_remote)(Handle, unsigned, PciInfo*) = nullptr;
  Status (*link_kind)(Handle, unsigned, int*) = nullptr;
  Status (*peer)(Handle, Handle, int, int*) = nullptr;
};

bool load(const SharedLibrary& library, Functions& f) {
  library.find(f.generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  library.find(f.lanes, "nvmlDeviceGetMaxPcieLinkWidth");
  library.find(f.link_state, "nvmlDeviceGetNvLinkState");
  library.find(f.link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  library.find(f.link_kind, "nvmlDeviceGetNvLinkRemoteDeviceType");
  library.find(f.peer, "nvmlDeviceGetP2PStatus");
  return library.find(f.init, "nvmlInit_v2") && library.find(f.shutdown, "nvmlShutdown") &&
         library.find(f.count, "nvmlDeviceGetCount_v2") &&
         library.find(f.handle, "nvmlDeviceGetHandleByIndex_v2") &&
         library.find(f.name, "nvmlDeviceGetName") &&
         library.find(f.pci, "nvmlDeviceGetPciInfo_v3");
}

/// The text in a character array, which may lack the final 0.
template <std::size_t N>
std::string text_of(const char (&array)[N]) {
  std::string text;
  for (std::size_t i = 0; i < N && array[i] != '\0'; ++i) text += array[i];
  return text;
}

constexpr unsigned kMostGpus = 256;
constexpr unsigned kMostLinks = 18;  // NVML_NVLINK_MAX_LINKS

void read_links(const Functions& f, Handle handle, NvmlGpu& gpu) {
  if (f.link_state == nullptr || f.link_remote == nullptr) return;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    int up = 0;
    PciInfo remote{};
    if (f.link_state(handle, link, &up) != 0 || up != 1) continue;
    const bool known = f.link_remote(handle, link, &remote) == 0;
    int kind = -1;
    if (f.link_kind != nullptr && f.link_kind(handle, link, &kind) != 0) kind = -1;
    NvmlGpu::Link found;
    constexpr int kSocket = 1;  // NVML_NVLINK_DEVICE_TYPE_IBMNPU
    constexpr int kSwitch = 2;  // NVML_NVLINK_DEVICE_TYPE_SWITCH
    if (kind == kSocket) found.to = NvmlGpu::Link::To::socket;
    if (kind == kSwitch || !known) found.to = NvmlGpu::Link::To::nvswitch;
    if (known) found.address = pci_address(text_of(remote.address));
    gpu.links.push_back(std::move(found));
  }
}

void read_peers(const Functions& f, const std::vector<Handle>& handles,
                std::vector<NvmlGpu>& gpus) {
  if (f.peer == nullptr) return;
  constexpr int kRead = 0;  // NVML_P2P_CAPS_INDEX_READ, and 1 is WRITE
  constexpr int kWrite = 1;
  for (std::size_t a = 0; a < gpus.size(); ++a) {
    for (std::size_t b = 0; b < gpus.size(); ++b) {
      int reads = -1;
      int writes = -1;
      if (a == b || f.peer(handles[a], handles[b], kRead, &reads) != 0 ||
          f.peer(handles[a], handles[b], kWrite, &writes) != 0) {
        continue;
      }
      if (reads == 0 && writes == 0) gpus[a].peers.push_back(static_cast<int>(b));
    }
  }
}

}  // namespace

std::string pci_address(std::string nvml) {
  for (char& c : nvml) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t colon = nvml.find(':');
  constexpr std::size_t kDomain = 4;  // hexadecimal digits in /sys
  if (colon != std::string::npos && colon > kDomain &&
      nvml.find_first_not_of('0') >= colon - kDomain) {
    nvml = nvml.substr(colon - kDomain);
  }
  return nvml;
}

std::optional<std::vector<NvmlGpu>> nvml_gpus(const char* library) {
  const SharedLibrary nvml(library);
  Functions f;
  if (!nvml || !load(nvml, f) || f.init() != 0) return std::nullopt;
  std::vector<NvmlGpu> gpus;
  std::vector<Handle> handles;
  unsigned count = 0;
  if (f.count(&count) != 0) count = 0;
  for (unsigned i = 0; i < count && i < kMostGpus; ++i) {
    Handle handle = nullptr;
    PciInfo pci{};
    char name[96] = {};
    if (f.handle(i, &handle) != 0 || f.pci(handle, &pci) != 0) continue;
    NvmlGpu gpu;
    gpu.address = pci_address(text_of(pci.address));
    if (f.name(handle, name, sizeof name) == 0) gpu.name = text_of(name);
    unsigned value = 0;
    if (f.generation != nullptr && f.generation(handle, &value) == 0) {
      gpu.pcie_generation = static_cast<int>(value);
    }
    if (f.lanes != nullptr && f.lanes(handle, &value) == 0)
      gpu.pcie_lanes = static_cast<int>(value);
    read_links(f, handle, gpu);
    gpus.push_back(std::move(gpu));
    handles.push_back(handle);
  }
  read_peers(f, handles, gpus);
  f.shutdown();
  return gpus;
}

}  // namespace paceline
