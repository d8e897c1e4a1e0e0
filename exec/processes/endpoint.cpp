// SPDX-License-Identifier: MIT
#include "exec/processes/endpoint.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

namespace paceline {
namespace {

namespace ip = boost::asio::ip;

ip::tcp::resolver::results_type resolve(const std::string& host, boost::system::error_code& error) {
  boost::asio::io_context context;
  return ip::tcp::resolver(context).resolve(host, "", error);
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  const bool colons = endpoint.host.find(':') != std::string::npos;
  return (colons ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::optional<Endpoint> read_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  Endpoint endpoint{text.substr(0, colon), 0};
  if (endpoint.host.front() == '[' && endpoint.host.back() == ']') {
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  } else if (endpoint.host.find(':') != std::string::npos) {
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc{} || rest != end || endpoint.port == 0 || endpoint.host.empty()) {
    return std::nullopt;
  }
  return endpoint;
}

bool is_loopback(const Endpoint& endpoint) {
  boost::system::error_code none;
  const ip::address number = ip::make_address(endpoint.host, none);
  return endpoint.host == "localhost" || (!none && number.is_loopback());
}

Endpoint to_listen_at(const Endpoint& known) {
  boost::system::error_code error;
  ip::make_address(known.host, error);
  if (!error || known.host == "localhost") return known;
  const auto found = resolve(known.host, error);
  const bool has_ipv4 = std::any_of(found.begin(), found.end(), [](const auto& address) {
    return address.endpoint().address().is_v4();
  });
  return {found.empty() || has_ipv4 ? "" : "::", known.port};
}

std::string unresolved(const Endpoint& endpoint) {
  boost::system::error_code error;
  resolve(endpoint.host, error);
  return error ? error.message() : "";
}

std::vector<std::string> own_addresses() {
  ifaddrs* list = nullptr;  // Asio resolves names, but does not list network cards
  if (::getifaddrs(&list) != 0) return {"127.0.0.1"};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(list, ::freeifaddrs);
  std::vector<std::string> outer;
  std::vector<std::string> inner;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    const ip::address_v4 number(ntohl(address->sin_addr.s_addr));
    (number.is_loopback() ? inner : outer).push_back(number.to_string());
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

}  // namespace paceline
