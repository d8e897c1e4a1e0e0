// SPDX-License-Identifier: MIT
#include "exec/cuda/network/pipeline_items.hpp"

#include "exec/cuda/runtime/check.hpp"
#include "training/strategies/worker_input.hpp"

namespace paceline::cuda {
namespace {

std::size_t loaders_of(const Plan& plan) {
  return static_cast<std::size_t>(plan.roles() - plan.programs());
}

}  // namespace

/// The slots of one worker. A worker's mini-batches take them in turn.
class PipelineItems::Slots final : public BatchSource {
 public:
  Slots(const PipelineItems& items, RoleId worker) : items_(items), worker_(worker) {}

  Batch begin(std::int64_t step) override {
    const std::int64_t slot = step % items_.slots();
    const BufferRef inputs{worker_, Buffer::batch, static_cast<std::int32_t>(slot)};
    return {items_.buffers_.open(inputs, {0, items_.plan_.batch_inputs}).data(),
            items_.targets_in_slot(worker_, slot)};
  }
  void end() override {}
  void reseed(std::uint64_t) override {}

 private:
  const PipelineItems& items_;
  RoleId worker_;
};

PipelineItems::PipelineItems(const Plan& plan, const BatchSetting& batches, bool trains,
                             Buffers& buffers, const std::vector<int>& devices)
    : plan_(plan),
      batches_(batches),
      trains_(trains),
      buffers_(buffers),
      kept_(plan.input ? WorkerInput::kept_by_loader(plan) : 0),
      turns_(loaders_of(plan)),
      drawn_(static_cast<std::size_t>(plan.workers)),
      filled_(loaders_of(plan), std::vector<char>(static_cast<std::size_t>(2 * kept_))),
      drawn_targets_(loaders_of(plan) * static_cast<std::size_t>(kept_ * plan.batch) *
                     sizeof(float)) {
  for (RoleId worker = 0; worker < plan.workers; ++worker) {
    check(cudaSetDevice(devices[static_cast<std::size_t>(worker)]), "choosing a device");
    targets_.emplace_back(static_cast<std::size_t>(slots() * plan.batch) * sizeof(float));
  }
}

float* PipelineItems::drawn_targets(const BufferRef& batch) const {
  const std::int64_t loader = batch.role - plan_.programs();
  return drawn_targets_.as<float>() +
         (loader * kept_ + batch.slot % kept_) * std::int64_t{plan_.batch};
}

float* PipelineItems::targets_in_slot(RoleId worker, std::int64_t slot) const {
  return targets_[static_cast<std::size_t>(worker)].as<float>() + slot * plan_.batch;
}

void PipelineItems::draw(RoleId loader, const Command::Prepare& prepare) {
  const Loading& input = plan_.input;
  const auto number = static_cast<std::size_t>(loader - plan_.programs());
  const std::int64_t turn = turns_[number]++;
  std::int64_t batch = turn;
  const RoleId worker = plan_.role_of_loader(loader);
  if (input.shared) {
    std::int64_t next = batch;
    if (!drawn_[static_cast<std::size_t>(worker)].compare_exchange_strong(next, batch + 1)) return;
  } else {
    batch = turn * input.loaders + static_cast<std::int64_t>(number) % input.loaders;
  }
  const BufferRef& into = prepare.into;
  const auto owner = static_cast<std::size_t>(into.role - plan_.programs());
  char& filled = filled_[owner][static_cast<std::size_t>(into.slot)];
  if (filled != 0 && !trains_) return;
  filled = 1;
  BatchSetting mine = batches_;
  mine.worker = worker;
  mine.draw(batch, buffers_.open(into, {0, plan_.batch_inputs}).data(), drawn_targets(into));
}

void PipelineItems::copy_targets(const Command::Copy& copy, cudaStream_t stream) const {
  const auto bytes = static_cast<std::size_t>(plan_.batch) * sizeof(float);
  check(cudaMemcpyAsync(targets_in_slot(copy.to.role, copy.to.slot), drawn_targets(copy.from),
                        bytes, cudaMemcpyDefault, stream),
        "copying targets");
}

std::unique_ptr<BatchSource> PipelineItems::source(RoleId worker) const {
  return std::make_unique<Slots>(*this, worker);
}

}  // namespace paceline::cuda
