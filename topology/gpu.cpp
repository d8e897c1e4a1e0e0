// SPDX-License-Identifier: MIT
#include "topology/gpu.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "experiments/language/changed_document.hpp"

namespace paceline {
namespace {

/// The name's letters and digits in lower case, without the manufacturer.
std::string normalised_name(const std::string& name) {
  std::string characters;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) characters += static_cast<char>(std::tolower(byte));
  }
  constexpr std::string_view kMaker = "nvidia";
  return characters.starts_with(kMaker) ? characters.substr(kMaker.size()) : characters;
}

std::string reported_name(const GpuSpec& described) {
  return normalised_name(described.driver_name.empty() ? described.name : described.driver_name);
}

}  // namespace

std::span<const EnumName<Precision>> enum_names(const Precision*) {
  static constexpr std::array<EnumName<Precision>, 4> kNames{{{"fp32", Precision::fp32},
                                                              {"tf32", Precision::tf32},
                                                              {"fp16", Precision::fp16},
                                                              {"bf16", Precision::bf16}}};
  return kNames;
}

void Efficiency::describe(Description<Efficiency>& d) {
  // A product's share may exceed 100 %: it is that of a sum of infinite depth, which is capped.
  d.required("share", &Efficiency::share, "share of the peak that is reached")
      .above(Percent{0})
      .at_most(Percent{10});
  d.optional("half_depth", &Efficiency::half_depth,
             "of products: summands at which half of the share is reached")
      .at_least(0)
      .at_most(1e5);
  d.required("source", &Efficiency::source,
             "source of the measurement, or reason for the assumption");
}

void EfficiencyTable::describe(Description<EfficiencyTable>& d) {
  d.optional("fp32", &EfficiencyTable::fp32, "of products in fp32");
  d.optional("tf32", &EfficiencyTable::tf32, "of products in tf32");
  d.optional("fp16", &EfficiencyTable::fp16, "of products in fp16 or bf16");
  d.optional("memory", &EfficiencyTable::memory, "of the memory's bandwidth");
  d.optional(
      "passes", &EfficiencyTable::passes,
      "of the memory's bandwidth, by kernels of frameworks that move data (default: memory)");
}

FlopsPerSecond GpuSpec::peak(Precision precision) const {
  switch (precision) {
    case Precision::fp32:
      return fp32;
    case Precision::tf32:
      return tf32;
    case Precision::fp16:
      return fp16;
    case Precision::bf16:
      return bf16;
  }
  return {};
}

const Efficiency* GpuSpec::efficiency_of(Precision precision) const {
  const bool half = precision == Precision::fp16 || precision == Precision::bf16;
  const std::optional<Efficiency>& row = half                           ? efficiency.fp16
                                         : precision == Precision::tf32 ? efficiency.tf32
                                                                        : efficiency.fp32;
  return row ? &*row : nullptr;
}

