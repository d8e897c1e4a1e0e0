// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/device_fixture.hpp"

#include "tests/exec/cuda/emulation/emulated_cuda.hpp"

namespace paceline::cuda {

bool emulated() {
  return true;
}

void restart_devices(int devices) {
  emulation::restart(devices);
}

bool fail_next_kernel(int device) {
  emulation::fail_kernel(device, 0);
  return true;
}

void leave_out_arithmetic(int device) {
  emulation::idle_libraries(device);
}

bool limit_memory(int device, std::size_t bytes) {
  emulation::set_memory(device, bytes);
  return true;
}

bool limit_fusion(bool single) {
  emulation::limit_graphs(single ? emulation::Graphs::single : emulation::Graphs::fused);
  return true;
}

std::int64_t allocations(int device) {
  return emulation::counts(device).allocations;
}

}  // namespace paceline::cuda
