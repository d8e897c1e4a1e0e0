// SPDX-License-Identifier: MIT
#include "training/learning/buffers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "training/roles/assertion.hpp"

namespace paceline {

Buffers::Buffers(const Plan& plan, UpdateRule rule, std::vector<float> initial,
                 std::int64_t keep_every)
    : plan_(plan),
      rule_(rule),
      keep_every_(keep_every),
      places_(static_cast<std::size_t>(plan.roles())) {
  const std::size_t size = initial.size();
  const bool accrues = plan.rule.exchange.push_every > 0;
  const bool trains_alone = plan.rule.local_steps > 1 || plan.rule.exchange.fetch_every > 1;
  for (RoleId worker = 0; worker < plan.workers; ++worker) {
    Place& mine = place(worker);
    mine.weights = initial;
    mine.gradients.assign(accrues ? 3 : 1, std::vector<float>(size, 0));
    mine.landings.resize(1);
    if (accrues) mine.incoming.assign(size, 0);
    if (plan.shards == 0 && plan.workers > 1) mine.landings[0].assign(size, 0);
    if (plan.replicas || trains_alone) mine.state = rule.optimizer->start(size);
  }
  for (int shard = 0; shard < plan.shards; ++shard) {
    const Slice& slice = plan.cut.shards[static_cast<std::size_t>(shard)];
    const auto count = static_cast<std::size_t>(slice.size());
    Place& mine = place(plan.server(shard));
    mine.begin = slice.begin;
    const std::size_t slots =
        static_cast<std::size_t>(plan.workers) * (plan.replicas || accrues ? 2 : 1);
    mine.landings.assign(slots, std::vector<float>(count, 0));
    if (plan.replicas) continue;
    mine.gradients.assign(1, std::vector<float>(count, 0));
    mine.current = std::make_shared<std::vector<float>>(initial.begin() + slice.begin,
                                                        initial.begin() + slice.end);
    mine.snapshots.resize(static_cast<std::size_t>(plan.workers));
    mine.state = rule.optimizer->start(count);
    keep(plan.server(shard), 0);
  }
  if (plan.replicas) keep(0, 0);
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

std::span<float> Buffers::at(const BufferRef& ref) {
  Place& owner = place(ref.role);
  const auto slot = static_cast<std::size_t>(ref.slot);
  std::vector<float>* whole = nullptr;
  switch (ref.buffer) {
    case Buffer::weights:
      whole = &owner.weights;
      break;
    case Buffer::gradient:
      whole = &owner.gradients[slot];
      break;
    case Buffer::landing:
      whole = &owner.landings[slot];
      break;
    case Buffer::incoming:
      whole = &owner.incoming;
      break;
    case Buffer::snapshot:
      break;  // read under a lock, by `copy`
  }
  PACELINE_ASSERT(whole != nullptr);
  return part_of(*whole, owner.begin, ref.slice);
}

void Buffers::perform(const Command& command) {
  switch (command.kind) {
    case Command::Kind::copy:
      return copy(command.from, command.to);
    case Command::Kind::reduce:
      return reduce(command);
    case Command::Kind::update:
      return update(command);
    case Command::Kind::assign:
      return assign(command);
    case Command::Kind::publish:
      return publish(command.to);
    default:
      return;
  }
}

void Buffers::copy(const BufferRef& from, const BufferRef& to) {
  Version held;  // a snapshot must outlive the copy
  if (from.buffer == Buffer::snapshot) {
    const std::lock_guard lock(snapshots_);
    held = place(from.role).snapshots[static_cast<std::size_t>(from.slot)];
  }
  const std::span<const float> source =
      held ? part_of(*held, place(from.role).begin, from.slice) : at(from);
  const std::span<float> target = at(to);
  if (!source.empty()) std::memcpy(target.data(), source.data(), source.size_bytes());
}

double Buffers::distance_squared(RoleId server, RoleId worker) const {
  const Place& owner = place(server);
  Version then;
  {
    const std::lock_guard lock(snapshots_);
    then = owner.snapshots[static_cast<std::size_t>(worker)];
  }
  return squared_distance(*owner.current, *then);
}

void Buffers::reduce(const Command& command) {
  const std::span<float> into = at(command.to);
  const float weight = rule_.weight(command.age, plan_.rule.gradients, [&] {
    return distance_squared(command.to.role, command.age.worker);
  });
  if (command.fresh) std::fill(into.begin(), into.end(), 0.0F);
  accumulate(into, at(command.from), weight);
}

Buffers::Version Buffers::unread_version(Place& owner) {
  // a version that no worker is still reading is free to be written
  {
    const std::lock_guard lock(snapshots_);
    const auto unread = std::find_if(owner.spare.begin(), owner.spare.end(),
                                     [](const auto& spare) { return spare.use_count() == 1; });
    if (unread != owner.spare.end()) return *unread;
  }
  owner.spare.push_back(std::make_shared<std::vector<float>>(owner.current->size()));
  return owner.spare.back();
}

void Buffers::update(const Command& command) {
  Place& owner = place(command.to.role);
  const double gradients = std::nearbyint(1 / static_cast<double>(command.scale));
  const float weight = rule_.weight(command.age, gradients, [&] {
    return distance_squared(command.to.role, command.age.worker);
  });
  const double rate = rule_.optimizer->staleness->rate(
      rule_.scheduled(command.age.rounds, gradients), static_cast<double>(command.mean_staleness));
  const std::span<const float> gradient = at(command.from);
  const float scale = command.scale * weight;
  if (!is_server(command.to.role)) {
    const std::span<float> mine = at(command.to);
    rule_.optimizer->update(mine, mine, gradient, scale, rate, owner.state);
  } else {
    const Version next = unread_version(owner);
    rule_.optimizer->update(*owner.current, *next, gradient, scale, rate, owner.state);
    owner.current = next;
  }
  if (command.version > 0) keep(command.to.role, command.version);
}

void Buffers::assign(const Command& command) {
  const std::span<const float> from = at(command.from);
  std::span<float> to;
  Version next;
  if (is_server(command.to.role)) {
    next = unread_version(place(command.to.role));
    to = *next;
  } else {
    to = at(command.to);
  }
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = command.scale * from[i];
  if (next) place(command.to.role).current = next;
  if (command.version > 0) keep(command.to.role, command.version);
}

void Buffers::publish(const BufferRef& weights) {
  if (plan_.replicas) return;
  Place& owner = place(weights.role);
  const std::lock_guard lock(snapshots_);
  owner.snapshots[static_cast<std::size_t>(weights.slot)] = owner.current;
}

void Buffers::keep(RoleId role, std::int64_t version) {
  if (keep_every_ == 0) return;
  if (version % keep_every_ != 0 && version != plan_.updates) return;
  Place& owner = place(role);
  if (is_server(role)) {
    owner.kept[version] = owner.current;
  } else if (role == 0) {
    owner.kept[version] = std::make_shared<std::vector<float>>(owner.weights);
  }
}

std::vector<std::int64_t> Buffers::kept_versions() const {
  std::vector<std::int64_t> versions;
  for (const auto& [version, weights] : place(at_servers() ? plan_.server(0) : 0).kept) {
    versions.push_back(version);
  }
  return versions;
}

/// The parts that `part_of_shard` finds of every server's place, one after another.
template <class PartOfShard>
std::vector<float> Buffers::joined_shards(const PartOfShard& part_of_shard) const {
  std::vector<float> model;
  for (int shard = 0; shard < plan_.shards; ++shard) {
    const std::vector<float>& part = part_of_shard(place(plan_.server(shard)));
    model.insert(model.end(), part.begin(), part.end());
  }
  return model;
}

std::vector<float> Buffers::kept_model(std::int64_t version) const {
  if (!at_servers()) return *place(0).kept.at(version);
  return joined_shards([version](const Place& shard) -> const std::vector<float>& {
    // a shard that updates on its own may not have come so far: what it has last
    return *std::prev(shard.kept.upper_bound(version))->second;
  });
}

std::vector<float> Buffers::model() const {
  if (!at_servers()) return place(0).weights;
  return joined_shards(
      [](const Place& shard) -> const std::vector<float>& { return *shard.current; });
}

}  // namespace paceline
