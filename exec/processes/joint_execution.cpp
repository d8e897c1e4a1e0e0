// SPDX-License-Identifier: MIT
#include "exec/processes/joint_execution.hpp"

#include <algorithm>

#include "exec/machine/execution_plan.hpp"
#include "exec/processes/remote_roles.hpp"
#include "experiments/language/failure.hpp"
#include "training/experiment/repeats.hpp"
#include "training/runtime/observers.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

// For frames of some 100 KiB, between which other threads can send.
constexpr std::size_t kEventsAFrame = 1000;
constexpr std::size_t kFloatsAFrame = 64U << 10;

/// Runs `work` and returns how it ended.
template <class Work>
Verdict verdict_of(const Group& group, const Work& work) {
  try {
    work();
    return {};
  } catch (const Diverged& diverged) {
    return {Verdict::Kind::diverged, diverged.what()};
  } catch (const ProcessLost& lost) {
    return {Verdict::Kind::failed, lost.what()};
  } catch (const std::bad_alloc& error) {
    return {Verdict::Kind::failed, group.name_of(group.rank()) + ": " + in_plain_words(error)};
  } catch (const std::exception& error) {
    const std::string where = group.leads() ? "" : group.name_of(group.rank()) + ": ";
    return {Verdict::Kind::failed, where + in_plain_words(error)};
  }
}

/// Sends values in as many frames as needed; an empty frame is the last.
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
    if (frame.kind == FrameKind::ready) {  // the sender failed before it
      FrameReader ready = frame.reader();
      throw std::runtime_error(read_verdict(ready).text);
    }
    const std::vector<T> some = frame.reader().take_rest<T>();
    if (some.empty()) return all;
    all.insert(all.end(), some.begin(), some.end());
  }
}

}  // namespace

/// A repeat that runs on this process.
struct JointExecution::Repeat {
  Repeat(const JointExecution& execution, std::uint32_t number)
      : log(time, execution.loss_bound(), execution.traced_ && number == 0),
        plan(plan_of_execution(execution.setting_, number, &log)),
        own(execution.own_->start(plan, number)) {}

  WallTime time;
  EventLog log;
  Plan plan;
  std::unique_ptr<OwnRepeat> own;
  ClockOffset offset;                  ///< of process 0's clock at the start
  std::vector<EventLog::Events> logs;  ///< by process; on process 0
};

JointExecution::JointExecution(const Setting& setting, Group& group, bool traced,
                               const MakeOwnRoles& make)
    : setting_(setting),
      spans_(setting.spans),
      group_(group),
      traced_(traced),
      repeats_left_(setting.point->experiment.repeats) {
  setting_.spans = nullptr;  // filled by `replay`, in the common order

  agree_with_all(verdict_of(group, [&] {
    others_ = std::make_unique<RemoteRoles>(setting_.plan, *setting_.point->experiment.aggregation,
                                            group);
    own_ = make(setting_, group);
  }));
  agree_with_all(verdict_of(group, [&] {
    own_->meet(group);
    others_->open_streams();
  }));
}

JointExecution::~JointExecution() {
  if (repeats_left_ == 0) return;
  try {  // the others wait at the start of the next repeat
    group_.agree(
        {Verdict::Kind::failed, group_.name_of(group_.rank()) + " stopped before the last repeat"});
  } catch (const std::exception&) {  // process 0 has ended
  }
}

/// After a failure of one process, all throw the same error.
void JointExecution::check(const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::good) return;
  repeats_left_ = 0;
  throw std::runtime_error(verdict.text);
}

/// The same, and also where a process is absent.
void JointExecution::agree_with_all(const Verdict& mine) {
  check(group_.agree_with_all(mine).verdict);
}

/// A repeat starts with all its workers or not at all.
void JointExecution::begin(std::optional<Repeat>& repeat, std::uint32_t number) {
  agree_with_all(verdict_of(group_, [&] { repeat.emplace(*this, number); }));
  if (!repeat->own->meets()) return;
  agree_with_all(verdict_of(group_, [&] { repeat->own->meet(group_); }));
}

/// A barrier that every process reaches whatever happened in the repeat, so that all stay in step.
void JointExecution::end(const Verdict& mine) {
  const Group::Agreed agreed = group_.agree(mine);
  check(agreed.verdict);
  --repeats_left_;
  loss_ = agreed.loss;
}

