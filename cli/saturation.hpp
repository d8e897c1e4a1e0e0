// SPDX-License-Identifier: MIT
/// \file
/// Finds the number of workers at which a point saturates, the saturated resource, and the
/// throughput there. The search simulates the point with other numbers of workers.
///
/// A number of workers P is **saturated** if one of two conditions holds. Either a resource that
/// workers share (a server's arithmetic, a link, the host's cores, the thread that launches
/// kernels) is busy for at least 95 % of the time; a link used by only one worker is not shared. Or
/// a further worker adds less than 5 % of the throughput of a single worker, on average over a
/// doubling of P (or up to the last GPU). Nor may workers up to the point's own number, if that is
/// over twice as many, add more than that on average. The saturation is the least such P, within
/// 3 %.
///
/// For an asynchronous parameter server that takes s per gradient, with workers that take c in
/// addition, the saturation is 0.95 (c + s)/s. A synchronous server saturates gradually, at 2.4
/// c/s.
///
/// Each worker keeps the point's batch, even if `global_batch` is set. The simulations have no
/// training and no failures.
#pragma once
#include <string>

#include "cli/busy_shares.hpp"
#include "cli/execution_device.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

struct Saturation {
  /// The outcome of the search.
  enum class End {
    found,         ///< `workers` saturate `resource`
    waiting,       ///< more than `workers` only wait for each other
    machine,       ///< not saturated at `workers`, the maximum of the machine
    nothing,       ///< no shared resource takes time
    too_costly,    ///< not saturated at `workers`; more would take too long to simulate
    failed,        ///< a simulation failed; see `problem`
    not_searched,  ///< not searched: K follows the loss, workers are independent, or other jobs
                   ///< have the rest of the machine
  };
  End end = End::not_searched;
  int workers = 0;
  double throughput = 0;    ///< at `workers`, in items/s
  SharedResource resource;  ///< the saturated or else the busiest resource at `workers`; "" if none
  /// The number of workers at which `resource` was found, if it is idle at `workers`; else 0.
  int resource_at = 0;
  std::string problem;  ///< if `failed`
};

/// Runs the search, which takes about 0.3 s. The point must be predictable (`not_predictable`
/// returns ""). Does not throw std::exception: a failed search must not end a run.
Saturation find_saturation(const ExperimentPoint& point, Device device, const Profile* profile);

/// The outcome as part of a sentence: "the server saturates near 190 workers (5210 images/sec)",
/// "nothing saturates up to 8 workers, all that dgx1-v100 has"; "" if there was no search.
std::string sentence_of(const Saturation& saturation, const ExperimentPoint& point);

}  // namespace paceline
