// SPDX-License-Identifier: MIT
#include "training/profile/link_profile.hpp"

namespace paceline {

void LinkProfile::describe(Description<LinkProfile>& d) {
  d.required("from", &LinkProfile::from, "source of the copy");
  d.required("to", &LinkProfile::to, "destination of the copy");
  d.optional("at_once", &LinkProfile::at_once, "concurrent copies").at_least(1);
  d.optional("both_ways", &LinkProfile::both_ways, "whether half of the copies go the other way");
  d.optional("staged", &LinkProfile::staged, "between GPUs, through host memory");
  d.required("latency", &LinkProfile::latency, "fitted time of a copy of 0 bytes")
      .at_least(Seconds{0});
  d.required("bandwidth", &LinkProfile::bandwidth, "fitted bandwidth of each copy")
      .above(BytesPerSecond{0});
  d.required("rms", &LinkProfile::rms, "residuals as shares of the time: root mean square")
      .at_least(Percent{0});
  d.required("worst", &LinkProfile::worst, "the largest residual").at_least(Percent{0});
  d.optional("driver", &LinkProfile::driver,
             "bandwidth of one large copy by the driver (on the host: memcpy)")
      .above(BytesPerSecond{0});
  d.optional("theory", &LinkProfile::theory, "theoretical bandwidth, where it is known")
      .above(BytesPerSecond{0});
  d.optional("theory_source", &LinkProfile::theory_source,
             "the figure that `theory` is taken from");
  d.required("sizes", &LinkProfile::sizes, "sizes of the timed copies");
  d.required("times", &LinkProfile::times, "median time of each size");
}

void set_transfers(LinkProfile& link, std::span<const TimedTransfer> measured) {
  const TransferFit fit = fit_transfers(measured);
  link.latency = fit.latency;
  link.bandwidth = fit.bandwidth;
  link.rms = fit.rms;
  link.worst = fit.worst;
  link.sizes.clear();
  link.times.clear();
  for (const TimedTransfer& one : measured) {
    link.sizes.push_back(one.size);
    link.times.push_back(one.time);
  }
}

}  // namespace paceline
