// SPDX-License-Identifier: MIT
#include "training/profile/tcp_profile.hpp"

namespace paceline {

void TcpProfile::describe(Description<TcpProfile>& d) {
  d.required("between", &TcpProfile::between, "this computer, or the names of two computers");
  d.required("latency", &TcpProfile::latency, "time of an empty copy, to its acknowledgement")
      .at_least(Seconds{0});
  d.required("stream", &TcpProfile::stream, "goodput of one stream's large copies")
      .above(BytesPerSecond{0});
  d.required("together", &TcpProfile::together, "goodput of several streams at once, together")
      .above(BytesPerSecond{0});
  d.required("send", &TcpProfile::send, "processor time to send a gigabyte").at_least(Seconds{0});
  d.required("receive", &TcpProfile::receive, "processor time to receive a gigabyte")
      .at_least(Seconds{0});
}

}  // namespace paceline
