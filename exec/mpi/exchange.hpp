// SPDX-License-Identifier: MIT
/// \file
/// The interface of the MPI plug-in, the only use of MPI in paceline. MPI is in a separate library
/// so that paceline starts on computers without MPI.
#pragma once
#include <cstddef>

namespace paceline {

/// The only function of libpaceline_mpi.so. Initialises MPI, broadcasts the `capacity` bytes at
/// `text` from process 0, and finalises MPI. Returns 0 or an MPI error code.
using MpiExchange = int (*)(int* rank, int* size, char* text, std::size_t capacity);
inline constexpr const char* kMpiExchange = "paceline_mpi_exchange";

}  // namespace paceline
