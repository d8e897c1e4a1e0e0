// SPDX-License-Identifier: MIT
#include "training/strategies/worker_input.hpp"

#include <algorithm>

namespace paceline {
namespace {

constexpr double kBytesPerElement = 4;

/// Of a worker's mini-batches, or of those of all workers together.
LoadedBatches::Kind training_batches(const Plan& plan) {
  const std::int64_t several = plan.scatters ? plan.workers : 1;
  return {Buffer::batch, several * plan.batch, several * plan.batch_inputs, plan.input.prefetch,
          plan.from_loaders() ? 1 : 0};
}

LoadedBatches::Kind validation_batches(const Plan& plan) {
  const ValidationPasses& passes = plan.validation;
  return {Buffer::validation_batch, passes.batch, passes.inputs, passes.prefetch};
}

}  // namespace

std::int32_t LoadedBatches::Kind::kept(const Loading& input) const {
  return (room() + input.loaders - 1) / input.loaders;
}

std::int32_t LoadedBatches::Kind::slots_of_loader(const Loading& input) const {
  return input.gathers ? 2 * kept(input) : kept(input);
}

/// One of `of` parts of a batch: whole items, as equal as they can be.
Slice LoadedBatches::share(int number, int of) const {
  const std::int64_t item = kind_.inputs / kind_.items;
  const std::int64_t begin = kind_.items * number / of * item;
  const std::int64_t end = kind_.items * (number + 1) / of * item;
  return {begin, end, kBytesPerElement * static_cast<double>(end - begin)};
}

BufferRef LoadedBatches::prepared_in(std::int64_t batch) const {
  const std::int64_t turn = batch / plan_.input.loaders;
  return {first_loader(batch), kind_.buffer,
          static_cast<std::int32_t>(turn % kind_.kept(plan_.input))};
}

/// A pinned batch is one of those of the first loader, after what that keeps itself.
BufferRef LoadedBatches::pinned_in(std::int64_t batch) const {
  const auto turn = static_cast<std::int32_t>(batch % kind_.room());
  return {plan_.loader(me_, 0), kind_.buffer, kind_.slots_of_loader(plan_.input) + turn};
}

Token LoadedBatches::next(Token wanted) {
  if (kind_.prefetch == 0) {
    load(wanted);
    return bring(wanted);
  }
  while (loaded_ < kind_.prefetch) load({});
  while (copied_.size() <= static_cast<std::size_t>(plan_.input.staging)) {
    copied_.push(bring(wanted));
    load(copied_.back());
  }
  return copied_.pop();
}

/// Queues the next batch for the loaders, which begin with it after `begin`.
void LoadedBatches::load(Token begin) {
  const Loading& input = plan_.input;
  const std::int64_t batch = loaded_++;
  const BufferRef into = prepared_in(batch);
  BufferRef items_in = into;
  if (input.gathers) items_in.slot += kind_.kept(input);
  Token ready;
  if (!input.shared) {
    ready = load_share(into.role, items_in, all(), begin);
  } else {
    for (int i = 0; i < input.loaders; ++i) {
      const Slice slice = share(i, input.loaders);
      const Token part = load_share(plan_.loader(me_, i), items_in, slice, begin);
      ready = backend_.mark({into.role, StreamKind::fetch}, After{ready, part});
    }
  }
  if (input.gathers) {
    const Stream stream{into.role, input.shared ? StreamKind::fetch : StreamKind::compute};
    ready = backend_.assign(stream, {into, items_in, all()}, ready);
  }
  if (input.pins) {
    const BufferRef pinned = pinned_in(batch);
    ready = backend_.assign({pinned.role, StreamKind::input}, {pinned, into, all()}, ready);
  }
  prepared_.push(ready);
}

Token LoadedBatches::load_share(RoleId loader, const BufferRef& into, const Slice& slice,
                                Token begin) {
  const Stream stream{loader, StreamKind::compute};
  const Loading& input = plan_.input;
  const double items = static_cast<double>(kind_.items) * static_cast<double>(slice.size()) /
                       static_cast<double>(kind_.inputs);
  if (input.read > Seconds{} || input.latency > Seconds{}) {
    const Command::StorageRequest request{to_ps(input.read * items), false,
                                          to_ps(input.latency * items)};
    begin = backend_.submit(stream, {{}, request}, begin);
  }
  const Command::Prepare prepare{into, slice, to_ps(input.prepare * items)};
  return backend_.submit(stream, {{}, prepare}, begin);
}

/// Queues the copy of the next batch to the role, all of which one stream makes.
Token LoadedBatches::bring(Token wanted) {
  const std::int64_t batch = brought_++;
  const auto slot = static_cast<std::int32_t>(batch % (plan_.input.staging + 1));
  const Command::Copy copy{ready_in(batch), {me_, kind_.buffer, slot}, all()};
  const Token prepared = prepared_.pop();
  if (plan_.from_loaders()) {  // workers copy it themselves
    return backend_.mark({plan_.loader(me_, 0), StreamKind::push}, {prepared, wanted});
  }
  return backend_.copy({plan_.loader(me_, 0), StreamKind::push}, copy, {}, {prepared, wanted});
}

BufferRef WorkerInput::scattered_from(const Plan& plan, Backend& backend, std::int64_t step) {
  if (plan.from_loaders()) {
    const LoadedBatches loaded(plan, backend, plan.server(0), training_batches(plan));
    return loaded.ready_in(step);
  }
  return {plan.server(0), Buffer::batch,
          static_cast<std::int32_t>(step % (plan.input.staging + 1))};
}

WorkerInput::WorkerInput(const Plan& plan, Backend& backend, RoleId me)
    : plan_(plan), backend_(backend), me_(me) {
  if (!plan.takes_batches(me)) return;
  sequences_ = std::make_unique<Sequences>(
      Sequences{LoadedBatches(plan, backend, me, training_batches(plan)),
                LoadedBatches(plan, backend, me, validation_batches(plan))});
}

Token WorkerInput::queue_wait(LoadedBatches& batches, WorkId work, Token ready) {
  using About = Command::Mark::About;
  const Stream compute{me_, StreamKind::compute};
  const Token wanted = backend_.mark(compute, About::wants_input, work, ready);
  const Token there = plan_.input ? batches.next(wanted) : batches.next_slice(wanted);
  // a mini-batch that is cancelled meanwhile ends no sooner than what it was doing before
  return backend_.mark(compute, About::has_input, work, {there, wanted});
}

/// Queues the copy of the next items of the data set, which follows the role's other work.
Token LoadedBatches::next_slice(Token wanted) {
  const std::int64_t batches = plan_.input.resident / kind_.items;  // of a pass over the data set
  const std::int64_t begin = brought_++ % batches * kind_.inputs;
  Command::Copy copy{{me_, Buffer::dataset}, {me_, kind_.buffer}, all().moved(begin)};
  copy.shift = -begin;
  return backend_.copy({me_, StreamKind::compute}, copy, {}, wanted);
}

std::vector<LoadedBatches::Kind> WorkerInput::kinds_of(const Plan& plan) {
  std::vector<LoadedBatches::Kind> kinds{training_batches(plan)};
  if (plan.validation) kinds.push_back(validation_batches(plan));
  return kinds;
}

std::vector<RoleBuffers::Slots> WorkerInput::slots_of(const Plan& plan, RoleId role) {
  std::vector<RoleBuffers::Slots> slots;
  const bool loads = plan.is_loader(role);
  if (!loads && !plan.takes_batches(role)) return slots;
  for (const LoadedBatches::Kind& kind : kinds_of(plan)) {
    if (!loads && plan.from_loaders()) continue;  // it stays with the loaders
    std::int32_t count = plan.input.staging + 1;
    if (loads) {
      const bool first = (role - plan.programs()) % plan.input.loaders == 0;
      count = kind.slots_of_loader(plan.input) + (plan.input.pins && first ? kind.room() : 0);
    }
    slots.push_back({kind.buffer, count, kind.inputs});
  }
  const std::int64_t resident = plan.input.resident * (plan.batch_inputs / plan.batch);
  if (resident > 0) slots.push_back({Buffer::dataset, 1, resident});
  return slots;
}

}  // namespace paceline
