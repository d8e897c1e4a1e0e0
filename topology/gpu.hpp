// SPDX-License-Identifier: MIT
/// \file
/// What is known of a GPU before anything is measured on it: peaks, memory, copy engines, the share
/// of the peak that each kind of layer reaches, and what its time costs. One YAML file in gpus/ a
/// model of GPU; every number there names its source.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "experiments/description.hpp"
#include "experiments/presets.hpp"

namespace paceline {

/// What numbers a network is trained in.
enum class Precision { fp32, tf32, fp16, bf16 };
std::span<const EnumName<Precision>> enum_names(const Precision*);

/// How much of the GPU's peak a kind of layer reaches, and who says so.
struct Efficiency {
  Percent share{1};
  std::string source;
  static void describe(Description<Efficiency>& d);
};

/// A model of GPU. A peak of 0 means that the GPU has no such arithmetic.
struct GpuSpec {
  std::string name;
  std::string driver_name;                ///< as its driver calls it, where that is another; or ""
  FlopsPerSecond fp32, tf32, fp16, bf16;  ///< dense peaks
  Bytes memory;
  BytesPerSecond memory_bandwidth;
  int sms = 1;
  int sm_group_minimum = 0;                      ///< SMs of a green context; 0: has none
  int sm_group_multiple = 1;                     ///< of which such a group's SMs are one
  std::optional<BytesPerSecond> sm_bandwidth;    ///< that one SM can draw from memory
  int copy_engines = 2;                          ///< 1: one direction at a time
  std::string architecture;                      ///< "sm80", "gfx942"; "" when not said
  std::vector<std::string> pci_ids;              ///< vendor:device, "10de:20b2"
  std::string pcie;                              ///< preset of a lane to its slot, "pcie4"
  std::string nvlink;                            ///< preset of one of its NVLinks; "": has none
  int nvlinks = 0;                               ///< how many it has
  std::optional<Watts> power;                    ///< under load; nothing: not known
  std::optional<DollarsPerHour> price;           ///< of letting one; nothing: not known
  std::map<std::string, Efficiency> efficiency;  ///< by kind of layer; `memory`: of the bandwidth
  std::map<std::string, std::string> sources;    ///< by key above

  FlopsPerSecond peak(Precision precision) const;
  /// The share for a kind of layer ("convolution"), or null where nobody has measured it.
  const Efficiency* efficiency_of(std::string_view kind) const;
  static void describe(Description<GpuSpec>& d);
};

/// Whether a described GPU is of the model that the driver names: "Tesla P100 SXM2 16 GB" and
/// "Tesla P100-SXM2-16GB" are the same, with or without "NVIDIA"; what `driver_name` says comes
/// first.
bool same_gpu(const GpuSpec& described, const std::string& reported);

/// The presets in gpus/.
std::span<const EmbeddedFile> embedded_gpus();

/// The GPU that `value` says: a preset's name, a path, or a map. Throws SpecError.
GpuSpec load_gpu(const Tree& value);

}  // namespace paceline
