// SPDX-License-Identifier: MIT
#include "exec/calibrate/probe.hpp"

namespace paceline {

BufferPlan probe_buffers(const Plan& plan) {
  BufferPlan buffers;
  for (RoleId role = 0; role < plan.roles(); ++role) {
    RoleBuffers& mine = buffers.roles.emplace_back();
    mine.part = plan.whole();
    if (role < plan.workers) {
      mine.slots = {{Buffer::weights}, {Buffer::gradient}, {Buffer::landing}};
    } else {
      mine.slots = {{Buffer::landing, 2 * plan.workers}};
    }
  }
  buffers.model = {0};
  return buffers;
}

Task<> probe_role(Backend& backend, const ProbeObserver& observer, Seconds delay, int rounds,
                  ProbeResult& result) {
  const Stream compute{0, StreamKind::compute};
  const Stream push{0, StreamKind::push};
  const Command::Copy small{{0, Buffer::gradient}, {1, Buffer::landing}, {0, 1, 4}};
  for (int round = 0; round < rounds; ++round) {
    const Instant delay_requested = backend.now();
    const Token delayed = backend.delay(compute, delay, {0, round});
    co_await backend.finished(0, delayed);
    result.late.push_back((observer.ended - observer.began - delay).value());
    result.start.push_back((observer.began - delay_requested).value());
    result.decision.push_back((backend.now() - observer.ended).value());
    const Instant requested = backend.now();
    const Token copied = backend.copy(push, small);
    co_await backend.finished(0, copied);
    result.start.push_back((observer.began - requested).value());
    result.decision.push_back((backend.now() - observer.ended).value());
  }
}

Task<> crowd_role(Backend& backend, RoleId me, RoleId server, int rounds) {
  const Slice one{0, 1, 4};
  const Command::Copy own{{me, Buffer::gradient}, {me, Buffer::weights}, one};
  const Command::Copy sent{{me, Buffer::gradient}, {server, Buffer::landing, me}, one};
  for (int round = 0; round < rounds; ++round) {
    const WorkId work{me, round};
    backend.copy({me, StreamKind::compute}, own, work);
    const Token ready = backend.copy({me, StreamKind::compute}, own, work);
    const Token copied = backend.copy({me, StreamKind::push}, sent, work, ready);
    co_await backend.finished(me, copied);
  }
}

Task<> idle_role() {
  co_return;
}

}  // namespace paceline
