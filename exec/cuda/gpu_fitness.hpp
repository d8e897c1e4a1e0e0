// SPDX-License-Identifier: MIT
/// \file
/// Which GPUs the plug-in has code for, and which of them its cuDNN supports.
#pragma once
#include <cstddef>
#include <string>

namespace paceline::cuda {

/// How the plug-in was built and on which software it runs.
struct CudaSoftware {
  /// CMake's list, with blanks: "75-real" is machine code for compute capability 7.5 and later ones
  /// of its major version, "75-virtual" is PTX for 7.5 and all later ones, "75" is both.
  std::string architectures;
  int toolkit = 0;        ///< the CUDA version of the build, 12090 for 12.9
  int driver = 0;         ///< the CUDA version that the driver supports
  std::size_t cudnn = 0;  ///< 91900 for 9.19.0
};

/// `capability`: 90 for 9.0. "", or why such a GPU cannot be used: "is of compute capability 7.0,
/// and the layer of CUDA 13 begins at 7.5". A driver compiles PTX of a CUDA that is not newer.
std::string unfit(int capability, const CudaSoftware& software);

}  // namespace paceline::cuda
