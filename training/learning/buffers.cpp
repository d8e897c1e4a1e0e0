// SPDX-License-Identifier: MIT
#include "training/learning/buffers.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "training/runtime/assertion.hpp"

namespace paceline {
namespace {

// Evaluated versions that are allocated ahead; a run that keeps more allocates as it goes.
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

Buffers::Buffers(BufferPlan plan, UpdateRule rule, const std::vector<float>& initial,
                 std::int64_t keep_every, ArrayStore& store)
    : plan_(std::move(plan)),
      rule_(rule),
      keep_every_(keep_every),
      store_(store),
      places_(plan_.roles.size()) {
  for (std::size_t role = 0; role < places_.size(); ++role) {
    make(static_cast<RoleId>(role), initial);
  }
  if (store.allocates_ahead()) allocate_versions();
}

std::vector<SharedArray> Buffers::allocate(RoleId role, std::size_t count, std::size_t size) {
  std::vector<SharedArray> arrays(count);
  for (SharedArray& array : arrays) array = store_.allocate(role, size);
  return arrays;
}

std::vector<SharedArray>& Buffers::slots(Place& owner, Buffer buffer) {
  switch (buffer) {
    case Buffer::weights:
      return owner.weights;
    case Buffer::gradient:
      return owner.gradients;
    case Buffer::landing:
      return owner.landings;
    case Buffer::incoming:
      return owner.incoming;
    case Buffer::encoded:
      return owner.encoded;
    case Buffer::residual:
      return owner.residual;
    case Buffer::batch:
      return owner.batches;
    case Buffer::dataset:
      return owner.datasets;
    case Buffer::validation_batch:
      return owner.validation_batches;
    case Buffer::snapshot:
      return owner.snapshots;
  }
  throw std::out_of_range("this process has no such part of a buffer");
}

void Buffers::make(RoleId role, const std::vector<float>& initial) {
  const RoleBuffers& declared = plan_.roles[static_cast<std::size_t>(role)];
  Place& mine = place(role);
  mine.begin = declared.part.begin;
  mine.size = static_cast<std::size_t>(declared.part.size());
  // where nothing is trained, there are no weights
  const bool trains = declared.count(Buffer::weights) > 0;
  const auto first =
      trains ? std::span(initial).subspan(static_cast<std::size_t>(mine.begin), mine.size)
             : std::span<const float>();
  for (const RoleBuffers::Slots& slot : declared.slots) {
    const auto count = static_cast<std::size_t>(slot.count);
    if (slot.buffer == Buffer::snapshot) {
      mine.snapshots.resize(count);  // they refer to versions
    } else if (slot.buffer == Buffer::weights && declared.publishes()) {
      mine.spare = allocate(role, 1, mine.size);
      mine.current = mine.spare.front();
      store_.write(first, *mine.current);
    } else {
      slots(mine, slot.buffer) =
          allocate(role, count, static_cast<std::size_t>(declared.size(slot)));
    }
  }
  if (!mine.weights.empty()) store_.write(first, *mine.weights.front());
  if (declared.optimizes) {
    const Memory memory = rule_.optimizer->memory();
    if (memory.mean) mine.mean = store_.allocate(role, mine.size);
    if (memory.squares) mine.squares = store_.allocate(role, mine.size);
  }
  if (declared.slots.empty() || !keeps(role, 0)) return;
  if (mine.current != nullptr) {
    mine.history[0] = mine.current;
  } else {
    mine.history[0] = store_.allocate(role, mine.size);
    store_.write(first, *mine.history[0]);
  }
}

void Buffers::allocate_versions() {
  const std::int64_t ahead =
      keep_every_ > 0 ? std::min(plan_.updates / keep_every_ + 1, kMostKeptAhead) : 0;
  for (const RoleId role : plan_.model) {
    const RoleBuffers& declared = plan_.roles[static_cast<std::size_t>(role)];
    auto versions = static_cast<std::size_t>(ahead);
    if (declared.publishes()) {
      versions += static_cast<std::size_t>(declared.count(Buffer::weights)) - 1;
    }
    for (SharedArray& version : allocate(role, versions, place(role).size)) {
      place(role).spare.push_back(std::move(version));
    }
  }
}

std::span<float> Buffers::at(const BufferRef& ref, const Slice& slice) {
  Place& owner = place(ref.role);
  // a snapshot is read under a lock, by a copy
  PACELINE_ASSERT(ref.buffer != Buffer::snapshot);
  const std::vector<SharedArray>& declared = slots(owner, ref.buffer);
  PACELINE_ASSERT(static_cast<std::size_t>(ref.slot) < declared.size());
  const SharedArray& whole = declared[static_cast<std::size_t>(ref.slot)];
  return part_of(*whole, owner.begin, slice);
}

/// A request of another process may have any values.
void Buffers::check_that_here(const BufferRef& ref, const Slice& slice) {
  const auto fail = [] { throw std::out_of_range("this process has no such part of a buffer"); };
  if (ref.role < 0 || static_cast<std::size_t>(ref.role) >= places_.size() || ref.slot < 0) fail();
  Place& owner = place(ref.role);
  if (static_cast<std::size_t>(ref.slot) >= slots(owner, ref.buffer).size()) fail();
  const std::int64_t size = plan_.roles[static_cast<std::size_t>(ref.role)].size_of(ref.buffer);
  const auto end = owner.begin + size;
  if (slice.begin < owner.begin || slice.end < slice.begin || slice.end > end) fail();
}

Buffers::Loan Buffers::lend(const BufferRef& from, const Slice& slice) {
  check_that_here(from, slice);
  if (from.buffer != Buffer::snapshot) return {{}, at(from, slice)};
  Held held = snapshot(from.role, from.slot);
  if (held == nullptr) throw std::out_of_range("no snapshot was published for this worker");
  const std::span<const float> floats = part_of(*held, place(from.role).begin, slice);
  return {std::move(held), floats};
}

std::span<float> Buffers::open(const BufferRef& to, const Slice& slice) {
  check_that_here(to, slice);
  if (to.buffer == Buffer::snapshot) throw std::out_of_range("a snapshot is not written");
  return at(to, slice);
}

Held Buffers::perform(const Command& command, ArrayWork& work) {
  return command.what.visit([&](const auto& what) -> Held {
    if constexpr (requires { carry_out(what, work); }) return carry_out(what, work);
    return {};
  });
}

SharedArray Buffers::snapshot(RoleId server, std::int32_t worker) const {
  const std::lock_guard lock(snapshots_);
  return place(server).snapshots[static_cast<std::size_t>(worker)];
}

Held Buffers::carry_out(const Command::Copy& copy, ArrayWork& work) {
  const BufferRef& from = copy.from;
  const SharedArray& published = place(from.role).current;
  if (from.buffer == Buffer::weights && published != nullptr) {
    // by the stream that also replaces them
    work.copy(at(copy.to, copy.slice.moved(copy.shift)),
              part_of(*published, place(from.role).begin, copy.slice));
    return published;
  }
  if (from.buffer != Buffer::snapshot) {
    work.copy(at(copy.to, copy.slice.moved(copy.shift)), at(from, copy.slice));
    return {};
  }
  Held held = snapshot(from.role, from.slot);
  PACELINE_ASSERT(held != nullptr);
  work.copy(at(copy.to, copy.slice.moved(copy.shift)),
            part_of(*held, place(from.role).begin, copy.slice));
  return held;
}

SharedArray Buffers::unread_version(RoleId role) {
  Place& owner = place(role);
  // a version that is no longer read is free to be written
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

Held Buffers::carry_out(const Command::Update& update, ArrayWork& work) {
  const RoleId role = update.weights.role;
  const UpdateMoment& moment = update.moment;
  Place& owner = place(role);
  const double gradients = std::nearbyint(1 / static_cast<double>(moment.scale));
  Factor factor;
  factor.scale = moment.scale;
  Held held = weigh(moment.age, role, gradients, factor);
  const double rate = rule_.optimizer->staleness->rate(
      rule_.scheduled(moment.age.rounds, gradients), static_cast<double>(moment.mean_staleness));
  UpdateArrays arrays;
  arrays.gradient = at(update.gradient, update.slice);
  arrays.mean = floats_of(owner.mean);
  arrays.squares = floats_of(owner.squares);
  const std::vector<std::size_t> layers = rule_.layers_of(update.slice);
  arrays.layers = layers;
  if (owner.current != nullptr) {
    SharedArray next = unread_version(role);
    arrays.from = owner.current->floats();
    arrays.to = next->floats();
    work.update(*rule_.optimizer, rate, ++owner.updates, arrays, factor);
    owner.current = std::move(next);
  } else {
    arrays.to = at(update.weights, update.slice);
    arrays.from = arrays.to;
    work.update(*rule_.optimizer, rate, ++owner.updates, arrays, factor);
  }
  keep(role, moment.version, work);
  return held;
}

Held Buffers::carry_out(const Command::Assign& assign, ArrayWork& work) {
  const RoleId role = assign.weights.role;
  const std::span<const float> from = at(assign.from, assign.slice);
  const bool whole_version =
      assign.weights.buffer == Buffer::weights && place(role).current != nullptr;
  if (whole_version) {
    SharedArray next = unread_version(role);
    work.assign(next->floats(), from, assign.scale);
    place(role).current = std::move(next);
  } else {
    work.assign(at(assign.weights, assign.slice), from, assign.scale);
  }
  keep(role, assign.version, work);
  return {};
}

Held Buffers::carry_out(const Command::Publish& publish, ArrayWork&) {
  this->publish(publish, current(publish.server));
  return {};
}

void Buffers::publish(const Command::Publish& publish, Held version) {
  const std::lock_guard lock(snapshots_);
  Place& owner = place(publish.server);
  SharedArray& snapshot = owner.snapshots[static_cast<std::size_t>(publish.worker)];
  owner.replaced = std::exchange(snapshot, std::move(version));
}

bool Buffers::keeps(RoleId role, std::int64_t version) const {
  if (keep_every_ == 0 || plan_.model.empty()) return false;
  const bool model = role >= plan_.model.front() && role <= plan_.model.back();
  return model && (version % keep_every_ == 0 || version == plan_.updates);
}

/// Keeps the version that was just made; 0 is none of the model's.
void Buffers::keep(RoleId role, std::int64_t version, ArrayWork& work) {
  if (version == 0 || !keeps(role, version)) return;
  Place& owner = place(role);
  if (owner.current != nullptr) {
    owner.history[version] = owner.current;
    return;
  }
  SharedArray copy = unread_version(role);
  work.copy(copy->floats(), owner.weights.front()->floats());
  owner.history[version] = std::move(copy);
}

void Buffers::adopt(RoleId server, std::int64_t version, const std::vector<float>& weights) {
  Place& owner = place(server);
  owner.size = weights.size();
  SharedArray copy = store_.allocate(server, owner.size);
  store_.write(weights, *copy);
  (version < 0 ? owner.current : owner.history[version]) = std::move(copy);
}

std::vector<std::int64_t> Buffers::versions_of(RoleId server) const {
  std::vector<std::int64_t> versions{-1};
  for (const auto& [version, weights] : place(server).history) versions.push_back(version);
  return versions;
}

std::vector<float> Buffers::version_of(RoleId server, std::int64_t version) const {
  const Place& owner = place(server);
  return store_.read((version < 0 ? owner.latest() : owner.history.at(version))->floats());
}

std::vector<std::int64_t> Buffers::kept_versions() const {
  std::vector<std::int64_t> versions;
  for (const auto& [version, weights] : place(plan_.model.front()).history) {
    versions.push_back(version);
  }
  return versions;
}

/// The parts that `part_of_role` finds of the model's roles, one after another.
template <class PartOfRole>
std::vector<float> Buffers::joined(const PartOfRole& part_of_role) const {
  std::vector<float> model;
  for (const RoleId role : plan_.model) {
    const SharedArray& part = part_of_role(place(role));
    const std::vector<float> read = store_.read(part->floats());
    model.insert(model.end(), read.begin(), read.end());
  }
  return model;
}

std::vector<float> Buffers::kept_model(std::int64_t version) const {
  return joined([version](const Place& role) -> const SharedArray& {
    // a shard that updates on its own may not have come so far: its last one
    return std::prev(role.history.upper_bound(version))->second;
  });
}

std::vector<float> Buffers::model() const {
  return joined([](const Place& role) -> const SharedArray& { return role.latest(); });
}

}  // namespace paceline
