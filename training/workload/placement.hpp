// SPDX-License-Identifier: MIT
/// \file
/// The devices on which the roles of a point run. Placement is decided here, once for every clock:
/// the simulator maps a place to a vertex of the machine's graph, exec/cuda to a device and a group
/// of its multiprocessors, exec/host to a core.
#pragma once
#include <optional>
#include <vector>

#include "experiments/language/value.hpp"
#include "topology/machine.hpp"
#include "training/workload/devices.hpp"

namespace paceline {

/// An aggregation's `placement:` key: the devices that run its servers.
enum class ServerPlacement {
  cpu,           ///< the CPU sockets, round-robin
  gpu,           ///< the first worker's GPU
  sharded_gpus,  ///< a server on each worker's GPU
  hosts,         ///< a server in each process, or on each of the workers' computers
};
std::span<const EnumName<ServerPlacement>> enum_names(const ServerPlacement*);

/// The place of one server: the `number`-th of those that a placement has.
struct ServerSite {
  ServerPlacement placement = ServerPlacement::cpu;
  int number = 0;
  friend bool operator==(const ServerSite&, const ServerSite&) = default;
};

/// The devices on which roles can be placed.
struct DevicePool {
  bool gpus = false;  ///< workers have GPUs; else they are threads of the host
  int sockets = 1;
  std::vector<int> worker_gpus{};     ///< by worker; empty: worker i has GPU i
  std::vector<int> worker_sockets{};  ///< by worker, of its loaders; empty: all on socket 0
  std::vector<int> host_sockets{};    ///< by server of `hosts`; empty: all on socket 0
  std::vector<ServerSite> sites{};    ///< by server; empty: all as the placement says
  int cores = 1;                      ///< available to threads of the host
};

/// The device of one role.
struct Place {
  enum class Device : std::uint8_t { gpu, socket, core };
  // A group of a card's multiprocessors: a number >= 0 is a worker's own group.
  static constexpr int kWholeCard = -1;
  static constexpr int kServers = -2;  ///< the multiprocessors that the workers' groups leave over

  Device device = Device::core;
  int number = 0;          ///< of the GPU, of the socket, or of the core
  int group = kWholeCard;  ///< of the GPU's multiprocessors
  friend bool operator==(const Place&, const Place&) = default;
};

struct Placement {
  std::vector<Place> roles;        ///< by role: workers, servers, loaders
  std::optional<int> shared_card;  ///< the GPU that all workers share; empty: each has its own

  const Place& of(int role) const { return roles[static_cast<std::size_t>(role)]; }
};

/// The GPU of a worker: its own, or the shared one.
int gpu_of(const std::optional<Devices>& devices, int worker,
           const std::vector<int>& worker_gpus = {});

/// Places `workers` roles and then `servers` roles. Without GPUs, workers take the cores
/// round-robin. Requires as many servers as workers for sharded-gpus.
Placement place_roles(int workers, int servers, ServerPlacement placement,
                      const std::optional<Devices>& devices, const DevicePool& pool);

/// Adds the loaders, `each` of every set: on the socket of the GPU of the worker of that number.
void place_loaders(Placement& placed, int sets, int each, const DevicePool& pool);

/// The core of a role's thread where workers take `cores` cores round-robin, so that each has the
/// same share of them.
constexpr int core_of(int role, int cores) {
  return role % cores;
}

/// The vertex of every role in `machine`'s graph: a GPU or a socket. A core maps to socket 0.
std::vector<int> vertices_of(const Placement& placement, const Machine& machine);

}  // namespace paceline
