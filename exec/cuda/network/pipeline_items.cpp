// SPDX-License-Identifier: MIT
#include "exec/cuda/network/pipeline_items.hpp"

#include <algorithm>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

std::size_t loaders_of(const Plan& plan) {
  return static_cast<std::size_t>(plan.loader_sets() * plan.input.loaders);
}

float* targets_in_slot(const DeviceMemory& targets, std::int64_t slot, int batch) {
  return targets.as<float>() + slot * batch;
}

}  // namespace

/// The slots of one worker. A worker's batches take them in turn.
class PipelineItems::Slots final : public BatchSource {
 public:
  Slots(const PipelineItems& items, const Kind& kind, const BufferRef& first)
      : items_(items), kind_(kind), first_(first) {}

  Batch begin(std::int64_t step) override {
    BufferRef inputs = first_;
    inputs.slot = static_cast<std::int32_t>(step % items_.slots());
    const DeviceMemory& targets = kind_.targets[static_cast<std::size_t>(first_.role)];
    return {items_.buffers_.open(inputs, {0, kind_.batches.input_floats()}).data(),
            targets_in_slot(targets, inputs.slot, kind_.batches.batch)};
  }
  void end() override {}
  void reseed(std::uint64_t) override {}

 private:
  const PipelineItems& items_;
  const Kind& kind_;
  BufferRef first_;
};

PipelineItems::Kind::Kind(const Plan& plan, const LoadedBatches::Kind& kind,
                          const BatchSetting& drawn_ones)
    : batches(drawn_ones),
      kept(kind.slots_of_loader(plan.input) + (plan.input.pins ? kind.ahead() : 0)),
      turns(loaders_of(plan)),
      drawn(static_cast<std::size_t>(plan.workers)),
      filled(loaders_of(plan), std::vector<char>(static_cast<std::size_t>(kept))),
      drawn_targets(loaders_of(plan) * static_cast<std::size_t>(kept * batches.batch) *
                    sizeof(float)) {}

PipelineItems::PipelineItems(const Plan& plan, const BatchSetting& batches, bool trains,
                             Buffers& buffers, const std::vector<int>& devices)
    : plan_(plan), trains_(trains), buffers_(buffers) {
  for (const LoadedBatches::Kind& one : WorkerInput::kinds_of(plan)) {
    BatchSetting drawn = batches;
    drawn.batch = static_cast<int>(one.items);
    drawn.validates = one.buffer == Buffer::validation_batch;
    Kind& kind = kinds_.try_emplace(one.buffer, plan, one, drawn).first->second;
    for (RoleId worker = 0; worker < plan.workers; ++worker) {
      check(cudaSetDevice(devices[static_cast<std::size_t>(worker)]), "choosing a device");
      kind.targets.emplace_back(static_cast<std::size_t>(slots() * drawn.batch) * sizeof(float));
    }
  }
}

/// Null: the buffer has no items.
const PipelineItems::Kind* PipelineItems::find(Buffer buffer) const {
  const auto kind = kinds_.find(buffer);
  return kind == kinds_.end() ? nullptr : &kind->second;
}

float* PipelineItems::drawn_targets(const Kind& kind, const BufferRef& batch) const {
  const std::int64_t loader = batch.role - plan_.programs();
  return kind.drawn_targets.as<float>() +
         (loader * kind.kept + batch.slot) * std::int64_t{kind.batches.batch};
}

void PipelineItems::draw(RoleId loader, const Command::Prepare& prepare) {
  const BufferRef& into = prepare.into;
  Kind& kind = kinds_.at(into.buffer);
  const Loading& input = plan_.input;
  const auto number = static_cast<std::size_t>(loader - plan_.programs());
  const std::int64_t turn = kind.turns[number]++;
  std::int64_t batch = turn;
  const RoleId worker = plan_.role_of_loader(loader);
  if (input.shared) {
    std::int64_t next = batch;
    std::atomic<std::int64_t>& drawn = kind.drawn[static_cast<std::size_t>(worker)];
    if (!drawn.compare_exchange_strong(next, batch + 1)) return;
  } else {
    batch = turn * input.loaders + static_cast<std::int64_t>(number) % input.loaders;
  }
  const auto owner = static_cast<std::size_t>(into.role - plan_.programs());
  char& filled = kind.filled[owner][static_cast<std::size_t>(into.slot)];
  if (filled != 0 && !trains_) return;
  filled = 1;
  BatchSetting mine = kind.batches;
  mine.worker = worker;
  mine.draw(batch, buffers_.open(into, {0, mine.input_floats()}).data(), drawn_targets(kind, into));
}

void PipelineItems::move_targets(const Command::Assign& assign) {
  const Kind* kind = find(assign.weights.buffer);
  if (kind == nullptr) return;
  std::copy_n(drawn_targets(*kind, assign.from), kind->batches.batch,
              drawn_targets(*kind, assign.weights));
}

void PipelineItems::copy_targets(const Command::Copy& copy, cudaStream_t stream) const {
  const Kind* kind = find(copy.to.buffer);
  if (kind == nullptr) return;
  const DeviceMemory& targets = kind->targets[static_cast<std::size_t>(copy.to.role)];
  const auto bytes = static_cast<std::size_t>(kind->batches.batch) * sizeof(float);
  check(cudaMemcpyAsync(targets_in_slot(targets, copy.to.slot, kind->batches.batch),
                        drawn_targets(*kind, copy.from), bytes, cudaMemcpyDefault, stream),
        "copying targets");
}

std::unique_ptr<BatchSource> PipelineItems::source(RoleId worker, Buffer buffer) const {
  return std::make_unique<Slots>(*this, kinds_.at(buffer), BufferRef{worker, buffer});
}

}  // namespace paceline::cuda
