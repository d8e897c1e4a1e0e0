// SPDX-License-Identifier: MIT
/// \file
/// The figures of TCP between two processes, measured through the copies of an execution.
#pragma once
#include <string>

#include "experiments/language/description.hpp"

namespace paceline {

struct TcpProfile {
  std::string between;      ///< "this computer", or two computers' names
  Seconds latency;          ///< of an empty copy, until its acknowledgement
  BytesPerSecond stream;    ///< goodput of the large copies of one stream
  BytesPerSecond together;  ///< total goodput of several streams at once
  Seconds send;             ///< processor time per gigabyte (1e9 bytes) in the sending process
  Seconds receive;          ///< processor time per gigabyte (1e9 bytes) in the receiving process
  static void describe(Description<TcpProfile>& d);
};

}  // namespace paceline
