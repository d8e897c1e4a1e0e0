// SPDX-License-Identifier: MIT
#include "exec/cuda/calibrate/link_probe.hpp"

#include <algorithm>

#include <unistd.h>

#include "exec/calibrate/copy_probe.hpp"
#include "exec/calibrate/pcie.hpp"
#include "exec/calibrate/timing.hpp"
#include "exec/cuda/calibrate/probe_bench.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

// Arrays of a message's size on each worker, and on the server for each worker.
constexpr int kArraysOfWorker = 3;
constexpr int kArraysOfServer = 2;
// The share of free memory that a probe uses at most.
constexpr double kShareOfMemory = 0.25;

std::string gpu_name(RoleId gpu) {
  return "gpu" + std::to_string(gpu);
}

ProbedCopy from_host(RoleId gpu, RoleId server) {
  const RoleId slot = server + gpu;  // beyond those of `to_host`: the server follows the workers
  return {{gpu, StreamKind::fetch}, {server, Buffer::landing, slot}, {gpu, Buffer::weights}};
}
ProbedCopy to_host(RoleId gpu, RoleId server) {
  return {{gpu, StreamKind::push}, {gpu, Buffer::gradient}, {server, Buffer::landing, gpu}};
}
ProbedCopy to_peer(RoleId gpu, RoleId peer) {
  return {{gpu, StreamKind::push}, {gpu, Buffer::gradient}, {peer, Buffer::weights}};
}

/// The largest message that fits on every GPU and on the host.
Bytes largest_message(std::size_t gpus) {
  Bytes most{kShareOfMemory * static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) *
             static_cast<double>(sysconf(_SC_PAGESIZE)) /
             (kArraysOfServer * static_cast<double>(gpus))};
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    check(cudaSetDevice(static_cast<int>(gpu)), "choosing a device");
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&free, &all), "querying memory");
    most = std::min(most, Bytes{kShareOfMemory * static_cast<double>(free) / kArraysOfWorker});
  }
  return most;
}

/// Rate of one cudaMemcpy between a device and pinned memory, or between two devices.
BytesPerSecond driver_rate(Bytes size, int from, int to) {
  const auto bytes = static_cast<std::size_t>(size.value());
  const auto allocate = [bytes](int device, DeviceMemory& here, PinnedMemory& host) -> void* {
    if (device == kOnHost) {
      host = PinnedMemory(bytes);
      return host.data();
    }
    check(cudaSetDevice(device), "choosing a device");
    here = DeviceMemory(bytes);
    return here.data();
  };
  DeviceMemory from_device;
  DeviceMemory to_device;
  PinnedMemory pinned;
  const void* source = allocate(from, from_device, pinned);
  void* target = allocate(to, to_device, pinned);
  const auto copy = [&] {
    check(cudaMemcpy(target, source, bytes, cudaMemcpyDefault), "copying");
    check(cudaDeviceSynchronize(), "copying");
  };
  copy();
  return size / median_time(
                    Seconds{0.1}, [] {}, copy);
}

class LinkProbe {
 public:
  LinkProbe(const std::vector<GpuFacts>& gpus, Effort effort)
      : gpus_(gpus),
        sizes_(probed_sizes(effort, largest_message(gpus.size()))),
        bench_(numbers(gpus.size()), parameters(), &observer_) {
    const auto count = static_cast<double>(gpus.size());
    const double links = 3 * count + count * (count - 1) + 3;
    const double seconds = effort == Effort::quick ? 5 : 20;  // for all links together
    budget_ = Seconds{std::min(0.1, seconds / links / static_cast<double>(sizes_.size()))};
  }

