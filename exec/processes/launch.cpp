// SPDX-License-Identifier: MIT
#include "exec/processes/launch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>

#include "exec/mpi/exchange.hpp"

namespace paceline {
namespace {

constexpr const char* kFile = "libpaceline_mpi.so";
constexpr const char* kPlace = "PACELINE_MPI_PLUGIN";
// Room for a port and the addresses of a computer with many network cards.
constexpr std::size_t kTextSize = 2048;

std::filesystem::path plugin_place() {
  if (const char* named = std::getenv(kPlace); named != nullptr && *named != '\0') return named;
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::filesystem::path installed = folder.parent_path() / "lib" / "paceline" / kFile;
  return std::filesystem::is_regular_file(installed, error) ? installed : folder / kFile;
}

MpiExchange load_exchange() {
  const std::filesystem::path place = plugin_place();
  // It stays open to the end of the process: MPI does not like to be closed.
  void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const char* reason = library == nullptr ? dlerror() : nullptr;  // NOLINT(concurrency-mt-unsafe)
  if (library == nullptr) {
    throw NoMpi("mpirun started several processes, but " + std::string(kFile) +
                " cannot be loaded (" + (reason != nullptr ? reason : "no reason given") +
                "); use --processes, --rank and --address instead");
  }
  const auto exchange = reinterpret_cast<MpiExchange>(dlsym(library, kMpiExchange));
  if (exchange == nullptr) {
    throw NoMpi("'" + place.string() + "' is not an MPI plug-in of paceline");
  }
  return exchange;
}

}  // namespace

int processes_of_mpirun() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size != nullptr ? std::max(1, std::atoi(size)) : 1;
}

Membership membership_of_mpirun() {
  const MpiExchange exchange = load_exchange();
  Membership membership;
  std::array<char, kTextSize> text{};
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank != nullptr && std::string(rank) == "0") {
    membership.listener.emplace(Endpoint{"", 0});
    const std::string here = whereabouts(membership.listener->port());
    std::copy(here.begin(), here.end(), text.begin());
  }
  const int error = exchange(&membership.rank, &membership.size, text.data(), text.size());
  if (error != 0) throw NoMpi("MPI failed (error " + std::to_string(error) + ")");
  membership.leader = read_whereabouts(text.data());
  if (membership.leader.empty()) throw NoMpi("MPI returned no address of process 0");
  return membership;
}

std::string whereabouts(std::uint16_t port) {
  std::string text = std::to_string(port);
  for (const std::string& address : own_addresses()) {
    if (text.size() + address.size() + 2 < kTextSize) text += " " + address;
  }
  return text;
}

std::vector<Endpoint> read_whereabouts(const std::string& text) {
  std::istringstream words(text);
  std::uint16_t port = 0;
  words >> port;
  std::vector<Endpoint> endpoints;
  for (std::string address; words >> address;) endpoints.push_back({address, port});
  return endpoints;
}

std::string unresolved(const Endpoint& endpoint) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(endpoint.host.c_str(), nullptr, &wanted, &list);
  if (error == 0) ::freeaddrinfo(list);
  return error == 0 ? "" : ::gai_strerror(error);
}

Membership membership_of_address(int processes, int rank, const Endpoint& leader) {
  Membership membership;
  membership.size = processes;
  membership.rank = rank;
  membership.leader = {leader};
  membership.port = static_cast<std::uint16_t>(leader.port + rank);
  return membership;
}

}  // namespace paceline