Executed JointExecution::run(std::uint32_t number, Recorder& recorder) {
  std::optional<Repeat> repeat;
  begin(repeat, number);
  Executed executed;
  const auto observe = [&] {
    const Verdict verdict = run_roles(*repeat);
    if (verdict.kind == Verdict::Kind::failed) throw std::runtime_error(verdict.text);
    gather(*repeat);
    std::vector<Observer*> observers{&recorder};
    if (spans_ != nullptr && number == 0) observers.push_back(spans_);
    Observers all(observers);
    replay(repeat->logs, all);
    if (verdict.kind == Verdict::Kind::diverged) throw Diverged(verdict.text);
  };
  end(verdict_of(group_, [&] {
    const Buffers& buffers = repeat->own->buffers();
    executed.curve = own_->trainer().watch(buffers, number, recorder, executed.status, observe);
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

/// Other processes use the buffers until its destructor.
struct Lending {
  RemoteRoles& to;
  ~Lending() { to.take_buffers_back(); }
};

/// The machine receives frames until its destructor.
struct Receiving {
  RemoteRoles& of;
  ~Receiving() { of.end(); }
};

/// From the common start to the end of this process's roles.
Verdict JointExecution::run_machine(Repeat& repeat) {
  const std::uint32_t run = group_.next_run();
  std::unique_ptr<RealMachine> machine;
  const Receiving receiving{*others_};
  const Verdict verdict = verdict_of(group_, [&] {
    machine = repeat.own->machine(repeat.time, *others_);
    start_roles(*setting_.point->experiment.aggregation, repeat.plan, *machine, group_.rank());
    others_->begin(run, *machine, repeat.log, repeat.own->buffers(),
                   [&repeat] { return repeat.own->staging(); });
    repeat.offset = group_.offset_of_leader();
  });
  const Group::Agreed start = group_.agree(verdict);
  if (start.verdict.kind != Verdict::Kind::good) return start.verdict;
  Verdict ended = verdict_of(group_, [&] {
    repeat.time.begin_at(start.start_ns - repeat.offset.offset_ns);
    machine->note_clock_set();
    repeat.time.sleep(Instant{}, [] { return false; });
    repeat.own->note_running(true);
    machine->run();
    repeat.own->note_running(false);
  });
  if (ended.kind != Verdict::Kind::good) others_->stop_others(ended);
  return ended;
}

/// Until all processes have ended. Returns the worst verdict.
Verdict JointExecution::run_roles(Repeat& repeat) {
  const Lending lending{*others_};
  const Verdict ended = run_machine(repeat);
  // the machine's streams have ended; those of other processes may still copy
  others_->await_acknowledgements();
  const Instant end = repeat.time.now();
  Verdict verdict = group_.agree(ended).verdict;
  if (verdict.kind != Verdict::Kind::failed) {
    const ClockOffset now = group_.offset_of_leader();
    const std::int64_t drift = now.offset_ns - repeat.offset.offset_ns;
    // a drift below the measurements' errors is none
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
    const Buffers& buffers = repeat.own->buffers();
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
      EventLog::Events log;  // all or nothing: events refer to operations by index
      log.events = receive_all<EventLog::Event>(group_, process, FrameKind::events);
      log.operations = receive_all<EventLog::Operation>(group_, process, FrameKind::events);
      for (const EventLog::Operation& operation : log.operations) {
        if (operation.command.what.index() < Command::Kinds::kKinds) continue;
        throw ProtocolError("received an unknown kind of operation");
      }
      repeat.logs[static_cast<std::size_t>(process)] = std::move(log);
    } catch (const ProcessLost&) {  // its events are lost, too
      if (!repeat.plan.survives_loss_of(process)) throw;
    }
  }
  if (repeat.plan.replicas) return;
  for (int shard = 0; shard < repeat.plan.shards; ++shard) {
    const RoleId server = repeat.plan.server(shard);
    const int process = repeat.plan.process_of(server);
    if (process == 0) continue;
    for (const auto version : receive_all<std::int64_t>(group_, process, FrameKind::shard)) {
      repeat.own->buffers().adopt(server, version,
                                  receive_all<float>(group_, process, FrameKind::shard));
    }
  }
}

Measurement execute_jointly(const Setting& point_setting, Group& group, bool keep_steps,
                            const MakeOwnRoles& make) {
  Setting setting = point_setting;
  JointExecution execution(setting, group, setting.spans != nullptr, make);
  setting.counting.loss_bound = execution.loss_bound();
  Measurement measured = measure_repeats(
      setting, keep_steps, [&](std::uint32_t repeat, Recorder& recorder, std::string& status) {
        Executed executed = execution.run(repeat, recorder);
        status = executed.status;
        return executed.curve;
      });
  if (!execution.loss().empty()) {
    measured.status =
        "failed: " + execution.loss() + "; the other processes finished the point without it";
  }
  return measured;
}

void take_part_in(const Setting& setting, Group& group, bool traced, const MakeOwnRoles& make) {
  try {
    JointExecution execution(setting, group, traced, make);
    const int repeats = setting.point->experiment.repeats;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      execution.take_part(static_cast<std::uint32_t>(repeat));
    }
  } catch (const ProtocolError&) {
    throw;
  } catch (const std::runtime_error&) {  // process 0 reports it
  }
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): `execution` owns its roles

void decline(Group& group, const std::string& why) {
  try {
    group.agree_with_all({Verdict::Kind::failed, group.name_of(group.rank()) + ": " + why});
  } catch (const ProcessLost&) {  // process 0 has ended
  }
}

}  // namespace paceline
