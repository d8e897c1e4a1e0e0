// SPDX-License-Identifier: MIT
// A fake NVML with two GPUs, by NVIDIA's prototypes (nvml.h). The first GPU has two active NVLinks
// and one with a hidden remote end.
#include <cstdio>
#include <cstring>

namespace {

struct Device {
  unsigned index;
};
Device devices[2] = {{0}, {1}};

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;

}  // namespace

extern "C" {

struct PciInfo {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

int nvmlInit_v2() {
  return kSuccess;
}
int nvmlShutdown() {
  return kSuccess;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 3;  // one of them is lost
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** device) {
  if (index > 1) return kNotSupported;
  *device = &devices[index];
  return kSuccess;
}
int nvmlDeviceGetName(Device*, char* name, unsigned length) {
  std::snprintf(name, length, "NVIDIA H100 80GB HBM3");
  return kSuccess;
}
int nvmlDeviceGetPciInfo_v3(Device* device, PciInfo* pci) {
  std::memset(pci, 0, sizeof *pci);
  std::snprintf(pci->busId, sizeof pci->busId, "00000000:0%u:00.0", 3 + device->index);
  return kSuccess;
}
int nvmlDeviceGetMaxPcieLinkGeneration(Device*, unsigned* generation) {
  *generation = 5;
  return kSuccess;
}
int nvmlDeviceGetMaxPcieLinkWidth(Device*, unsigned* width) {
  *width = 16;
  return kSuccess;
}
int nvmlDeviceGetNvLinkState(Device* device, unsigned link, int* active) {
  if (device->index == 1 || link > 7) return kNotSupported;
  *active = link < 3 ? 1 : 0;
  return kSuccess;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device*, unsigned link, PciInfo* pci) {
  if (link == 2) return kNotSupported;
  std::memset(pci, 0, sizeof *pci);
  std::snprintf(pci->busId, sizeof pci->busId, link == 0 ? "00000000:04:00.0" : "00000000:C4:00.0");
  return kSuccess;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(Device*, unsigned link, int* type) {
  if (link == 2) return kNotSupported;
  *type = link == 0 ? 0 : 2;
  return kSuccess;
}
int nvmlDeviceGetP2PStatus(Device* a, Device*, int capability, int* status) {
  *status = a->index == 0 || capability == 0 ? 0 : 5;
  return kSuccess;
}
}
