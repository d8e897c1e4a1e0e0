// SPDX-License-Identifier: MIT
//
// How the processes of a group agree: each sends its verdict to process 0, which answers with the
// worst one and a time at which all go on.
#include "exec/processes/group.hpp"

namespace paceline {
namespace {

// From an agreement to the start: by then the verdict has reached all processes.
constexpr std::int64_t kHeadStartNs = 20'000'000;

}  // namespace

Verdict read_verdict(FrameReader& from) {
  Verdict verdict;
  verdict.kind = from.take<Verdict::Kind>();
  verdict.text = from.take_line();
  return verdict;
}

Group::Agreed Group::agree(const Verdict& mine) {
  if (leads()) return agree_as_leader(mine, false);
  FrameWriter ready(FrameKind::ready);
  send(0, ready.put(mine.kind).put_text(mine.text));
  const Frame reply = receive(0, FrameKind::go);
  FrameReader go = reply.reader();
  Agreed agreed;
  agreed.verdict = read_verdict(go);
  agreed.start_ns = go.take<std::int64_t>();
  return agreed;
}

Group::Agreed Group::agree_with_all(const Verdict& mine) {
  return leads() ? agree_as_leader(mine, true) : agree(with_absence(mine));
}

Verdict Group::with_absence(const Verdict& verdict) const {
  const std::string absent = absence();
  if (verdict.kind == Verdict::Kind::failed || absent.empty()) return verdict;
  return {Verdict::Kind::failed, absent};
}

Group::Agreed Group::agree_as_leader(const Verdict& mine, bool with_all) {
  Agreed agreed;
  agreed.verdict = mine;
  for (int process = 1; process < size(); ++process) {
    if (is_lost(process)) continue;
    try {
      const Frame frame = receive(process, FrameKind::ready);
      FrameReader ready = frame.reader();
      const Verdict verdict = read_verdict(ready);
      if (verdict.kind > agreed.verdict.kind) agreed.verdict = verdict;
    } catch (const ProcessLost&) {  // the others agree without it
    }
    // after its `ready` it sends nothing, so all that is left belongs to a phase that is over
    const std::lock_guard lock(mutex_);
    of(process).inbox.clear();
  }
  if (with_all) agreed.verdict = with_absence(agreed.verdict);
  agreed.loss = loss();  // before `go`, after which a process may end
  agreed.start_ns = steady_ns() + kHeadStartNs;
  FrameWriter go(FrameKind::go);
  go.put(agreed.verdict.kind).put_text(agreed.verdict.text).put(agreed.start_ns);
  send_to_all(go);
  return agreed;
}

}  // namespace paceline
