// SPDX-License-Identifier: MIT
#include "exec/calibrate/probe.hpp"

namespace paceline {

Task<> probe_role(Backend& backend, const ProbeObserver& observer, Seconds delay, int rounds,
                  ProbeResult& result) {
  const Stream compute{0, StreamKind::compute};
  const Stream push{0, StreamKind::push};
  const BufferRef from{0, Buffer::gradient, 0, {0, 1, 4}};
  const BufferRef to{1, Buffer::landing, 0, {0, 1, 4}};
  for (int round = 0; round < rounds; ++round) {
    const Instant slept_from = backend.now();
    const Token slept = backend.delay(compute, delay, {0, round});
    co_await backend.finished(0, slept);
    result.late.push_back((observer.ended - observer.began - delay).value());
    result.start.push_back((observer.began - slept_from).value());
    result.decision.push_back((backend.now() - observer.ended).value());
    const Instant asked = backend.now();
    const Token copied = backend.copy(push, from, to, {});
    co_await backend.finished(0, copied);
    result.start.push_back((observer.began - asked).value());
    result.decision.push_back((backend.now() - observer.ended).value());
  }
}

Task<> crowd_role(Backend& backend, RoleId me, RoleId server, int rounds) {
  const BufferRef mine{me, Buffer::gradient, 0, {0, 1, 4}};
  const BufferRef too{me, Buffer::weights, 0, {0, 1, 4}};
  const BufferRef other{server, Buffer::landing, me, {0, 1, 4}};
  for (int round = 0; round < rounds; ++round) {
    const WorkId work{me, round};
    backend.copy({me, StreamKind::compute}, mine, too, work);
    const Token ready = backend.copy({me, StreamKind::compute}, mine, too, work);
    const Token copied = backend.copy({me, StreamKind::push}, mine, other, work, ready);
    co_await backend.finished(me, copied);
  }
}

Task<> idle_role() {
  co_return;
}

}  // namespace paceline
