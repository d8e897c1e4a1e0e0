// SPDX-License-Identifier: MIT
#include "training/profile/profile.hpp"

namespace paceline {

void Profile::describe(Description<Profile>& d) {
  d.required("measured", &Profile::measured, "date and time of the measurement");
  d.required("version", &Profile::version, "version of paceline");
  d.optional("software", &Profile::software, "versions of the libraries, compiler and drivers");
  d.required("host", &Profile::host, "the computer's own figures");
  d.optional("links", &Profile::links, "copies between two places, over sizes");
  d.optional("gpus", &Profile::gpus, "the computer's GPUs");
  d.optional("collectives", &Profile::collectives, "sums over GPUs by NCCL, over sizes");
  d.optional("networks", &Profile::networks, "times of networks on one worker");
  d.optional("exchange", &Profile::exchange, "copies and sums between this computer's threads");
  d.optional("network", &Profile::tcp, "TCP between two processes");
}

const NetworkProfile* Profile::find(const Workload& workload) const {
  for (const NetworkProfile& known : networks) {
    if (known.is_of(workload)) return &known;
  }
  return nullptr;
}

const LinkProfile* Profile::link(const std::string& from, const std::string& to) const {
  for (const LinkProfile& known : links) {
    if (known.from == from && known.to == to && known.at_once == 1) return &known;
  }
  return nullptr;
}

void Profile::forget_gpus() {
  gpus.clear();
  collectives.clear();
  std::erase_if(links, [](const LinkProfile& link) { return link.from != "thread"; });
  std::erase_if(networks, [](const NetworkProfile& one) { return !one.gpu.empty(); });
}

}  // namespace paceline
