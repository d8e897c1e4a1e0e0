// SPDX-License-Identifier: MIT
#include "exec/calibrate/tcp.hpp"

#include <array>
#include <future>
#include <utility>

#include <time.h>

#include "exec/calibrate/probe.hpp"
#include "exec/processes/streams.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/learning/host_arrays.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {
namespace {

using Clock = std::chrono::steady_clock;

// 4 MiB per copy: more than the socket's buffers hold, so that the link is timed.
constexpr std::int64_t kFloats = 1 << 20;
constexpr double kGigabyte = 1e9;
// Streams that push at the same time, each on its own connection; only four, since each takes two
// threads.
constexpr std::array<StreamKind, 4> kStreams{StreamKind::push, StreamKind::fetch, StreamKind::input,
                                             StreamKind::compute};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double thread_seconds() {
  timespec cpu_time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu_time);
  return static_cast<double>(cpu_time.tv_sec) + 1e-9 * static_cast<double>(cpu_time.tv_nsec);
}

/// One worker in each of two processes.
Plan probe_plan() {
  Plan plan;
  plan.workers = 2;
  plan.processes = {0, 1};
  plan.cut.buckets.push_back({0, 1, {0, kFloats, 4.0 * kFloats}});
  return plan;
}

/// One process's end of the probe.
class Probe final : public GroupListener {
 public:
  explicit Probe(Group& group)
      : group_(group),
        streams_(group),
        plan_(probe_plan()),
        buffers_(probe_buffers(plan_), {optimizer_.part().get(), 1, 1, 1, {}},
                 std::vector<float>(kFloats), 0, store_) {
    streams_.lend(buffers_, nullptr);
    group_.listen(this);
  }
  ~Probe() override {
    group_.listen(nullptr);
    streams_.take_back();
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void on_frame(int, FrameKind, FrameReader) override {}
  void on_lost(int process) override { streams_.shut_down(process); }
  void on_stream(int from, Connection connection) override {
    streams_.serve(from, std::move(connection));
  }

  double seconds_serving() { return streams_.seconds_serving(); }

  /// Seconds of a copy of parameters [begin, end) to process 1.
  double push(StreamKind kind, std::int64_t begin, std::int64_t end) {
    const Command::Copy copy{{0, Buffer::gradient},
                             {1, Buffer::landing},
                             {begin, end, 4.0 * static_cast<double>(end - begin)}};
    const Clock::time_point start = Clock::now();
    streams_.push({0, kind}, 1, copy, buffers_.lend(copy.from, copy.slice).floats);
    return seconds_since(start);
  }

 private:
  Group& group_;
  Streams streams_;
  Plan plan_;
  HostArrays store_;
  Choice<Optimizer> optimizer_{"sgd"};
  Buffers buffers_;
};

/// Repeats `copy` for about `budget` seconds, at least three times; returns the seconds of each.
template <class Copy>
std::vector<double> times_of(double budget, const Copy& copy) {
  std::vector<double> times;
  const Clock::time_point began = Clock::now();
  while (times.size() < 3 || seconds_since(began) < budget) times.push_back(copy());
  return times;
}

/// Total rate of all streams at once: the sum of each stream's median rate.
BytesPerSecond rate_together(Probe& probe) {
  constexpr auto kShare = kFloats / static_cast<std::int64_t>(kStreams.size());
  std::vector<std::future<double>> rates;
  for (std::size_t i = 0; i < kStreams.size(); ++i) {
    rates.push_back(std::async(std::launch::async, [&probe, i] {
      const auto begin = static_cast<std::int64_t>(i) * kShare;
      const auto copy = [&] { return probe.push(kStreams[i], begin, begin + kShare); };
      copy();  // opens the connection
      const std::vector<double> times = times_of(0.5, copy);
      return 4.0 * kShare / quantile_of(times, 0.5);
    }));
  }
  double rate = 0;
  for (std::future<double>& one : rates) rate += one.get();
  return BytesPerSecond{rate};
}

}  // namespace

TcpProfile measure_link(Group& group) {
  TcpProfile profile;
  Probe probe(group);
  group.agree({});
  if (group.leads()) {
    const auto empty = [&] { return probe.push(StreamKind::push, 0, 1); };
    times_of(0.02, empty);
    profile.latency = Seconds{quantile_of(times_of(0.2, empty), 0.5)};
  }
  group.agree({});
  double cpu_seconds = group.leads() ? thread_seconds() : probe.seconds_serving();
  double copies = 0;
  if (group.leads()) {
    const std::vector<double> times =
        times_of(0.5, [&] { return probe.push(StreamKind::push, 0, kFloats); });
    copies = static_cast<double>(times.size());
    profile.stream = Bytes{4.0 * kFloats} / (Seconds{quantile_of(times, 0.5)} - profile.latency);
  }
  group.agree({});
  cpu_seconds = (group.leads() ? thread_seconds() : probe.seconds_serving()) - cpu_seconds;
  if (group.leads()) profile.together = std::max(profile.stream, rate_together(probe));
  group.agree({});
  if (group.rank() == 1) {
    FrameWriter frame(FrameKind::figures);
    group.send(0, frame.put(cpu_seconds));
  } else if (group.leads()) {
    const Frame frame = group.receive(1, FrameKind::figures);
    const double gigabytes = copies * 4.0 * kFloats / kGigabyte;
    profile.send = Seconds{cpu_seconds / gigabytes};
    profile.receive = Seconds{frame.reader().take<double>() / gigabytes};
    profile.between = group.host_of(0) == group.host_of(1)
                          ? "this computer"
                          : group.host_of(0) + ", " + group.host_of(1);
  }
  group.agree({});
  return profile;
}

TcpProfile measure_loopback() {
  Membership first;
  first.size = 2;
  first.listener.emplace(Endpoint{"127.0.0.1", 0}, first.secret);
  Membership second;
  second.secret = first.secret;
  second.size = 2;
  second.rank = 1;
  second.leader = {{"127.0.0.1", first.listener->port()}};
  const auto take_part = [](Membership membership) {
    Group group(std::move(membership), "loopback");
    return measure_link(group);
  };
  std::future<TcpProfile> other = std::async(std::launch::async, take_part, std::move(second));
  TcpProfile profile = take_part(std::move(first));
  other.get();
  return profile;
}

}  // namespace paceline
