// SPDX-License-Identifier: MIT
#include "training/profile/measured_machine.hpp"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

// Links with figures that differ by less than this are of one type: repeats differ by as much.
constexpr double kSameKind = 0.05;
// Links share a resource if together each gets less than this share of its bandwidth alone.
constexpr double kShares = 0.9;
// A direct copy between GPUs that is this much faster than one to the host does not go over PCIe.
constexpr double kBeyondPcie = 1.3;
// From this number of GPUs on, links between all pairs go through a switch: no GPU has as many
// links.
constexpr std::size_t kSwitched = 5;

std::string gpu_name(std::size_t gpu) {
  return "gpu" + std::to_string(gpu);
}

NameAt name_of(const std::string& text) {
  return {text, {}};
}

/// A GPU without a file, described by its measurements and by the driver's figures.
Tree described_gpu(const GpuProfile& gpu) {
  GpuSpec spec;
  spec.name = gpu.name;
  spec.memory = gpu.memory;
  spec.sms = gpu.sms;
  // An unknown figure must not bound anything: the times of the layers are measured.
  spec.fp32 = gpu.fp32.value_or(FlopsPerSecond{1e15});
  spec.memory_bandwidth = gpu.memory_bandwidth.value_or(gpu.copy_bandwidth * 2);
  spec.sources["fp32"] = gpu.fp32 ? "its cores x their clock, by its driver" : "not known";
  spec.sources["memory_bandwidth"] = gpu.memory_bandwidth ? "its bus x memory clock, by its driver"
                                                          : "twice what copies within it reached";
  return write_keys(spec);
}

class Builder {
 public:
  explicit Builder(const Profile& profile) : profile_(profile) {
    source_ = "measured by paceline calibrate on " + profile.measured;
    const auto driver = profile.software.find("driver");
    if (driver != profile.software.end()) source_ += ", driver of CUDA " + driver->second;
  }

  MachineSpec build(const std::string& fingerprint) {
    spec_.title = "this computer, " + source_;
    spec_.fingerprint = fingerprint;
    add_gpus();
    add_host();
    add_host_links();
    add_peers();
    return std::move(spec_);
  }

 private:
  void add_gpus() {
    for (const GpuProfile& gpu : profile_.gpus) {
      const Tree model = gpu.preset.empty() ? described_gpu(gpu) : Tree::scalar(gpu.preset);
      if (!spec_.gpus.empty() && to_flow(spec_.gpus.back().model) == to_flow(model)) {
        ++spec_.gpus.back().count;
      } else {
        spec_.gpus.emplace_back().model = model;
      }
    }
  }

  void add_host() {
    HostSpec& host = spec_.host;
    const HostFigures& figures = profile_.host;
    host.cores = figures.cores;
    host.memory_bandwidth = figures.memory_bandwidth;
    host.copy_bandwidth = figures.copy_bandwidth;
    host.decision_latency = figures.decision_latency;
    host.timer_error = figures.timer_error;
    if (!profile_.gpus.empty()) {
      host.dispatch = profile_.gpus.front().launch;
      host.decision_latency = profile_.gpus.front().decision_latency;
      host.sources["dispatch"] = source_;
    }
    for (const char* key :
         {"memory_bandwidth", "copy_bandwidth", "decision_latency", "timer_error"}) {
      host.sources[key] = source_;
    }
    host.sources["cores"] = "that the process may run on";
  }

  /// The least latency of the links from or to the host: the time to start a copy anywhere.
  Seconds start_of_copies() const {
    Seconds least{1};
    for (const LinkProfile& link : profile_.links) {
      if (link.from != "thread") least = std::min(least, link.latency);
    }
    return least;
  }

  LinkTypeSpec type_of(LinkKind kind, const LinkProfile& there, const LinkProfile& back) const {
    const BytesPerSecond reached = std::max(there.bandwidth, back.bandwidth);
    LinkTypeSpec type;
    type.kind = kind;
    type.bandwidth = std::max(there.theory.value_or(reached), reached);
    type.efficiency = Percent{reached / type.bandwidth};
    type.latency = std::max(Seconds{0}, (there.latency + back.latency) / 2 - spec_.copies.latency);
    type.source = source_;
    if (there.theory) type.source += "; bandwidth: " + there.theory_source;
    return type;
  }

  /// The name of a link type equal to this one; adds the type if there is none.
  std::string named(const std::string& stem, const LinkTypeSpec& type) {
    for (const auto& [name, known] : spec_.link_types) {
      const double ratio = (known.bandwidth * known.efficiency.fraction) /
                           (type.bandwidth * type.efficiency.fraction);
      if (name.starts_with(stem) && std::fabs(ratio - 1) < kSameKind) return name;
    }
    std::string name = stem;
    for (int i = 2; spec_.link_types.contains(name); ++i) name = stem + std::to_string(i);
    spec_.link_types[name] = type;
    return name;
  }

  void link(const std::string& type, const std::string& from, const std::string& to) {
    if (!spec_.links.empty() && spec_.links.back().type.text == type &&
        spec_.links.back().from.text == from) {
      spec_.links.back().to.push_back(name_of(to));
    } else {
      spec_.links.push_back({name_of(type), name_of(from), {name_of(to)}, 1});
    }
  }

