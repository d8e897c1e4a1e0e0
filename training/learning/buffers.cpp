// SPDX-License-Identifier: MIT
#include "training/learning/buffers.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "training/roles/assertion.hpp"

namespace paceline {
namespace {

// Versions allocated ahead, where that is asked for, besides the workers' snapshots: the current
// one, the next, and two that slow fetches may hold though their snapshots were replaced.
constexpr std::size_t kVersionsBesides = 4;
// As many evaluated versions; a run that keeps more allocates as it goes.
constexpr std::int64_t kMostKeptAhead = 64;

/// The slice of an array that begins with parameter `begin`.
std::span<float> part_of(const Array& whole, std::int64_t begin, const Slice& slice) {
  const auto first = static_cast<std::size_t>(slice.begin - begin);
  const auto count = static_cast<std::size_t>(slice.size());
  PACELINE_ASSERT(first + count <= whole.floats().size());
  return whole.floats().subspan(first, count);
}

std::span<float> floats_of(const SharedArray& array) {
  return array != nullptr ? array->floats() : std::span<float>();
}

}  // namespace

Buffers::Buffers(const Plan& plan, UpdateRule rule, const std::vector<float>& initial,
                 std::int64_t keep_every, ArrayStore& store, std::optional<int> process)
    : plan_(plan),
      rule_(rule),
      keep_every_(keep_every),
      store_(store),
      places_(static_cast<std::size_t>(plan.roles())) {
  for (RoleId role = 0; role < plan.roles(); ++role) {
    if (process && plan.process_of(role) != *process) continue;
    is_server(role) ? make_shard(role - plan.workers, initial) : make_worker(role, initial);
  }
  if (store.allocates_ahead()) allocate_versions();
}

std::vector<SharedArray> Buffers::allocate(RoleId role, std::size_t count) {
  std::vector<SharedArray> arrays(count);
  for (SharedArray& array : arrays) array = store_.allocate(role, place(role).size);
  return arrays;
}

void Buffers::make_worker(RoleId worker, const std::vector<float>& initial) {
  const bool accrues = plan_.rule.exchange.push_every > 0;
  const bool trains_alone = plan_.rule.local_steps > 1 || plan_.rule.exchange.fetch_every > 1;
  Place& mine = place(worker);
  mine.size = initial.size();
  mine.weights = store_.allocate(worker, mine.size);
  store_.write(initial, *mine.weights);
  mine.gradients = allocate(worker, accrues ? 3 : 1);
  if (accrues) mine.incoming = store_.allocate(worker, mine.size);
  if (plan_.lands) mine.landings = allocate(worker, 1);
  if (plan_.replicas || trains_alone) start_optimizer(worker);
  if (!plan_.replicas || !keeps(worker, 0)) return;
  mine.kept[0] = store_.allocate(worker, mine.size);
  store_.write(initial, *mine.kept[0]);
}

void Buffers::make_shard(int shard, const std::vector<float>& initial) {
  const RoleId server = plan_.server(shard);
  const Slice& slice = plan_.cut.shards[static_cast<std::size_t>(shard)];
  Place& mine = place(server);
  mine.begin = slice.begin;
  mine.size = static_cast<std::size_t>(slice.size());
  const bool two_at_a_time = plan_.replicas || plan_.rule.exchange.push_every > 0;
  const auto workers = static_cast<std::size_t>(plan_.workers);
  mine.landings = allocate(server, workers * (two_at_a_time ? 2 : 1));
  if (plan_.replicas) return;
  mine.gradients = allocate(server, 1);
  mine.spare = allocate(server, 1);
  mine.current = mine.spare.front();
  store_.write(std::span(initial).subspan(static_cast<std::size_t>(slice.begin), mine.size),
               *mine.current);
  mine.snapshots.resize(workers);
  start_optimizer(server);
  if (keeps(server, 0)) mine.kept[0] = mine.current;
}

void Buffers::start_optimizer(RoleId role) {
  Place& owner = place(role);
  const Memory memory = rule_.optimizer->memory();
  if (memory.mean) owner.mean = store_.allocate(role, owner.size);
  if (memory.squares) owner.squares = store_.allocate(role, owner.size);
}

void Buffers::allocate_versions() {
  const std::int64_t kept =
      keep_every_ > 0 ? std::min(plan_.updates / keep_every_ + 1, kMostKeptAhead) : 0;
  const auto ahead = [&](RoleId role, std::size_t versions) {
    versions += static_cast<std::size_t>(kept);
    for (SharedArray& version : allocate(role, versions)) {
      place(role).spare.push_back(std::move(version));
    }
  };
  if (!at_servers()) return ahead(0, 0);
  for (int shard = 0; shard < plan_.shards; ++shard) {
    ahead(plan_.server(shard), static_cast<std::size_t>(plan_.workers) + kVersionsBesides - 1);
  }
}

std::span<float> Buffers::at(const BufferRef& ref) {
  const Place& owner = place(ref.role);
  const auto slot = static_cast<std::size_t>(ref.slot);
  const SharedArray* whole = nullptr;
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
  PACELINE_ASSERT(whole != nullptr && *whole != nullptr);
  return part_of(**whole, owner.begin, ref.slice);
}

/// What another process asks for may be anything.
void Buffers::check_that_here(const BufferRef& part) const {
  const auto fail = [] { throw std::out_of_range("this process has no such part of a buffer"); };
  if (part.role < 0 || part.role >= plan_.roles() || part.slot < 0) fail();
  const Place& owner = place(part.role);
  const auto slot = static_cast<std::size_t>(part.slot);
  const std::vector<SharedArray>* slots = nullptr;
  switch (part.buffer) {
    case Buffer::weights:
      if (owner.weights == nullptr) fail();
      break;
    case Buffer::incoming:
      if (owner.incoming == nullptr) fail();
      break;
    case Buffer::gradient:
      slots = &owner.gradients;
      break;
    case Buffer::landing:
      slots = &owner.landings;
      break;
    case Buffer::snapshot:
      slots = &owner.snapshots;
      break;
    default:
      fail();
  }
  if (slots != nullptr && slot >= slots->size()) fail();
  const auto end = owner.begin + static_cast<std::int64_t>(owner.size);
  if (part.slice.begin < owner.begin || part.slice.end < part.slice.begin || part.slice.end > end) {
    fail();
  }
}

Buffers::Lent Buffers::lend(const BufferRef& from) {
  check_that_here(from);
  if (from.buffer != Buffer::snapshot) return {{}, at(from)};
  Held held = snapshot(from.role, from.slot);
  if (held == nullptr) throw std::out_of_range("no snapshot was published for this worker");
  const std::span<const float> floats = part_of(*held, place(from.role).begin, from.slice);
  return {std::move(held), floats};
}

std::span<float> Buffers::open(const BufferRef& to) {
  check_that_here(to);
  if (to.buffer == Buffer::snapshot) throw std::out_of_range("a snapshot is not written");
  return at(to);
}

Held Buffers::perform(const Command& command, ArrayWork& work) {
  switch (command.kind) {
    case Command::Kind::copy:
      return copy(command, work);
    case Command::Kind::reduce:
      return reduce(command, work);
    case Command::Kind::update:
      return update(command, work);
    case Command::Kind::assign:
      assign(command, work);
      return {};
    case Command::Kind::publish:
      publish(command.to, current(command.to.role));
      return {};
    default:
      return {};
  }
}

SharedArray Buffers::snapshot(RoleId server, std::int32_t worker) const {
  const std::lock_guard lock(snapshots_);
  return place(server).snapshots[static_cast<std::size_t>(worker)];
}

Held Buffers::copy(const Command& command, ArrayWork& work) {
  const BufferRef& from = command.from;
  if (from.buffer != Buffer::snapshot) {
    work.copy(at(command.to), at(from));
    return {};
  }
  Held held = snapshot(from.role, from.slot);
  PACELINE_ASSERT(held != nullptr);
  work.copy(at(command.to), part_of(*held, place(from.role).begin, from.slice));
  return held;
}

/// Joins the weight of the command's gradient to `factor`.
Held Buffers::weigh(const Command& command, double gradients, Factor& factor) const {
  factor.weight = rule_.weight(command.age, gradients);
  if (!factor.needs_distance()) return {};
  Held then = snapshot(command.to.role, command.age.worker);
  factor.now = place(command.to.role).current->floats();
  factor.then = then->floats();
  return then;
}

Held Buffers::reduce(const Command& command, ArrayWork& work) {
  Factor factor;
  Held held = weigh(command, plan_.rule.gradients, factor);
  work.accumulate(at(command.to), at(command.from), factor, command.fresh);
  return held;
}

SharedArray Buffers::unread_version(RoleId role) {
  Place& owner = place(role);
  // a version that nobody is still reading is free to be written
  {
    const std::lock_guard lock(snapshots_);
    // a thousand workers have as many versions, but mostly one has just become free
    if (owner.replaced.use_count() == 2) return std::move(owner.replaced);
    const auto unread = std::find_if(owner.spare.begin(), owner.spare.end(),
                                     [](const auto& spare) { return spare.use_count() == 1; });
    if (unread != owner.spare.end()) return *unread;
  }
  owner.spare.push_back(store_.allocate(role, owner.size));
  return owner.spare.back();
}

Held Buffers::update(const Command& command, ArrayWork& work) {
  const RoleId role = command.to.role;
  Place& owner = place(role);
  const double gradients = std::nearbyint(1 / static_cast<double>(command.scale));
  Factor factor;
  factor.scale = command.scale;
  Held held = weigh(command, gradients, factor);
  const double rate = rule_.optimizer->staleness->rate(
      rule_.scheduled(command.age.rounds, gradients), static_cast<double>(command.mean_staleness));
  UpdateArrays arrays;
  arrays.gradient = at(command.from);
  arrays.mean = floats_of(owner.mean);
  arrays.squares = floats_of(owner.squares);
  if (is_server(role)) {
    SharedArray next = unread_version(role);
    arrays.from = owner.current->floats();
    arrays.to = next->floats();
    work.update(*rule_.optimizer, rate, ++owner.updates, arrays, factor);
    owner.current = std::move(next);
  } else {
    arrays.to = at(command.to);
    arrays.from = arrays.to;
    work.update(*rule_.optimizer, rate, ++owner.updates, arrays, factor);
  }
  keep(role, command.version, work);
  return held;
}

void Buffers::assign(const Command& command, ArrayWork& work) {
  const RoleId role = command.to.role;
  if (is_server(role)) {
    SharedArray next = unread_version(role);
    work.assign(next->floats(), at(command.from), command.scale);
    place(role).current = std::move(next);
  } else {
    work.assign(at(command.to), at(command.from), command.scale);
  }
  keep(role, command.version, work);
}

void Buffers::publish(const BufferRef& weights, Held version) {
  if (plan_.replicas) return;
  const std::lock_guard lock(snapshots_);
  Place& owner = place(weights.role);
  SharedArray& snapshot = owner.snapshots[static_cast<std::size_t>(weights.slot)];
  owner.replaced = std::exchange(snapshot, std::move(version));
}

bool Buffers::keeps(RoleId role, std::int64_t version) const {
  if (keep_every_ == 0 || (!is_server(role) && role != 0)) return false;
  return version % keep_every_ == 0 || version == plan_.updates;
}

/// The version that was just made; 0 is none of the model's.
void Buffers::keep(RoleId role, std::int64_t version, ArrayWork& work) {
  if (version == 0 || !keeps(role, version)) return;
  Place& owner = place(role);
  if (is_server(role)) {
    owner.kept[version] = owner.current;
    return;
  }
  SharedArray copy = unread_version(role);
  work.copy(copy->floats(), owner.weights->floats());
  owner.kept[version] = std::move(copy);
}

void Buffers::adopt(RoleId server, std::int64_t version, const std::vector<float>& weights) {
  Place& owner = place(server);
  owner.size = weights.size();
  SharedArray copy = store_.allocate(server, owner.size);
  store_.write(weights, *copy);
  (version < 0 ? owner.current : owner.kept[version]) = std::move(copy);
}

std::vector<std::int64_t> Buffers::versions_of(RoleId server) const {
  std::vector<std::int64_t> versions{-1};
  for (const auto& [version, weights] : place(server).kept) versions.push_back(version);
  return versions;
}

std::vector<float> Buffers::version_of(RoleId server, std::int64_t version) const {
  const Place& owner = place(server);
  return store_.read((version < 0 ? owner.current : owner.kept.at(version))->floats());
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
    const SharedArray& part = part_of_shard(place(plan_.server(shard)));
    const std::vector<float> read = store_.read(part->floats());
    model.insert(model.end(), read.begin(), read.end());
  }
  return model;
}

std::vector<float> Buffers::kept_model(std::int64_t version) const {
  if (!at_servers()) return store_.read(place(0).kept.at(version)->floats());
  return joined_shards([version](const Place& shard) -> const SharedArray& {
    // a shard that updates on its own may not have come so far: what it has last
    return std::prev(shard.kept.upper_bound(version))->second;
  });
}

std::vector<float> Buffers::model() const {
  if (!at_servers()) return store_.read(place(0).weights->floats());
  return joined_shards([](const Place& shard) -> const SharedArray& { return shard.current; });
}

}  // namespace paceline