  std::vector<LinkProfile> measure() {
    const auto count = static_cast<RoleId>(gpus_.size());
    const RoleId server = bench_.server();
    for (RoleId gpu = 0; gpu < count; ++gpu) {
      add({{"host", gpu_name(gpu), from_host(gpu, server)}}, kOnHost, gpu);
      add({{gpu_name(gpu), "host", to_host(gpu, server)}}, gpu, kOnHost);
      add({{"host", gpu_name(gpu), from_host(gpu, server)},
           {gpu_name(gpu), "host", to_host(gpu, server)}});
    }
    for (RoleId gpu = 0; gpu < count; ++gpu) {
      for (RoleId peer = 0; peer < count; ++peer) {
        if (peer != gpu) add({{gpu_name(gpu), gpu_name(peer), to_peer(gpu, peer)}}, gpu, peer);
      }
    }
    if (count > 1) add_all_at_once(count, server);
    return std::move(links_);
  }

 private:
  struct NamedCopy {
    std::string from, to;
    ProbedCopy copy;
  };
  static constexpr int kNotAlone = -2;

  static std::vector<int> numbers(std::size_t count) {
    std::vector<int> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<int>(i));
    return all;
  }
  std::int64_t parameters() const {
    return static_cast<std::int64_t>(sizes_.back().value() / kBytesPerParameter);
  }

  void add_all_at_once(RoleId count, RoleId server) {
    std::vector<NamedCopy> out;
    std::vector<NamedCopy> back;
    std::vector<NamedCopy> round;
    for (RoleId gpu = 0; gpu < count; ++gpu) {
      const RoleId next = (gpu + 1) % count;
      out.push_back({"host", gpu_name(gpu), from_host(gpu, server)});
      back.push_back({gpu_name(gpu), "host", to_host(gpu, server)});
      round.push_back({gpu_name(gpu), gpu_name(next), to_peer(gpu, next)});
    }
    for (const auto& copies : {out, back, round}) add(copies);
  }

  /// Times copies that run at the same time. `from` and `to` are the devices of a single copy.
  void add(const std::vector<NamedCopy>& copies, int from = kNotAlone, int to = kNotAlone) {
    CopyProbe probe;
    probe.sizes = sizes_;
    probe.budget = budget_;
    for (const NamedCopy& one : copies) probe.copies.push_back(one.copy);
    std::vector<std::vector<TimedTransfer>> times;
    bench_.run([&](Backend& backend) {
      std::vector<Task<>> programs;
      programs.push_back(copy_role(backend, observer_, probe, times));
      return programs;
    });
    for (std::size_t i = 0; i < copies.size(); ++i) {
      LinkProfile link;
      link.from = copies[i].from;
      link.to = copies[i].to;
      link.at_once = static_cast<int>(copies.size());
      link.both_ways =
          copies.size() == 2 && copies[0].from == copies[1].to && copies[0].from == "host";
      set_transfers(link, times[i]);
      if (from != kNotAlone) compare(link, from, to);
      links_.push_back(std::move(link));
    }
  }

  /// Adds the driver's rate and the theoretical bandwidth to a link.
  void compare(LinkProfile& link, int from, int to) const {
    link.driver = driver_rate(sizes_.back(), from, to);
    if (from != kOnHost && to != kOnHost) {
      int reachable = 0;
      check(cudaDeviceCanAccessPeer(&reachable, from, to), "querying peers");
      link.staged = reachable == 0;
      return;
    }
    const int gpu = from == kOnHost ? to : from;
    if (const auto slot = pcie_link(gpus_[static_cast<std::size_t>(gpu)].bus)) {
      link.theory = slot->bandwidth;
      link.theory_source = slot->name;
    }
  }

  const std::vector<GpuFacts>& gpus_;
  std::vector<Bytes> sizes_;
  CopyObserver observer_;
  ProbeBench bench_;
  Seconds budget_;
  std::vector<LinkProfile> links_;
};

}  // namespace

std::vector<LinkProfile> measure_links(const std::vector<GpuFacts>& gpus, Effort effort) {
  return LinkProbe(gpus, effort).measure();
}

}  // namespace paceline::cuda