  /// The bandwidth of copies from the host to all GPUs together, where it is less than the sum of
  /// the bandwidths of each alone.
  std::optional<BytesPerSecond> shared_by_all() const {
    BytesPerSecond alone;
    BytesPerSecond together;
    for (const LinkProfile& one : profile_.links) {
      if (one.from != "host" || one.both_ways) continue;
      if (one.at_once == 1) alone += one.bandwidth;
      if (one.at_once == static_cast<int>(profile_.gpus.size())) together += one.bandwidth;
    }
    const bool share =
        profile_.gpus.size() > 1 && together > BytesPerSecond{0} && together < alone * kShares;
    if (!share) return std::nullopt;
    return together;
  }

  void add_host_links() {
    if (profile_.gpus.empty()) return;
    spec_.copies.latency = start_of_copies();
    spec_.copies.sources["latency"] = source_;
    std::string root = "cpu0";
    if (const auto together = shared_by_all()) {
      root = "root";
      spec_.vertices.push_back({VertexKind::host_bridge, {name_of(root)}});
      LinkTypeSpec type;
      type.bandwidth = *together;
      type.source = source_ + ": what all GPUs together copy from the host";
      spec_.link_types["shared"] = type;
      link("shared", "cpu0", root);
    }
    double to_gpus = 1;
    double from_gpus = 1;
    for (std::size_t gpu = 0; gpu < profile_.gpus.size(); ++gpu) {
      const LinkProfile* there = profile_.link("host", gpu_name(gpu));
      const LinkProfile* back = profile_.link(gpu_name(gpu), "host");
      if (there == nullptr || back == nullptr) continue;
      const LinkTypeSpec type = type_of(LinkKind::pcie, *there, *back);
      const BytesPerSecond reached = type.bandwidth * type.efficiency.fraction;
      to_gpus = std::min(to_gpus, there->bandwidth / reached);
      from_gpus = std::min(from_gpus, back->bandwidth / reached);
      link(named("pcie", type), root, gpu_name(gpu));
    }
    spec_.copies.host_to_gpu = Percent{to_gpus};
    spec_.copies.gpu_to_host = Percent{from_gpus};
    for (const char* key : {"host_to_gpu", "gpu_to_host"}) spec_.copies.sources[key] = source_;
  }

  /// Copies through host memory as they were measured one at a time; together they are bound by its
  /// memory alone.
  void add_staging() {
    BytesPerSecond fastest;
    for (const LinkProfile& link : profile_.links) {
      if (link.staged) fastest = std::max(fastest, link.bandwidth);
    }
    if (fastest <= BytesPerSecond{}) return;
    spec_.copies.staging_limit = fastest;
    spec_.copies.staging_bandwidth = profile_.host.memory_bandwidth;
    spec_.copies.sources["staging_limit"] = source_;
    spec_.copies.sources["staging_bandwidth"] =
        source_ + ": as the cores copy; that of copies between GPUs together is not";
  }

  void add_peers() {
    spec_.peer_access = PeerAccess::nvlink;  // and for the pairs below
    add_staging();
    struct Pair {
      std::size_t a, b;
      LinkTypeSpec type;
    };
    std::vector<Pair> fast;
    const std::size_t gpus = profile_.gpus.size();
    for (std::size_t a = 0; a < gpus; ++a) {
      for (std::size_t b = a + 1; b < gpus; ++b) {
        const LinkProfile* there = profile_.link(gpu_name(a), gpu_name(b));
        const LinkProfile* back = profile_.link(gpu_name(b), gpu_name(a));
        if (there == nullptr || back == nullptr || there->staged) continue;
        spec_.peer_pairs.push_back({name_of(gpu_name(a)), name_of(gpu_name(b))});
        const LinkProfile* host = profile_.link("host", gpu_name(a));
        if (host != nullptr && there->bandwidth < host->bandwidth * kBeyondPcie) continue;
        fast.push_back({a, b, type_of(LinkKind::nvlink, *there, *back)});
      }
    }
    const bool switched = gpus >= kSwitched && fast.size() == gpus * (gpus - 1) / 2;
    if (!switched) {
      for (const Pair& pair : fast) {
        link(named("nvlink", pair.type), gpu_name(pair.a), gpu_name(pair.b));
      }
      return;
    }
    spec_.vertices.push_back({VertexKind::nvswitch, {name_of("nvswitch0")}});
    LinkTypeSpec type = fast.front().type;
    type.latency = type.latency / 2;  // two hops
    spec_.link_types["nvlink"] = type;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) link("nvlink", "nvswitch0", gpu_name(gpu));
  }

  const Profile& profile_;
  std::string source_;
  MachineSpec spec_;
};

}  // namespace

MachineSpec measured_machine_spec(const Profile& profile, const std::string& fingerprint) {
  return Builder(profile).build(fingerprint);
}

bool has_links(const Profile& profile) {
  for (std::size_t gpu = 0; gpu < profile.gpus.size(); ++gpu) {
    if (profile.link("host", gpu_name(gpu)) == nullptr) return false;
    if (profile.link(gpu_name(gpu), "host") == nullptr) return false;
  }
  return true;
}

Machine measured_machine(const Profile& profile) {
  Diagnostics diagnostics;
  Machine machine = build_machine(measured_machine_spec(profile, ""), "this", diagnostics);
  diagnostics.throw_if_any();
  return machine;
}

}  // namespace paceline
