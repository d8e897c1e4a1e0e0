// SPDX-License-Identifier: MIT
#include "exec/processes/joint_execution.hpp"

#include <algorithm>

#include "exec/host/host_machine.hpp"
#include "exec/processes/remote_roles.hpp"
#include "training/roles/observers.hpp"

namespace paceline {
namespace {

// Of what is sent in one frame: some 100 KiB, so that even on a slow link others get their turn.
constexpr std::size_t kEventsAFrame = 1000;
constexpr std::size_t kFloatsAFrame = 64U << 10;

/// How `work` went.
template <class Work>
Verdict verdict_of(const Group& group, const Work& work) {
  try {
    work();
    return {};
  } catch (const Diverged& diverged) {
    return {Verdict::Kind::diverged, diverged.what()};
  } catch (const ProcessLost& lost) {
    return {Verdict::Kind::failed, lost.what()};
  } catch (const std::bad_alloc&) {
    return {Verdict::Kind::failed, group.name_of(group.rank()) + ": out of memory"};
  } catch (const std::exception& error) {
    const std::string where = group.leads() ? "" : group.name_of(group.rank()) + ": ";
    return {Verdict::Kind::failed, where + error.what()};
  }
}

/// Sends values in as many frames as they need; an empty one ends them.
template <class T>
void send_all(Group& group, FrameKind kind, const std::vector<T>& values, std::size_t most) {
  FrameWriter frame(kind);
  for (std::size_t begin = 0; begin < values.size(); begin += most) {
    const std::size_t count = std::min(most, values.size() - begin);
    frame.restart(kind);
    frame.put_all(std::span(values).subspan(begin, count));
    group.send(0, frame);
  }
  frame.restart(kind);
  group.send(0, frame);
}

template <class T>
std::vector<T> receive_all(Group& group, int from, FrameKind kind) {
  std::vector<T> all;
  for (;;) {
    const Frame frame = group.receive(from, kind, FrameKind::ready);
    if (frame.kind == FrameKind::ready) {  // it has come to the end without: it says why
      FrameReader ready = frame.reader();
      throw std::runtime_error(read_verdict(ready).text);
    }
    const std::vector<T> some = frame.reader().take_rest<T>();
    if (some.empty()) return all;
    all.insert(all.end(), some.begin(), some.end());
  }
}

}  // namespace

/// A repeat under way on this process.
struct JointExecution::Repeat {
  Repeat(const JointExecution& execution, std::uint32_t number)
      : log(time, execution.loss_bound(), execution.traced_ && number == 0),
        plan(execution.setting_.plan_of(number, &log)),
        learning(execution.trainer_->start(plan, number)) {}

  WallTime time;
  EventLog log;
  Plan plan;
  Learning learning;
  ClockOffset offset;                  ///< of process 0's clock, when it began
  std::vector<EventLog::Events> logs;  ///< on process 0: of all
};

JointExecution::JointExecution(const Setting& setting, Group& group, bool traced)
    : setting_(setting),
      spans_(setting.spans),
      group_(group),
      traced_(traced),
      repeats_left_(setting.point->experiment.repeats) {
  setting_.spans = nullptr;  // it is told once everything is known, and in its order

  agree_with_all(verdict_of(group, [&] {
    others_ = std::make_unique<RemoteRoles>(setting_.plan, group);
    trainer_ = std::make_unique<Trainer>(setting_, setting_.plan.workers, group.rank());
  }));
  agree_with_all(verdict_of(group, [&] { others_->open_streams(); }));
}

JointExecution::~JointExecution() {
  if (repeats_left_ == 0) return;
  try {  // the others wait for the next repeat to begin
    group_.agree(
        {Verdict::Kind::failed, group_.name_of(group_.rank()) + " stopped before the last repeat"});
  } catch (const std::exception&) {  // process 0 waits no more
  }
}

/// Where one process has failed, all throw the same.
void JointExecution::check(const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::good) return;
  repeats_left_ = 0;
  throw std::runtime_error(verdict.text);
}

/// Likewise where one is not there.
void JointExecution::agree_with_all(const Verdict& mine) {
  check(group_.agree_with_all(mine).verdict);
}

/// A repeat begins with all its workers or not at all.
void JointExecution::begin(std::optional<Repeat>& repeat, std::uint32_t number) {
  agree_with_all(verdict_of(group_, [&] { repeat.emplace(*this, number); }));
}

/// All come here, whatever has happened to them since it began: then all are in step.
void JointExecution::end(const Verdict& mine) {
  check(group_.agree(mine).verdict);
  --repeats_left_;
}

Executed JointExecution::run(std::uint32_t number, Recorder& recorder) {
  std::optional<Repeat> repeat;
  begin(repeat, number);
  Executed executed;
  const auto observe = [&] {
    const Verdict verdict = run_roles(*repeat);
    if (verdict.kind == Verdict::Kind::failed) throw std::runtime_error(verdict.text);
    gather(*repeat);
    std::vector<Observer*> told{&recorder};
    if (spans_ != nullptr && number == 0) told.push_back(spans_);
    Observers all(told);
    replay(repeat->logs, all);
    if (verdict.kind == Verdict::Kind::diverged) throw Diverged(verdict.text);
  };
  end(verdict_of(group_, [&] {
    const Buffers& buffers = std::as_const(repeat->learning).buffers();
    executed.curve = trainer_->watch(buffers, number, recorder, executed.status, observe);
    executed.weights = buffers.model();
  }));
  return executed;
}

