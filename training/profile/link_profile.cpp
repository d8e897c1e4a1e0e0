// SPDX-License-Identifier: MIT
#include "training/profile/link_profile.hpp"

namespace paceline {

void LinkProfile::describe(Description<LinkProfile>& d) {
  d.required("from", &LinkProfile::from, "where the bytes lie");
  d.required("to", &LinkProfile::to, "where they are copied to");
  d.optional("at_once", &LinkProfile::at_once, "copies under way at the same time").at_least(1);
  d.optional("both_ways", &LinkProfile::both_ways, "whether half of them go the other way");
  d.optional("staged", &LinkProfile::staged, "between GPUs, by way of host memory");
  d.required("latency", &LinkProfile::latency, "of a copy of no bytes, by the fitted line")
      .at_least(Seconds{0});
  d.required("bandwidth", &LinkProfile::bandwidth, "of each copy, by the fitted line")
      .above(BytesPerSecond{0});
  d.required("rms", &LinkProfile::rms, "residuals as shares of the time: root mean square")
      .at_least(Percent{0});
  d.required("worst", &LinkProfile::worst, "the largest residual").at_least(Percent{0});
  d.optional("driver", &LinkProfile::driver,
             "rate of a large copy by the driver (on the host memcpy) alone")
      .above(BytesPerSecond{0});
  d.optional("theory", &LinkProfile::theory, "theoretical bandwidth, where it is known")
      .above(BytesPerSecond{0});
  d.optional("theory_source", &LinkProfile::theory_source, "of what");
  d.required("sizes", &LinkProfile::sizes, "of the copies that were timed");
  d.required("times", &LinkProfile::times, "of each size, the median");
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
