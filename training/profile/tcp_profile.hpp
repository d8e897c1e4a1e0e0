// SPDX-License-Identifier: MIT
/// \file
/// What calibrate found of TCP between two processes, through the copies that executions make.
#pragma once
#include <string>

#include "experiments/description.hpp"

namespace paceline {

struct TcpProfile {
  std::string between;      ///< "this computer", or two computers' names
  Seconds latency;          ///< of an empty copy, to its acknowledgement
  BytesPerSecond stream;    ///< goodput of one stream's large copies
  BytesPerSecond together;  ///< goodput of several streams at once, all together
  Seconds send;             ///< processor time per gigabyte (1e9 bytes) in the process that sends
  Seconds receive;          ///< likewise, that receives
  static void describe(Description<TcpProfile>& d);
};

}  // namespace paceline
