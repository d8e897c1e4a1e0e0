// SPDX-License-Identifier: MIT
#include "training/results/trace/span_recorder.hpp"

#include <algorithm>

namespace paceline {

void SpanRecorder::follow(const Recorder& metrics) {
  metrics_ = &metrics;
  const Counting& counting = metrics.counting();
  trace_ = {};
  trace_.workers = counting.workers;
  last_version_ = 0;
  last_update_ = {};
  opened_ = open();
  dead_since_.assign(static_cast<std::size_t>(counting.workers), Instant{-1});
  replica_waits_.reset();
  if (counting.equals_wait()) {
    replica_waits_.emplace(counting.workers, counting.steps_per_gradient);
  }
}

void SpanRecorder::finish() {
  trace_.begin = metrics_->window_begin().value_or(last_update_);
  if (!trace_.cut) trace_.end = metrics_->window_end().value_or(last_update_);
  for (std::size_t worker = 0; worker < dead_since_.size(); ++worker) {
    const Instant since = dead_since_[worker];
    if (since.ps >= 0 && since < trace_.end) {  // it did not restart
      wait({static_cast<RoleId>(worker), -1}, since, trace_.end);
    }
  }
  const auto outside = [this](Instant begin, Instant end) {
    return begin > trace_.end || end < trace_.begin || (begin == trace_.end && end > begin);
  };
  std::erase_if(trace_.spans, [&](const Span& one) { return outside(one.begin, one.end); });
  std::erase_if(trace_.moments, [&](const Moment& one) { return outside(one.at, one.at); });
  metrics_ = nullptr;
}

/// Keeps a span within the bound. Spans that began before the last update that counts are always
/// kept.
void SpanRecorder::keep(const Span& span) {
  if (!open() && !metrics_->border_is_next()) return;
  if (trace_.cut && span.begin >= trace_.end) return;
  if (open() && !trace_.cut && trace_.spans.size() >= most_) {
    trace_.cut = true;
    trace_.end = std::max(last_update_, *metrics_->window_begin());
    if (span.begin >= trace_.end) return;
  }
  trace_.spans.push_back(span);
}

void SpanRecorder::wait(WorkId work, Instant begin, Instant end, SpanKind kind) {
  Span span;
  span.kind = kind;
  span.stream = {work.worker, StreamKind::compute};
  span.work = work;
  span.begin = begin;
  span.end = end;
  keep(span);
}

void SpanRecorder::span(WorkId work, Activity activity, Instant begin, Instant end) {
  if (activity == Activity::wait) {
    Instant& dead = dead_since_[static_cast<std::size_t>(work.worker)];
    if (begin == dead) dead = Instant{-1};
    wait(work, begin, end);
  } else if (activity == Activity::input && begin < end) {
    wait(work, begin, end, SpanKind::input);
  } else if (activity == Activity::checkpoint && begin < end) {
    wait(work, begin, end, SpanKind::checkpoint);
  }  // `operation` reports the other activities too
}

void SpanRecorder::gradient_computed(WorkId work, Instant at, double) {
  if (!replica_waits_) return;
  replica_waits_->ready(work, at, 1, [this](WorkId early, int, Instant begin, Instant end) {
    wait(early, begin, end);
  });
}

void SpanRecorder::accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                            std::int64_t applied) {
  if (open() && !trace_.cut) trace_.taken.push_back({worker, step, computed, applied + 1});
}

void SpanRecorder::cancelled(RoleId worker, std::int64_t step, std::int64_t, Instant at) {
  if (open() && !trace_.cut) trace_.moments.push_back({Moment::Kind::cancelled, worker, step, at});
}

void SpanRecorder::updated(RoleId, std::int64_t, Instant at) {
  if (metrics_ == nullptr || metrics_->last_version() == last_version_) return;
  last_version_ = metrics_->last_version();
  last_update_ = at;
  if (!opened_) {  // of the spans reported before the window began, those that end in it are kept
    std::erase_if(trace_.spans, [&](const Span& one) { return !open() || one.end <= at; });
    opened_ = open();
  }
  if (open() && !trace_.cut) {
    trace_.moments.push_back({Moment::Kind::version, -1, last_version_, at});
  }
}

void SpanRecorder::died(RoleId worker, Instant at) {
  dead_since_[static_cast<std::size_t>(worker)] = at;
  if (open() && !trace_.cut) trace_.moments.push_back({Moment::Kind::died, worker, 0, at});
}

void SpanRecorder::operation(Stream stream, const Command& command, Instant begin, Instant end) {
  Span span;
  span.stream = stream;
  span.work = command.work;
  span.begin = begin;
  span.end = end;
  if (const auto* compute = command.as<Command::Compute>()) {
    span.kind = SpanKind::compute;
    span.layers = compute->layers;
  } else if (delays_arithmetic(stream, command)) {
    span.kind = SpanKind::delay;
  } else if (const auto* copy = command.as<Command::Copy>()) {
    span.kind = SpanKind::copy;
    span.from = copy->from.role;
    span.to = copy->to.role;
    span.bytes = copy->slice.bytes;
  } else if (const auto* sum = command.as<Command::Reduce>()) {
    span.kind = SpanKind::sum;
    span.from = sum->of_one_worker() ? sum->into.role : sum->age.worker;
    span.bytes = sum->slice.bytes;
  } else if (const auto* decoding = command.as<Command::Decode>()) {
    span.kind = SpanKind::sum;
    span.from = decoding->age.worker;
    span.bytes = decoding->slice.bytes;
  } else if (const auto* encoding = command.as<Command::Encode>()) {
    span.kind = SpanKind::encoding;
    span.bytes = encoding->slice.bytes;
  } else if (const auto* update = command.as<Command::Update>()) {
    span.kind = SpanKind::update;
    span.bytes = update->slice.bytes;
    span.version = update->moment.version;
  } else if (const auto* assign = command.as<Command::Assign>()) {
    span.kind = assign->weights.buffer == Buffer::batch ? SpanKind::prepare : SpanKind::update;
    span.bytes = assign->slice.bytes;
    span.version = assign->version;
  } else if (const auto* collective = command.as<Command::Collective>()) {
    span.kind = SpanKind::collective;
    span.bytes = collective->slice.bytes;
  } else if (const auto* request = command.as<Command::StorageRequest>()) {
    span.kind = request->writes ? SpanKind::write : SpanKind::read;
  } else if (command.is<Command::Prepare>()) {
    span.kind = SpanKind::prepare;
  } else {
    return;  // a publication, a mark or a timer does no work
  }
  keep(span);
}

void SpanRecorder::part(WorkId work, LayerRange layers, Instant begin, Instant end) {
  if (end <= begin) return;
  Span span;
  span.kind = SpanKind::part;
  span.stream = {work.worker, StreamKind::compute};
  span.work = work;
  span.layers = layers;
  span.begin = begin;
  span.end = end;
  keep(span);
}

}  // namespace paceline
