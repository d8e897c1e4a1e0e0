// SPDX-License-Identifier: MIT
#include "training/strategies/worker_input.hpp"

#include <algorithm>

namespace paceline {
namespace {

constexpr double kBytesPerElement = 4;

/// Mini-batches that a loader keeps at a time: its share of those that are prefetched.
std::int32_t kept_by_loader(const Loading& input) {
  return static_cast<std::int32_t>((std::max(1, input.prefetch) + input.loaders - 1) /
                                   input.loaders);
}

}  // namespace

RoleBuffers::Slots WorkerInput::slots_of_worker(const Plan& plan) {
  return {Buffer::batch, plan.input.staging + 1, plan.batch_inputs};
}

RoleBuffers::Slots WorkerInput::slots_of_loader(const Plan& plan) {
  const std::int32_t kept = kept_by_loader(plan.input);
  return {Buffer::batch, plan.input.gathers ? 2 * kept : kept, plan.batch_inputs};
}

/// One of `of` parts of a batch: whole items, as equal as they can be.
Slice WorkerInput::share(int number, int of) const {
  const std::int64_t item = plan_.batch_inputs / plan_.batch;
  const std::int64_t begin = std::int64_t{plan_.batch} * number / of * item;
  const std::int64_t end = std::int64_t{plan_.batch} * (number + 1) / of * item;
  return {begin, end, kBytesPerElement * static_cast<double>(end - begin)};
}

BufferRef WorkerInput::prepared_in(std::int64_t batch) const {
  const std::int64_t turn = batch / plan_.input.loaders;
  return {first_loader(batch), Buffer::batch,
          static_cast<std::int32_t>(turn % kept_by_loader(plan_.input))};
}

void WorkerInput::queue_wait(WorkId work, Token ready) {
  if (!plan_.input) return;
  const Stream compute{me_, StreamKind::compute};
  const Token wanted = backend_.mark(compute, Command::Mark::About::wants_input, work, ready);
  if (plan_.input.prefetch == 0) {
    load(wanted);
    copied_.push_back(bring(wanted));
  } else {
    while (loaded_ < plan_.input.prefetch) load({});
    while (copied_.size() <= static_cast<std::size_t>(plan_.input.staging)) {
      copied_.push_back(bring(wanted));
      load(copied_.back());
    }
  }
  backend_.mark(compute, Command::Mark::About::has_input, work, copied_.front());
  copied_.pop_front();
}

/// Queues the next batch for the loaders, which begin with it after `begin`.
void WorkerInput::load(Token begin) {
  const Loading& input = plan_.input;
  const std::int64_t batch = loaded_++;
  const BufferRef into = prepared_in(batch);
  BufferRef items_in = into;
  if (input.gathers) items_in.slot += kept_by_loader(input);
  Token ready;
  if (!input.shared) {
    ready = load_share(into.role, items_in, items(), begin);
  } else {
    for (int i = 0; i < input.loaders; ++i) {
      const Slice slice = share(i, input.loaders);
      const Token part = load_share(plan_.loader(me_, i), items_in, slice, begin);
      ready = backend_.mark({into.role, StreamKind::fetch}, After{ready, part});
    }
  }
  if (input.gathers) {
    const Stream stream{into.role, input.shared ? StreamKind::fetch : StreamKind::compute};
    ready = backend_.assign(stream, {into, items_in, items()}, ready);
  }
  prepared_.push_back(ready);
}

Token WorkerInput::load_share(RoleId loader, const BufferRef& into, const Slice& slice,
                              Token begin) {
  const Stream stream{loader, StreamKind::compute};
  const Loading& input = plan_.input;
  const double items =
      plan_.batch * static_cast<double>(slice.size()) / static_cast<double>(plan_.batch_inputs);
  if (input.read > Seconds{}) {
    begin = backend_.submit(stream, {{}, Command::Read{to_ps(input.read * items)}}, begin);
  }
  const Command::Prepare prepare{into, slice, to_ps(input.prepare * items)};
  return backend_.submit(stream, {{}, prepare}, begin);
}

/// Queues the copy of the next batch to the worker, all of which one stream makes.
Token WorkerInput::bring(Token wanted) {
  const std::int64_t batch = brought_++;
  const auto slot = static_cast<std::int32_t>(batch % (plan_.input.staging + 1));
  const Command::Copy copy{prepared_in(batch), {me_, Buffer::batch, slot}, items()};
  const Token prepared = prepared_.front();
  prepared_.pop_front();
  return backend_.copy({plan_.loader(me_, 0), StreamKind::push}, copy, {}, {prepared, wanted});
}

}  // namespace paceline
