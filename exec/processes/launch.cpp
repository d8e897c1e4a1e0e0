// SPDX-License-Identifier: MIT
#include "exec/processes/launch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <dlfcn.h>

#include "exec/machine/plugin_places.hpp"
#include "exec/mpi/exchange.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

constexpr const char* kFile = "libpaceline_mpi.so";
constexpr const char* kVariable = "PACELINE_MPI_PLUGIN";
// Room for the secret, a port and the addresses of a computer with many network cards.
constexpr std::size_t kTextSize = 2048;

MpiExchange load_exchange() {
  const std::vector<std::filesystem::path> places = plugin_places(kFile, kVariable);
  std::filesystem::path place = first_file(places);
  if (place.empty())
    place = places.empty() ? kFile : places.front();  // dlopen then gives the reason
  // The library stays open to the end of the process: MPI cannot be unloaded.
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

int number_of(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value != nullptr ? std::atoi(value) : otherwise;
}

}  // namespace

int processes_of_mpirun() {
  return std::max(1, number_of("OMPI_COMM_WORLD_SIZE", 1));
}

Membership membership_of_mpirun() {
  const MpiExchange exchange = load_exchange();
  Membership membership;
  std::array<char, kTextSize> text{};
  if (number_of("OMPI_COMM_WORLD_RANK", -1) == 0) {
    const std::string secret = to_hex(random_nonce());
    const bool one_computer = number_of("OMPI_COMM_WORLD_LOCAL_SIZE", 0) == processes_of_mpirun();
    membership.listener.emplace(Endpoint{one_computer ? "127.0.0.1" : "", 0}, Secret(secret));
    const std::string here =
        secret + " " +
        whereabouts(membership.listener->port(),
                    one_computer ? std::vector<std::string>{"127.0.0.1"} : own_addresses());
    here.copy(text.data(), text.size() - 1);
  }
  const int error = exchange(&membership.rank, &membership.size, text.data(), text.size());
  if (error != 0) throw NoMpi("MPI failed (error " + std::to_string(error) + ")");
  const std::string all(text.data(), strnlen(text.data(), text.size()));
  const std::size_t blank = std::min(all.find(' '), all.size());
  membership.secret = Secret(all.substr(0, blank));
  membership.leader = read_whereabouts(all.substr(blank));
  if (membership.leader.empty()) throw NoMpi("MPI returned no address of process 0");
  return membership;
}

std::string whereabouts(std::uint16_t port, const std::vector<std::string>& addresses) {
  constexpr std::size_t kMost = kTextSize - 2 * sizeof(Digest) - 2;
  std::string text = std::to_string(port);
  for (const std::string& address : addresses) {
    if (text.size() + address.size() + 1 < kMost) text += " " + address;
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

Membership membership_of_address(int processes, int rank, const Endpoint& leader,
                                 const Secret& secret) {
  Membership membership;
  membership.size = processes;
  membership.rank = rank;
  membership.secret = secret;
  membership.leader = {leader};
  membership.port = static_cast<std::uint16_t>(leader.port + rank);
  return membership;
}

Secret secret_of_group(const std::string& file, const Endpoint& leader) {
  if (!file.empty()) return Secret::of_file(file);
  if (const char* text = std::getenv(kSecretVariable); text != nullptr && *text != '\0') {
    return Secret::of_text(text, kSecretVariable);
  }
  if (is_loopback(leader)) return Secret::of_user();
  throw SpecError("paceline: error: --address " + quote(std::string_view(to_string(leader))) +
                  " is reached over the network: the processes need a shared secret (give all "
                  "the same --secret-file, made by: head -c 32 /dev/urandom | base64)");
}

}  // namespace paceline
