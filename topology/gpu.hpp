// SPDX-License-Identifier: MIT
/// \file
/// The data of a GPU model that need no measurement: peaks, memory, copy engines, the fractions of
/// the peaks that kernels reach, power and price. Each model is one YAML file in gpus/
/// that names the source of every number.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "experiments/language/description.hpp"
#include "experiments/language/presets.hpp"
#include "topology/peer_access.hpp"

namespace paceline {

/// The number format in which a network is trained.
enum class Precision { fp32, tf32, fp16, bf16 };
std::span<const EnumName<Precision>> enum_names(const Precision*);

/// The fraction of a peak that kernels reach, and its source.
struct Efficiency {
  Percent share{1};
  double half_depth = 0;  ///< of products: the depth of the sum at which half the share is reached
  std::string source;
  bool operator==(const Efficiency&) const = default;
  static void describe(Description<Efficiency>& d);
};

/// The efficiencies that are known of a GPU model.
struct EfficiencyTable {
  std::optional<Efficiency> fp32, tf32;  ///< products in this precision
  std::optional<Efficiency> fp16;        ///< products in fp16 or bf16
  std::optional<Efficiency> memory;      ///< of the memory's bandwidth
  /// Of the memory's bandwidth, by kernels of frameworks that move data; absent: `memory`.
  std::optional<Efficiency> passes;
  bool operator==(const EfficiencyTable&) const = default;
  static void describe(Description<EfficiencyTable>& d);
};

/// A GPU model. A peak of 0 means that the GPU does not have this arithmetic.
struct GpuSpec {
  std::string name;
  std::string driver_name;                ///< the driver's name for the GPU if it differs; or ""
  FlopsPerSecond fp32, tf32, fp16, bf16;  ///< peaks for dense matrices
  Bytes memory;
  BytesPerSecond memory_bandwidth;
  int sms = 1;
  int sm_group_minimum = 0;                    ///< least SMs of a green context; 0: not supported
  int sm_group_multiple = 1;                   ///< a green context's SMs are a multiple of this
  std::optional<BytesPerSecond> sm_bandwidth;  ///< the memory bandwidth that one SM can use
  int copy_engines = 2;                        ///< 1: only one direction at a time
  std::string architecture;                    ///< "sm80", "gfx942"; "" if unknown
  std::vector<std::string> pci_ids;            ///< vendor:device, "10de:20b2"
  std::string pcie;                            ///< link preset of one lane to its slot, "pcie4"
  std::string nvlink;                          ///< link preset of one NVLink; "": has none
  int nvlinks = 0;                             ///< number of NVLinks
  PeerAccess peer_access = PeerAccess::all;    ///< that its driver gives at most
  std::optional<Watts> power;                  ///< under load; nothing if unknown
  std::optional<DollarsPerHour> price;         ///< rental price; nothing if unknown
  std::string region;                          ///< where it has the price; ""
  EfficiencyTable efficiency;
  int board_dies = 1;      ///< GPUs of one board, numbered in a row, which share its power
  Percent board_clock{1};  ///< speed of arithmetic while several dies of a board work / while one
  std::map<std::string, std::string> sources;  ///< by key
  Percent clock{1};  ///< of this GPU / the model's (at_clock); not a key of a GPU's file

  bool operator==(const GpuSpec&) const = default;
  FlopsPerSecond peak(Precision precision) const;
  /// The efficiency of products in a precision, or null if it is unknown.
  const Efficiency* efficiency_of(Precision precision) const;
  static void describe(Description<GpuSpec>& d);
};

/// True if a described GPU is the model that the driver reports. "Tesla P100 SXM2 16 GB" and "Tesla
/// P100-SXM2-16GB" are equal, with or without "NVIDIA". `driver_name` takes precedence over the
/// name.
bool same_gpu(const GpuSpec& described, const std::string& reported);
/// True if the name of a described GPU begins as a reported name that is cut off, "Tesla
/// V100-SXM2...".
bool may_be_gpu(const GpuSpec& described, const std::string& reported);

/// A GPU of the model with multiprocessors at `clock` of the model's: arithmetic and what one
/// multiprocessor draws from memory follow it, the memory does not.
GpuSpec at_clock(const GpuSpec& model, Percent clock);

/// The presets in gpus/.
std::span<const EmbeddedFile> embedded_gpus();

/// Reads the keys of a GPU and checks those that depend on each other. False after an error.
bool read_gpu(GpuSpec& gpu, const Tree& tree, Diagnostics& diagnostics);

/// Loads the GPU that `value` describes: a preset's name, a path, or a map. Throws SpecError.
GpuSpec load_gpu(const Tree& value);

}  // namespace paceline
