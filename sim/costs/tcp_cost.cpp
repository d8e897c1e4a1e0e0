// SPDX-License-Identifier: MIT
#include "sim/costs/tcp_cost.hpp"

#include <stdexcept>
#include <utility>

namespace paceline {
namespace {

constexpr double kGigabyte = 1e9;  // the unit of TCP's figures in a profile

}  // namespace

ProcessCosts cost_of_processes(const Processes& given, const std::optional<TcpProfile>& measured,
                               std::vector<int> of_role) {
  if (!measured) {
    throw std::runtime_error("no measurement of TCP between processes (run paceline calibrate)");
  }
  ProcessCosts costs;
  costs.count = given.count;
  costs.of_role = std::move(of_role);
  costs.own_computers = given.cores == ProcessCores::own;
  costs.link = given.bandwidth.value_or(measured->together);
  costs.stream = given.bandwidth.value_or(measured->stream);
  costs.latency = given.latency.value_or(measured->latency);
  costs.send = measured->send.value() / kGigabyte;
  costs.receive = measured->receive.value() / kGigabyte;
  return costs;
}

}  // namespace paceline
