// SPDX-License-Identifier: MIT
/// \file
/// The membership of a process in a group, from mpirun or from the command line.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "exec/processes/rendezvous.hpp"

namespace paceline {

/// The process was started by mpirun, but MPI cannot be used.
struct NoMpi : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The number of processes that mpirun has started, including this one; 1 without mpirun.
int processes_of_mpirun();

/// The group that mpirun has started. Opens libpaceline_mpi.so, beside the program or at
/// PACELINE_MPI_PLUGIN, and broadcasts process 0's addresses and a random secret. Process 0 listens
/// on the loopback if mpirun started all processes on this computer, otherwise on all network
/// cards. Throws NoMpi if MPI cannot be used.
Membership membership_of_mpirun();

/// The port and addresses at which a process listens, as text for MPI: "PORT ADDRESS ADDRESS ...".
std::string whereabouts(std::uint16_t port, const std::vector<std::string>& addresses);
/// The endpoints in such a text; none if it is invalid.
std::vector<Endpoint> read_whereabouts(const std::string& text);

/// The group that the command line describes. Process r listens on the port of process 0 plus r.
Membership membership_of_address(int processes, int rank, const Endpoint& leader,
                                 const Secret& secret);

/// The environment variable with the secret of processes that are started by hand.
inline constexpr const char* kSecretVariable = "PACELINE_SECRET";
/// The secret of a group that is started by hand: that of the file, else that of the environment,
/// else, if process 0 listens on the loopback, that of this user. Throws SpecError if there is
/// none.
Secret secret_of_group(const std::string& file, const Endpoint& leader);

}  // namespace paceline
