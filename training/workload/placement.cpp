// SPDX-License-Identifier: MIT
#include "training/workload/placement.hpp"

#include <algorithm>
#include <array>

namespace paceline {
namespace {

Place place_of_server(int server, int workers, ServerPlacement placement,
                      const std::optional<Devices>& devices, const DevicePool& pool) {
  const bool split = devices && devices->split == Split::green;
  const Place on_socket{Place::Device::socket, 0};
  switch (placement) {
    case ServerPlacement::cpu:
      return {Place::Device::socket, server % std::max(1, pool.sockets)};
    case ServerPlacement::gpu:
      if (!pool.gpus) return on_socket;
      return {Place::Device::gpu, gpu_of(devices, 0, pool.worker_gpus),
              split ? Place::kServers : Place::kWholeCard};
    case ServerPlacement::sharded_gpus:
      if (!pool.gpus) return on_socket;
      return {Place::Device::gpu, gpu_of(devices, server, pool.worker_gpus),
              split ? server % workers : Place::kWholeCard};
    case ServerPlacement::hosts: {
      const auto host = static_cast<std::size_t>(server);
      if (host >= pool.host_sockets.size()) return on_socket;
      return {Place::Device::socket, pool.host_sockets[host]};
    }
  }
  return on_socket;
}

}  // namespace

std::span<const EnumName<ServerPlacement>> enum_names(const ServerPlacement*) {
  static constexpr std::array<EnumName<ServerPlacement>, 4> kNames{
      {{"cpu", ServerPlacement::cpu},
       {"gpu", ServerPlacement::gpu},
       {"sharded-gpus", ServerPlacement::sharded_gpus},
       {"hosts", ServerPlacement::hosts}}};
  return kNames;
}

int gpu_of(const std::optional<Devices>& devices, int worker, const std::vector<int>& worker_gpus) {
  if (devices) return devices->gpu;
  const auto place = static_cast<std::size_t>(worker);
  return place < worker_gpus.size() ? worker_gpus[place] : worker;
}

Placement place_roles(int workers, int servers, ServerPlacement placement,
                      const std::optional<Devices>& devices, const DevicePool& pool) {
  Placement placed;
  const bool split = devices && devices->split == Split::green;
  if (devices && pool.gpus) placed.shared_card = devices->gpu;
  for (int worker = 0; worker < workers; ++worker) {
    if (pool.gpus) {
      placed.roles.push_back({Place::Device::gpu, gpu_of(devices, worker, pool.worker_gpus),
                              split ? worker : Place::kWholeCard});
    } else {
      placed.roles.push_back({Place::Device::core, core_of(worker, std::max(1, pool.cores))});
    }
  }
  for (int server = 0; server < servers; ++server) {
    ServerSite site{placement, server};
    if (!pool.sites.empty()) site = pool.sites[static_cast<std::size_t>(server)];
    placed.roles.push_back(place_of_server(site.number, workers, site.placement, devices, pool));
  }
  return placed;
}

void place_loaders(Placement& placed, int sets, int each, const DevicePool& pool) {
  for (int set = 0; set < sets; ++set) {
    const auto at = static_cast<std::size_t>(set);
    const int socket = at < pool.worker_sockets.size() ? pool.worker_sockets[at] : 0;
    for (int i = 0; i < each; ++i) placed.roles.push_back({Place::Device::socket, socket});
  }
}

std::vector<int> vertices_of(const Placement& placement, const Machine& machine) {
  std::vector<int> vertices;
  for (const Place& place : placement.roles) {
    switch (place.device) {
      case Place::Device::gpu:
        vertices.push_back(machine.gpu_vertex(place.number));
        break;
      case Place::Device::socket:
        vertices.push_back(machine.host_vertex(place.number));
        break;
      case Place::Device::core:
        vertices.push_back(machine.host_vertex(0));
        break;
    }
  }
  return vertices;
}

}  // namespace paceline
