// SPDX-License-Identifier: MIT
/// \file
/// How a process learns that it is one of several: from mpirun, or from the command line.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "exec/processes/rendezvous.hpp"

namespace paceline {

/// mpirun has started this process, and what tells it of the others is not there.
struct NoMpi : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How many processes mpirun has started, this one among them; 1 where it started none.
int processes_of_mpirun();

/// What mpirun knows of the group: opens libpaceline_mpi.so, beside the program or where
/// PACELINE_MPI_PLUGIN says, and has process 0 tell the others where it listens. Throws NoMpi where
/// that cannot be had.
Membership membership_of_mpirun();

/// Where a process listens, in what MPI carries: "PORT ADDRESS ADDRESS ...", all of this
/// computer's.
std::string whereabouts(std::uint16_t port);
/// The same as endpoints; none where it is no such text.
std::vector<Endpoint> read_whereabouts(const std::string& text);

/// Why a name or number is no address of a computer; "" if it is.
std::string unresolved(const Endpoint& endpoint);

/// What the command line says. Process r listens on the port r above that of process 0.
Membership membership_of_address(int processes, int rank, const Endpoint& leader);

}  // namespace paceline
