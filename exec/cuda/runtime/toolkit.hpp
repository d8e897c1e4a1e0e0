// SPDX-License-Identifier: MIT
/// \file
/// The sources use the interface of one version of CUDA: the toolkit's, or with
/// -DPACELINE_CUDA_MINIMUM=12.5 an older one, to compile here what older toolkits would compile.
#pragma once
#include <cuda.h>

#if defined(PACELINE_CUDA_MINIMUM) && PACELINE_CUDA_MINIMUM < CUDA_VERSION
#define PACELINE_CUDA_API PACELINE_CUDA_MINIMUM
#else
#define PACELINE_CUDA_API CUDA_VERSION
#endif

// for green contexts with streams (machine/green_driver.cpp)
#if PACELINE_CUDA_API < 12050
#error "the CUDA layer needs CUDA 12.5 or newer"
#endif