void GpuSpec::describe(Description<GpuSpec>& d) {
  const FlopsPerSecond none{0};
  d.required("name", &GpuSpec::name, "name given by its maker");
  d.optional("driver_name", &GpuSpec::driver_name,
             "name given by its driver, if it differs in more than blanks and dashes");
  d.required("fp32", &GpuSpec::fp32, "peak in single precision").above(none);
  d.optional("tf32", &GpuSpec::tf32, "dense peak of tensor cores in TF32; 0: has none")
      .at_least(none);
  d.optional("fp16", &GpuSpec::fp16, "dense peak in half precision; 0: has none").at_least(none);
  d.optional("bf16", &GpuSpec::bf16, "dense peak in bfloat16; 0: has none").at_least(none);
  d.required("memory", &GpuSpec::memory, "size of its memory").above(Bytes{0});
  d.required("memory_bandwidth", &GpuSpec::memory_bandwidth, "theoretical bandwidth of its memory")
      .above(BytesPerSecond{0});
  d.required("sms", &GpuSpec::sms, "streaming multiprocessors").at_least(1);
  d.optional("sm_group_minimum", &GpuSpec::sm_group_minimum,
             "multiprocessors of the smallest group that a green context may have; 0: has none")
      .at_least(0);
  d.optional("sm_group_multiple", &GpuSpec::sm_group_multiple,
             "every such group is a multiple of this number of multiprocessors")
      .at_least(1);
  d.optional("sm_bandwidth", &GpuSpec::sm_bandwidth,
             "most that one multiprocessor draws from memory; absent: all of the bandwidth")
      .above(BytesPerSecond{0});
  d.optional("copy_engines", &GpuSpec::copy_engines,
             "1 copies in one direction at a time, 2 in both")
      .at_least(1)
      .at_most(2);
  d.optional("architecture", &GpuSpec::architecture,
             "generation as topology files name it, such as sm80 or gfx942");
  d.optional("pci_ids", &GpuSpec::pci_ids, "vendor:device of its PCI functions, in quotes");
  d.optional("pcie", &GpuSpec::pcie, "link preset of a lane to its slot, such as pcie4");
  d.optional("nvlink", &GpuSpec::nvlink, "link preset of one of its NVLinks, such as nvlink3");
  d.optional("nvlinks", &GpuSpec::nvlinks,
             "number of its NVLinks; 0 also if only a bridge makes them")
      .at_least(0)
      .at_most(64);
  d.optional("peer_access", &GpuSpec::peer_access,
             "GPUs of this model that copy to each other directly, where a machine does not say");
  d.optional("power", &GpuSpec::power, "power under load, for the energy of a training")
      .above(Watts{0});
  d.optional("price", &GpuSpec::price, "price of one GPU hour, for the cost of a training")
      .at_least(DollarsPerHour{0});
  d.optional("region", &GpuSpec::region, "region of the cloud in which it has this price");
  d.optional("efficiency", &GpuSpec::efficiency, "shares of the peaks that kernels reach");
  d.optional("board_dies", &GpuSpec::board_dies,
             "GPUs of one board, numbered in a row, which share its power")
      .at_least(1)
      .at_most(8);
  d.optional("board_clock", &GpuSpec::board_clock,
             "speed of arithmetic while several dies of a board work / while one does")
      .above(Percent{0})
      .at_most(Percent{1});
  d.optional("sources", &GpuSpec::sources, "sources of the figures, by key");
}

GpuSpec at_clock(const GpuSpec& model, Percent clock) {
  const double ratio = clock.fraction / model.clock.fraction;
  GpuSpec gpu = model;
  gpu.clock = clock;
  for (FlopsPerSecond* peak : {&gpu.fp32, &gpu.tf32, &gpu.fp16, &gpu.bf16}) *peak = *peak * ratio;
  if (gpu.sm_bandwidth) gpu.sm_bandwidth = *gpu.sm_bandwidth * ratio;
  return gpu;
}

bool same_gpu(const GpuSpec& described, const std::string& reported) {
  const std::string name = reported_name(described);
  return !name.empty() && name == normalised_name(reported);
}

bool may_be_gpu(const GpuSpec& described, const std::string& reported) {
  if (!reported.ends_with("...")) return false;
  const std::string beginning = normalised_name(reported);
  return !beginning.empty() && reported_name(described).starts_with(beginning);
}

bool read_gpu(GpuSpec& gpu, const Tree& tree, Diagnostics& diagnostics) {
  if (!read_keys(gpu, tree, diagnostics)) return false;
  const Tree* region = tree.find("region");
  if (region == nullptr || gpu.price) return true;
  diagnostics.error(region->at, "'region' is of a price, and there is none (add 'price')");
  return false;
}

GpuSpec load_gpu(const Tree& value) {
  const Tree tree = load_changed(value, "GPU", embedded_gpus());
  Diagnostics diagnostics;
  GpuSpec gpu;
  read_gpu(gpu, tree, diagnostics);
  diagnostics.throw_if_any();
  return gpu;
}

}  // namespace paceline
