// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/peers.hpp"

#include <set>

#include "exec/cuda/machine/cuda_arrays.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

void enable_peer_access(const std::vector<int>& devices) {
  std::set<int> used(devices.begin(), devices.end());
  used.erase(kOnHost);
  for (const int from : used) {
    check(cudaSetDevice(from), "choosing a device");
    for (const int to : used) {
      int reachable = 0;
      if (from != to) check(cudaDeviceCanAccessPeer(&reachable, from, to), "querying peers");
      if (reachable == 0) continue;
      // a refusal (it is enabled already, or has too many peers) only makes copies slower
      if (cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess) cudaGetLastError();
    }
  }
}

}  // namespace paceline::cuda
