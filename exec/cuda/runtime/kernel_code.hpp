// SPDX-License-Identifier: MIT
/// \file
/// Where the code of kernels is when they are launched. CUDA loads a kernel's code at its first
/// launch, and may wait for all running kernels to do so (CUDA programming guide, lazy loading,
/// concurrent kernel execution). A kernel that waits for the host, such as a delay, would hold the
/// launching thread for as long as it waits, so all code is loaded before a point runs.
#pragma once

namespace paceline::cuda {

/// A source file with kernels; `kernel` is any one of them. Made before the program begins.
class KernelFile {
 public:
  explicit KernelFile(const void* kernel);
};

/// Loads the code of the kernels of all KernelFiles onto the current device. Returns their number;
/// 0 if the driver is older than CUDA 12.5 and cannot list them, so that they are loaded late.
int load_kernels();

}  // namespace paceline::cuda
