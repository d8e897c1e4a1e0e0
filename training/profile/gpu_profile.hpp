// SPDX-License-Identifier: MIT
/// \file
/// What calibrate found of one of this computer's GPUs, apart from links and networks.
#pragma once
#include <optional>
#include <string>

#include "experiments/description.hpp"

namespace paceline {

struct GpuProfile {
  std::string name;    ///< as its driver calls it
  std::string preset;  ///< the file in topology/gpus that is of this model; "": there is none
  std::string bus;     ///< PCI address
  Bytes memory;
  int sms = 1;
  std::optional<FlopsPerSecond> fp32;              ///< theoretical: its cores x their clock
  std::optional<BytesPerSecond> memory_bandwidth;  ///< theoretical: bus width x memory clock
  std::string clocks;             ///< while it was measured: "1980 MHz SM, 3201 MHz memory"
  BytesPerSecond copy_bandwidth;  ///< from its memory to its memory: bytes copied
  Seconds launch;                 ///< of an empty kernel, on the thread that launches it
  Seconds kernel;                 ///< from the start of an empty kernel to the next one's
  Seconds operation_latency;      ///< from asking for an operation to its start
  Seconds decision_latency;       ///< from an event on the device to the role's answer
  Seconds operation_handling;     ///< of the one thread that runs all roles, for each operation
  Seconds timer_error;            ///< by which a delay is late
  static void describe(Description<GpuProfile>& d);
};

/// A sum over GPUs by their own library.
struct CollectiveProfile {
  int gpus = 2;
  Seconds latency;           ///< of the line through the times, as the three below
  BytesPerSecond bandwidth;  ///< bytes of the vector / time ("algorithm bandwidth")
  Percent rms{0};
  Percent worst{0};
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;  ///< by size, the median
  static void describe(Description<CollectiveProfile>& d);
};

}  // namespace paceline
