// SPDX-License-Identifier: MIT
/// \file
/// The figures of one of this computer's GPUs that `calibrate` measured, without links and
/// networks.
#pragma once
#include <optional>
#include <string>

#include "experiments/language/description.hpp"

namespace paceline {

struct GpuProfile {
  std::string name;    ///< the driver's name of the GPU
  std::string preset;  ///< the file in topology/gpus for this model; "": there is none
  std::string bus;     ///< PCI address
  Bytes memory;
  int sms = 1;
  std::optional<FlopsPerSecond> fp32;              ///< theoretical: its cores x their clock
  std::optional<BytesPerSecond> memory_bandwidth;  ///< theoretical: bus width x memory clock
  std::string clocks;             ///< during the measurement: "1980 MHz SM, 3201 MHz memory"
  BytesPerSecond copy_bandwidth;  ///< within its memory: bytes copied
  Seconds launch;                 ///< of an empty kernel, on the thread that launches it
  Seconds kernel;                 ///< from the start of an empty kernel to the next one's
  Seconds operation_latency;      ///< from the request for an operation to its start
  Seconds decision_latency;       ///< from an event on the device to the role's answer
  Seconds operation_handling;     ///< per operation, of the one thread that runs all roles
  Seconds timer_error;            ///< lateness of a delay
  static void describe(Description<GpuProfile>& d);
};

/// An all-reduce among GPUs by their own library.
struct CollectiveProfile {
  int gpus = 2;
  Seconds latency;           ///< of the line fitted to the times, as are the next three
  BytesPerSecond bandwidth;  ///< bytes of the vector / time ("algorithm bandwidth")
  Percent rms{0};
  Percent worst{0};
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;  ///< by size, the median
  static void describe(Description<CollectiveProfile>& d);
};

}  // namespace paceline