void JointExecution::take_part(std::uint32_t number) {
  std::optional<Repeat> repeat;
  begin(repeat, number);
  end(verdict_of(group_, [&] {
    const Verdict verdict = run_roles(*repeat);
    if (verdict.kind == Verdict::Kind::failed) throw std::runtime_error(verdict.text);
    send_to_leader(*repeat);
  }));
}

/// Others copy to and from this process's buffers no longer than this lives.
struct Lending {
  RemoteRoles& to;
  ~Lending() { to.take_buffers_back(); }
};

/// The machine hears of others no longer than this lives.
struct Hearing {
  RemoteRoles& of;
  ~Hearing() { of.end(); }
};

/// From the common start until our roles have ended.
Verdict JointExecution::run_machine(Repeat& repeat) {
  const std::uint32_t run = group_.next_run();
  std::optional<HostMachine> machine;
  const Hearing hearing{*others_};
  const Verdict made = verdict_of(group_, [&] {
    machine.emplace(repeat.plan, repeat.learning, repeat.time, others_.get());
    for (RoleId role = 0; role < repeat.plan.roles(); ++role) {
      if (others_->runs(role)) continue;
      const Aggregation& aggregation = *setting_.point->experiment.aggregation;
      machine->start_role(role, aggregation.program(repeat.plan, *machine, role));
    }
    others_->begin(run, *machine, repeat.log, repeat.learning.buffers());
    repeat.offset = group_.offset_of_leader();
  });
  const Group::Agreed start = group_.agree(made);
  if (start.verdict.kind != Verdict::Kind::good) return start.verdict;
  const Verdict ended = verdict_of(group_, [&] {
    repeat.time.begin_at(start.start_ns - repeat.offset.offset_ns);
    repeat.time.sleep(Instant{}, [] { return false; });
    machine->run();
  });
  if (ended.kind != Verdict::Kind::good) others_->stop_others(ended);
  return ended;
}

/// Until all have ended. The worst that happened on any of them.
Verdict JointExecution::run_roles(Repeat& repeat) {
  const Lending lending{*others_};
  const Verdict ended = run_machine(repeat);
  // the machine's streams have ended; those of other processes may still copy from here
  others_->settle();
  const Instant end = repeat.time.now();
  const Verdict verdict = group_.agree(ended).verdict;
  if (verdict.kind != Verdict::Kind::failed) {
    const ClockOffset now = group_.offset_of_leader();
    const std::int64_t drift = now.offset_ns - repeat.offset.offset_ns;
    // below what a measurement of the offset is wrong by, nothing is known of a drift
    if (std::abs(drift) > now.error_ns + repeat.offset.error_ns) repeat.log.correct(drift, end);
  }
  return verdict;
}

void JointExecution::send_to_leader(Repeat& repeat) {
  send_all(group_, FrameKind::events, repeat.log.events().events, kEventsAFrame);
  send_all(group_, FrameKind::events, repeat.log.events().operations, kEventsAFrame);
  if (repeat.plan.replicas) return;
  for (int shard = 0; shard < repeat.plan.shards; ++shard) {
    const RoleId server = repeat.plan.server(shard);
    if (others_->runs(server)) continue;
    const Buffers& buffers = std::as_const(repeat.learning).buffers();
    const std::vector<std::int64_t> versions = buffers.versions_of(server);
    send_all(group_, FrameKind::shard, versions, kFloatsAFrame);
    for (const std::int64_t version : versions) {
      send_all(group_, FrameKind::shard, buffers.version_of(server, version), kFloatsAFrame);
    }
  }
}

void JointExecution::gather(Repeat& repeat) {
  repeat.logs.resize(static_cast<std::size_t>(group_.size()));
  repeat.logs.front() = repeat.log.events();
  for (int process = 1; process < group_.size(); ++process) {
    try {
      EventLog::Events log;  // all of it or nothing: events name their operations by number
      log.events = receive_all<EventLog::Event>(group_, process, FrameKind::events);
      log.operations = receive_all<EventLog::Operation>(group_, process, FrameKind::events);
      repeat.logs[static_cast<std::size_t>(process)] = std::move(log);
    } catch (const ProcessLost&) {  // what it has seen nobody knows
      if (!repeat.plan.survives_loss_of(process)) throw;
    }
  }
  if (repeat.plan.replicas) return;
  for (int shard = 0; shard < repeat.plan.shards; ++shard) {
    const RoleId server = repeat.plan.server(shard);
    const int process = repeat.plan.process_of(server);
    if (process == 0) continue;
    for (const auto version : receive_all<std::int64_t>(group_, process, FrameKind::shard)) {
      repeat.learning.buffers().adopt(server, version,
                                      receive_all<float>(group_, process, FrameKind::shard));
    }
  }
}

Measurement execute_jointly(const Setting& point_setting, Group& group, bool keep_steps) {
  Setting setting = point_setting;
  JointExecution execution(setting, group, setting.spans != nullptr);
  setting.counting.loss_bound = execution.loss_bound();
  Measurement measured = measure_repeats(
      setting, keep_steps, [&](std::uint32_t repeat, Recorder& recorder, std::string& status) {
        Executed executed = execution.run(repeat, recorder);
        status = executed.status;
        return executed.curve;
      });
  if (const std::string loss = group.loss(); !loss.empty()) {
    measured.status = "failed: " + loss + "; the other processes finished the point without it";
  }
  return measured;
}

void take_part_in(const Setting& setting, Group& group, bool traced) {
  try {
    JointExecution execution(setting, group, traced);
    const int repeats = setting.point->experiment.repeats;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      execution.take_part(static_cast<std::uint32_t>(repeat));
    }
  } catch (const ProtocolError&) {
    throw;
  } catch (const std::runtime_error&) {  // process 0 knows, and says so
  }
}

}  // namespace paceline
