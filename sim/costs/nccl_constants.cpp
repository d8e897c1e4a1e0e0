// SPDX-License-Identifier: MIT
#include "sim/costs/nccl_constants.hpp"

#include <algorithm>
#include <charconv>

namespace paceline {
namespace {

/// The number of an architecture such as "sm80"; 0 of another maker's.
int compute_capability(const std::string& architecture) {
  int number = 0;
  if (!architecture.starts_with("sm")) return number;
  std::from_chars(architecture.data() + 2, architecture.data() + architecture.size(), number);
  return number;
}

/// True where the library offers LL128. NCCL, src/graph/tuning.cc: elsewhere it "may cause silent
/// data corruption"; RCCL's file of that name, ROCm/rccl@9e22c79d8d, has sizes for gfx942.
bool offers_ll128(const std::string& architecture) {
  return compute_capability(architecture) >= 70 || architecture.starts_with("gfx94") ||
         architecture.starts_with("gfx95");
}

int generation_of(int capability) {
  if (capability >= 100) return 3;
  if (capability >= 90) return 2;
  return capability >= 80 ? 1 : 0;
}

/// The NVLinks of a GPU: those of its model, or of its generation.
std::string nvlink_of(const GpuSpec& gpu) {
  if (!gpu.nvlink.empty()) return gpu.nvlink;
  const int capability = compute_capability(gpu.architecture);
  if (capability < 70) return "nvlink1";
  return "nvlink" + std::to_string(2 + generation_of(capability));
}

/// Of the slots of a described GPU nothing may be known.
std::string pcie_of(const GpuSpec& gpu) {
  return gpu.pcie.empty() ? "pcie3" : gpu.pcie;
}

}  // namespace

void NcclConstants::describe(Description<NcclConstants>& d) {
  d.required("over", &NcclConstants::over, "link presets");
  d.required("start", &NcclConstants::start, "time of a call with LL or LL128, few threads")
      .at_least(Seconds{0});
  d.required("step", &NcclConstants::step, "time of a step with LL or LL128, few threads")
      .at_least(Seconds{0});
  d.optional("full_channel", &NcclConstants::full_channel,
             "factor of both once all threads of a channel have data")
      .at_least(1);
  d.optional("ll128", &NcclConstants::ll128, "data rate with LL128 / with Simple")
      .above(Percent{0})
      .at_most(Percent{1});
  d.required("simple_start", &NcclConstants::simple_start, "time of a call with Simple")
      .at_least(Seconds{0});
  d.required("simple_step", &NcclConstants::simple_step, "time of a step with Simple")
      .at_least(Seconds{0});
  d.required("efficiency", &NcclConstants::efficiency,
             "data rate with Simple / effective bandwidth of the links")
      .above(Percent{0})
      .at_most(Percent{1});
  d.optional("last_step", &NcclConstants::last_step,
             "Simple: time of a ring's last receive, in steps")
      .at_least(0)
      .at_most(1);
  d.required("pairs_start", &NcclConstants::pairs_start, "Simple: time of messages between pairs")
      .at_least(Seconds{0});
  d.required("sources", &NcclConstants::sources, "sources of the figures, by key");
  d.optional("fitted", &NcclConstants::fitted, "keys with fitted values");
}

void NcclNetworkConstants::describe(Description<NcclNetworkConstants>& d) {
  d.required("step", &NcclNetworkConstants::step, "time of a step with LL, besides the links'")
      .at_least(Seconds{0});
  d.required("ll128_step", &NcclNetworkConstants::ll128_step, "the same with LL128")
      .at_least(Seconds{0});
  d.required("simple_step", &NcclNetworkConstants::simple_step,
             "the same with Simple, besides twice the links'")
      .at_least(Seconds{0});
  d.required("efficiency", &NcclNetworkConstants::efficiency,
             "data rate with Simple / effective bandwidth of the links")
      .above(Percent{0})
      .at_most(Percent{1});
  d.required("fill", &NcclNetworkConstants::fill,
             "time to fill the chunks of a level of switches or trees / time that bytes take")
      .at_least(0);
  d.required("fill_bytes", &NcclNetworkConstants::fill_bytes,
             "bytes up to which chunks grow with a call")
      .at_least(Bytes{0});
  d.required("sources", &NcclNetworkConstants::sources, "sources of the figures, by key");
  d.optional("fitted", &NcclNetworkConstants::fitted, "keys with fitted values");
}

namespace {

template <class T>
T load_constants(std::string_view preset) {
  const Tree name = Tree::scalar(std::string(preset));
  Diagnostics diagnostics;
  auto constants = read<T>(load_preset_or_path(name, "nccl", embedded_nccl()), diagnostics);
  diagnostics.throw_if_any();
  return constants;
}

}  // namespace

NcclConstants load_nccl(std::string_view preset) {
  return load_constants<NcclConstants>(preset);
}

NcclNetworkConstants nccl_network_constants() {
  return load_constants<NcclNetworkConstants>(kNcclNetwork);
}

NcclConstants nccl_constants(const std::string& over) {
  for (const EmbeddedFile& file : embedded_nccl()) {
    if (file.name == kNcclNetwork) continue;
    NcclConstants constants = load_nccl(file.name);
    if (std::ranges::find(constants.over, over) != constants.over.end()) return constants;
  }
  throw SpecError("no times of NCCL over '" + over +
                  "' (software: {collective: {model: rings}} predicts without them)");
}

NcclCosts nccl_costs(const Machine& machine, int gpu) {
  NcclCosts costs;
  const GpuSpec& model = machine.gpu(gpu);
  const int capability = compute_capability(model.architecture);
  costs.generation = generation_of(capability);
  costs.sms = model.sms;
  for (const LinkDirection& link : machine.links_from_gpu(gpu)) {
    const bool to_socket = machine.kind_of(link.to) == VertexKind::cpu;  // NVLink-C2C, POWER
    if (link.kind != LinkKind::nvlink || to_socket) continue;
    costs.nvlink = true;
    costs.link_bandwidth = link.capacity / static_cast<double>(link.count);
    costs.nvswitch = machine.kind_of(link.to) == VertexKind::nvswitch;
  }
  costs.ll128 = costs.nvlink && offers_ll128(model.architecture);
  costs.inside = nccl_constants(costs.nvlink ? nvlink_of(model) : pcie_of(model));
  costs.between = nccl_network_constants();
  costs.sharp = machine.computers() > 1 && machine.sharp();
  return costs;
}

}  // namespace paceline
