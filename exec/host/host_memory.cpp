// SPDX-License-Identifier: MIT
#include "exec/host/host_memory.hpp"

#include <algorithm>
#include <cstring>

#include "training/roles/assertion.hpp"

namespace paceline {

HostMemory::HostMemory(const Plan& plan, const Optimizer& optimizer, std::vector<float> initial)
    : plan_(plan), optimizer_(optimizer), places_(static_cast<std::size_t>(plan.roles())) {
  const std::size_t size = initial.size();
  for (RoleId worker = 0; worker < plan.workers; ++worker) {
    Place& mine = place(worker);
    mine.weights = initial;
    mine.gradient.assign(size, 0);
    mine.landings.resize(1);
    if (plan.shards == 0 && plan.workers > 1) mine.landings[0].assign(size, 0);
    if (plan.replicas) mine.state = optimizer.start(size);
  }
  for (int shard = 0; shard < plan.shards; ++shard) {
    const Slice& slice = plan.cut.shards[static_cast<std::size_t>(shard)];
    const auto count = static_cast<std::size_t>(slice.size());
    Place& mine = place(plan.server(shard));
    mine.begin = slice.begin;
    const std::size_t slots = static_cast<std::size_t>(plan.workers) * (plan.replicas ? 2 : 1);
    mine.landings.assign(slots, std::vector<float>(count, 0));
    if (plan.replicas) continue;
    mine.current = std::make_shared<std::vector<float>>(initial.begin() + slice.begin,
                                                        initial.begin() + slice.end);
    mine.snapshots.resize(static_cast<std::size_t>(plan.workers));
    mine.state = optimizer.start(count);
  }
}

namespace {

/// The slice of a buffer that begins with parameter `begin`.
std::span<float> part_of(std::vector<float>& whole, std::int64_t begin, const Slice& slice) {
  const auto first = static_cast<std::size_t>(slice.begin - begin);
  const auto count = static_cast<std::size_t>(slice.size());
  PACELINE_ASSERT(first + count <= whole.size());
  return std::span<float>(whole).subspan(first, count);
}

}  // namespace

std::span<float> HostMemory::at(const BufferRef& ref) {
  Place& owner = place(ref.role);
  const auto slot = static_cast<std::size_t>(ref.slot);
  std::vector<float>* whole = nullptr;
  switch (ref.buffer) {
    case Buffer::weights:
      whole = &owner.weights;
      break;
    case Buffer::gradient:
      whole = &owner.gradient;
      break;
    case Buffer::landing:
      whole = &owner.landings[slot];
      break;
    case Buffer::snapshot:
      break;  // read under a lock, by `copy`
  }
  PACELINE_ASSERT(whole != nullptr);
  return part_of(*whole, owner.begin, ref.slice);
}

void HostMemory::copy(const BufferRef& from, const BufferRef& to) {
  std::shared_ptr<std::vector<float>> held;  // a snapshot must outlive the copy
  if (from.buffer == Buffer::snapshot) {
    const std::lock_guard lock(snapshots_);
    held = place(from.role).snapshots[static_cast<std::size_t>(from.slot)];
  }
  const std::span<const float> source =
      held ? part_of(*held, place(from.role).begin, from.slice) : at(from);
  const std::span<float> target = at(to);
  if (!source.empty()) std::memcpy(target.data(), source.data(), source.size_bytes());
}

void HostMemory::reduce(const BufferRef& into, const BufferRef& from) {
  accumulate(at(into), at(from));
}

void HostMemory::update(const BufferRef& weights, const BufferRef& gradient, float scale) {
  Place& owner = place(weights.role);
  if (weights.role < plan_.workers) {
    const std::span<float> mine = at(weights);
    optimizer_.update(mine, mine, at(gradient), scale, optimizer_.learning_rate, owner.state);
    return;
  }
  // a version that no worker is still reading is free to be written
  std::shared_ptr<std::vector<float>> next;
  {
    const std::lock_guard lock(snapshots_);
    const auto unread = std::find_if(owner.spare.begin(), owner.spare.end(),
                                     [](const auto& spare) { return spare.use_count() == 1; });
    if (unread != owner.spare.end()) next = *unread;
  }
  if (next == nullptr) {
    next = std::make_shared<std::vector<float>>(owner.current->size());
    owner.spare.push_back(next);
  }
  optimizer_.update(*owner.current, *next, at(gradient), scale, optimizer_.learning_rate,
                    owner.state);
  owner.current = next;
}

void HostMemory::publish(const BufferRef& weights) {
  if (plan_.replicas) return;
  Place& owner = place(weights.role);
  const std::lock_guard lock(snapshots_);
  owner.snapshots[static_cast<std::size_t>(weights.slot)] = owner.current;
}

std::vector<float> HostMemory::model() const {
  if (plan_.shards == 0 || plan_.replicas) return place(0).weights;
  std::vector<float> model;
  for (int shard = 0; shard < plan_.shards; ++shard) {
    const auto& part = *place(plan_.server(shard)).current;
    model.insert(model.end(), part.begin(), part.end());
  }
  return model;
}

}  // namespace paceline
