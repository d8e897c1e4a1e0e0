// SPDX-License-Identifier: MIT
/// \file
/// A profile of a made-up computer with some GPUs, for tests.
#pragma once
#include <string>

#include "training/profile/profile.hpp"

namespace paceline {

/// A link on which copies take `latency` plus 1 / `bandwidth` per byte.
inline LinkProfile measured_link(const std::string& from, const std::string& to, double latency,
                                 double bandwidth) {
  LinkProfile link;
  link.from = from;
  link.to = to;
  std::vector<TimedTransfer> times;
  for (const double size : {1024.0, 1048576.0, 268435456.0}) {
    times.push_back({Bytes{size}, Seconds{latency + size / bandwidth}});
  }
  set_transfers(link, times);
  return link;
}

/// GPUs with 50 GB/s from the host in 10 us, 40 GB/s to the host in 12 us, and no links between
/// them.
inline Profile measured_profile(int gpus) {
  Profile profile;
  profile.measured = "2026-03-01T10:00:00Z";
  profile.version = "1";
  profile.software = {{"driver", "13.0"}, {"compiler", "GCC 12"}};
  profile.host.cores = 8;
  profile.host.copy_bandwidth = BytesPerSecond{10e9};
  profile.host.memory_bandwidth = BytesPerSecond{40e9};
  for (int gpu = 0; gpu < gpus; ++gpu) {
    GpuProfile measured;
    measured.name = "NVIDIA H200";
    measured.preset = "h200-sxm";
    measured.memory = Bytes{141e9};
    measured.sms = 132;
    measured.copy_bandwidth = BytesPerSecond{2e12};
    measured.launch = Seconds{2e-6};
    measured.decision_latency = Seconds{9e-6};
    profile.gpus.push_back(measured);
    const std::string name = "gpu" + std::to_string(gpu);
    profile.links.push_back(measured_link("host", name, 10e-6, 50e9));
    profile.links.push_back(measured_link(name, "host", 12e-6, 40e9));
  }
  return profile;
}

}  // namespace paceline
