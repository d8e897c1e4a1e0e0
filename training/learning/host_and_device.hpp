// SPDX-License-Identifier: MIT
/// \file
/// Marks functions that the loops of the CPU and the kernels of a GPU share, so that a formula is
/// written once.
#pragma once

#ifdef __CUDACC__
#define PACELINE_ANYWHERE __host__ __device__
#else
#define PACELINE_ANYWHERE
#endif
