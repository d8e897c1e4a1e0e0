// SPDX-License-Identifier: MIT
/// \file
/// The times of calls of NCCL 2 over one kind of interconnect: a few constants, fitted on
/// published curves of time against size. Each kind is one YAML file in nccl/, with its table and
/// its error.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/language/description.hpp"
#include "experiments/language/presets.hpp"
#include "topology/machine.hpp"

namespace paceline {

/// Protocols: LL and LL128 send flags with the data and wait for nothing else; Simple sends large
/// chunks and waits for the memory of both sides.
struct NcclConstants {
  std::vector<std::string> over;  ///< link presets that it describes
  Seconds start;                  ///< of a call with LL or LL128, with few threads
  Seconds step;                   ///< of a step with LL or LL128, with few threads
  double full_channel = 1;        ///< factor of both, once all threads of a channel have data
  Percent ll128{0.92};            ///< data rate with LL128 / with Simple
  Seconds simple_start;           ///< of a call with Simple
  Seconds simple_step;            ///< of a step with Simple, and of filling its chunks
  Percent efficiency{1};          ///< data rate with Simple / effective bandwidth of the links
  /// Simple: the time that the last receive of a ring takes, in steps; nothing else overlaps it.
  double last_step = 0;
  Seconds pairs_start;                         ///< of messages between pairs with Simple
  std::map<std::string, std::string> sources;  ///< by key
  std::vector<std::string> fitted;             ///< keys with fitted values
  static void describe(Description<NcclConstants>& d);
};

/// The same between computers, for all networks: the time of a message besides its links'.
struct NcclNetworkConstants {
  Seconds step;           ///< of a step with LL, besides the links' latency
  Seconds ll128_step;     ///< with LL128
  Seconds simple_step;    ///< with Simple, besides twice the links' latency
  Percent efficiency{1};  ///< data rate with Simple / effective bandwidth of the links
  double fill = 0;        ///< Simple: of a level of switches or trees, time to fill / of bytes
  Bytes fill_bytes;       ///< up to which chunks grow with a call
  std::map<std::string, std::string> sources;  ///< by key
  std::vector<std::string> fitted;             ///< keys with fitted values
  static void describe(Description<NcclNetworkConstants>& d);
};

/// The presets in nccl/.
std::span<const EmbeddedFile> embedded_nccl();

/// The preset of links between computers; the others are of links within one.
inline constexpr std::string_view kNcclNetwork = "network";

/// A preset by its name.
NcclConstants load_nccl(std::string_view preset);
/// The preset kNcclNetwork.
NcclNetworkConstants nccl_network_constants();

/// The preset for the link preset `over`. Throws SpecError if there is none.
NcclConstants nccl_constants(const std::string& over);

/// The library on a machine: within a computer, and between computers.
struct NcclCosts {
  NcclConstants inside;
  NcclNetworkConstants between;
  int generation = 0;             ///< of the GPUs: sm70 and older 0, sm80 1, sm90 2, later 3
  int sms = 1;                    ///< of a GPU
  BytesPerSecond link_bandwidth;  ///< effective, of one NVLink
  bool nvlink = false;            ///< the GPUs of a computer reach each other over NVLinks
  bool nvswitch = false;          ///< through switches
  bool ll128 = false;             ///< NCCL offers LL128 on these GPUs
  bool sharp = false;             ///< the switches between computers sum
};

/// \param gpu a worker's; all are taken to be alike
NcclCosts nccl_costs(const Machine& machine, int gpu);

}  // namespace paceline
