// SPDX-License-Identifier: MIT
/// \file
/// Where more workers stop paying: the number of workers at which a point saturates, what saturates
/// there, and the throughput. Found by simulating the same point with other numbers of workers.
///
/// **Saturated** is a number of workers P at which something that workers share (a server's
/// arithmetic, a link, the host's cores, the thread that launches kernels) is busy for at least
/// 95 % of the time (a link that only one worker uses is not shared), or from which on a further
/// worker adds, on average over a doubling of P (or up to the last GPU), less than 5 % of what one
/// worker alone delivers. The saturation is the least such P, within 3 %.
///
/// Of an asynchronous parameter server that takes s per gradient, and workers that take c beside
/// it, this is 0.95 (c + s)/s. A synchronous one saturates gradually: 2.4 c/s.
///
/// Each worker keeps the point's batch, also where `global_batch` is set. Nothing is trained and no
/// worker dies.
#pragma once
#include <string>

#include "cli/busy_shares.hpp"
#include "cli/execution_device.hpp"

namespace paceline {

struct Saturation {
  /// How the search ended.
  enum class End {
    found,      ///< `workers` saturate `resource`
    waiting,    ///< `workers` are as many as pay; the rest only wait for each other
    machine,    ///< not up to `workers`, all that the machine has
    nothing,    ///< nothing that workers share takes time
    gave_up,    ///< not up to `workers`; more would take too long to simulate
    failed,     ///< a simulation failed: `problem`
    not_asked,  ///< K follows the loss, or a single worker has nothing to share
  };
  End end = End::not_asked;
  int workers = 0;
  double throughput = 0;    ///< there, items/s
  SharedResource resource;  ///< of `found`; else the busiest at `workers`, "" where none is
  std::string problem;      ///< of `failed`
};

/// Searches; some 0.3 s. The point must be predictable (`not_predictable` is ""). Throws
/// nothing: a run does not end with this question.
Saturation find_saturation(const ExperimentPoint& point, Device asked, const Profile* profile);

/// The finding, to be read on: "the server saturates near 190 workers (5210 images/sec)",
/// "nothing saturates up to 8 workers, all that dgx1-v100 has"; "" where it was not asked for.
std::string sentence_of(const Saturation& saturation, const ExperimentPoint& point);

}  // namespace paceline
