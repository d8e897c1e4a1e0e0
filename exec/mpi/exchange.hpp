// SPDX-License-Identifier: MIT
/// \file
/// What the MPI plug-in does: it is all of MPI that paceline uses, a library of its own, so that
/// paceline starts where there is no MPI. mpirun has started the processes; the plug-in tells each
/// which it is and what process 0 says.
#pragma once
#include <cstddef>

namespace paceline {

/// The one function of libpaceline_mpi.so. Initialises MPI, hands the `capacity` bytes at `text`
/// from process 0 to all the others, and finalises MPI. 0, or MPI's error.
using MpiExchange = int (*)(int* rank, int* size, char* text, std::size_t capacity);
inline constexpr const char* kMpiExchange = "paceline_mpi_exchange";

}  // namespace paceline
