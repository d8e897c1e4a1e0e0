// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/cuda_machine.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "exec/cuda/runtime/check.hpp"
#include "training/runtime/assertion.hpp"

namespace paceline::cuda {
namespace {

// Pieces that a device holds at a time of work that may be given up: the most that is lost when it
// is. One runs while the host learns of the end of the other.
constexpr int kLookAhead = 2;

// Beyond all mini-batches.
constexpr std::int64_t kAllSteps = std::numeric_limits<std::int64_t>::max();

}  // namespace

CudaMachine::CudaMachine(const Plan& plan, const Site& site, TimeSource& time)
    : RealMachine(plan, time, site.remote, DeviceOrder::among_streams),
      site_(site),
      cancels_(plan.gives_up()),
      joins_(plan.programs() == 1 && !cancels_ && plan.slowdown_of(0) <= 1),
      losses_(static_cast<std::size_t>(plan.workers), std::numeric_limits<double>::quiet_NaN()),
      given_up_words_(static_cast<std::size_t>(plan.workers) * sizeof(std::int64_t)),
      began_words_(static_cast<std::size_t>(plan.workers)) {
  std::fill_n(given_up_words_.as<std::int64_t>(), plan.workers, -1);
  const RoleStreams& streams = *site_.streams;
  for (RoleId role = 0; role < plan.roles(); ++role) {
    for (int kind = 0; kind < kStreamKinds; ++kind) {
      Lane& lane = lanes_.emplace_back();
      lane.stream = {role, static_cast<StreamKind>(kind)};
      lane.device = streams.device(lane.stream);
    }
    const int device = streams.device(role);
    if (device == kOnHost) continue;
    check(cudaSetDevice(device), "choosing a device");
    const auto i = static_cast<std::size_t>(device);
    if (clocks_.size() <= i) clocks_.resize(i + 1);
    if (!clocks_[i]) clocks_[i] = std::make_unique<DeviceClock>(time);
    if (role >= plan.workers || plan.slowdown_of(role) <= 1) continue;
    began_words_[static_cast<std::size_t>(role)] = DeviceMemory(sizeof(std::uint64_t));
  }
  make_writes();
  spare_.resize(clocks_.size());
  const auto used =
      std::ranges::find_if(clocks_, [](const auto& clock) { return clock != nullptr; });
  poller_ = std::make_unique<Poller>(static_cast<int>(lanes_.size()),
                                     static_cast<int>(used - clocks_.begin()),
                                     [this](int lane, const std::exception_ptr& error) {
                                       Ended passed;
                                       passed.lane = lane;
                                       passed.error = error;
                                       note_ended(std::move(passed));
                                     });
}

CudaMachine::~CudaMachine() {
  poller_.reset();
  for (RoleId worker = 0; worker < plan().workers; ++worker)
    CudaMachine::give_up({worker, kAllSteps});
  release_writes();
  if (site_.nccl != nullptr && open_sums_ > 0) site_.nccl->give_up();
  site_.streams->drain();
  end_threads();
}

bool CudaMachine::on_device(Stream stream, const Command& command) const {
  const auto* copy = command.as<Command::Copy>();
  if (copy != nullptr && (is_remote(copy->from.role) || is_remote(copy->to.role))) return false;
  if (command.is<Command::Delay>() && !delays_arithmetic(stream, command)) return false;
  return site_.streams->device(stream) != kOnHost;
}

CudaMachine::Progress& CudaMachine::progress(OpIndex op) {
  if (progress_.size() <= op) progress_.resize(op + 1);
  Progress& at = progress_[op];
  if (!(at.of == token_of(op))) {  // left by an operation that never began
    at = Progress{};
    at.of = token_of(op);
  }
  return at;
}

bool CudaMachine::device_orders(OpIndex op, OpIndex before) const {
  const auto here = [this](OpIndex at) { return on_device(stream_of(at), command(at)); };
  const Stream mine = stream_of(op);
  const Stream other = stream_of(before);
  if (mine.role == other.role && mine.kind == other.kind) return here(op) == here(before);
  // an arrival has no stream of its own: a copy brings it, which is on a device, or it has ended
  return here(op) && (other.role < 0 || here(before));
}

void CudaMachine::must_await(OpIndex op, Token before) {
  progress(op).awaited.push_back(before);
}

bool CudaMachine::begin(OpIndex op, Stream stream, const Command& command) {
  if (!on_device(stream, command)) {
    give_to_thread(op, stream, command);
    return false;
  }
  note_under_way();
  Lane& lane = lane_of(stream);
  lane.waiting.push_back(op);
  hand_what_may(lane);
  return false;
}

void CudaMachine::give_up(WorkId work) {
  RealMachine::give_up(work);
  if (work.worker < 0) return;
  std::int64_t* word = given_up_words_.as<std::int64_t>() + work.worker;
  if (__atomic_load_n(word, __ATOMIC_RELAXED) < work.step) {
    __atomic_store_n(word, work.step, __ATOMIC_RELEASE);
  }
}

// ---- handing over

/// Hands a lane's operations to its device, as far as may be.
void CudaMachine::hand_what_may(Lane& lane) {
  if (lane.handing) return;  // the call under way goes on with the operation added
  lane.handing = true;
  while (!lane.waiting.empty()) {
    const OpIndex op = lane.waiting.front();
    const Command& next = command(op);
    if (next.work.worker >= 0 && given_up(next.work)) {
      lane.waiting.pop_front();
      Piece dropped;
      dropped.op = op;
      lane.in_flight.push_back(std::move(dropped));
    } else if (next.is<Command::Collective>()) {
      if (!join_sum(op)) break;
    } else if (is_held_back(lane)) {
      break;
    } else if (goes_with_next(lane)) {
      hand_both(lane);
    } else if (may_hand(lane, op)) {
      hand_next(lane);
    } else {
      break;
    }
  }
  lane.handing = false;
  finish_dropped(lane);
}

/// The layers of a compute that are handed over together.
LayerRange CudaMachine::next_layers(OpIndex op) {
  LayerRange layers = command(op).as<Command::Compute>()->layers;
  if (!cancels_) return layers;
  const std::int32_t done = progress(op).layers_done;
  if (layers.pass == Pass::backward) {
    layers.last -= done;
  } else {
    layers.first += done;
  }
  return site_.passes[static_cast<std::size_t>(command(op).work.worker)]->piece(layers);
}

bool CudaMachine::may_hand(const Lane& lane, OpIndex op) const {
  if (!cancels_ || !command(op).is<Command::Compute>()) return true;
  return lane.pieces_in_flight < kLookAhead;
}

/// Makes the lane's device current, and what it needs to be handed work.
void CudaMachine::make_ready(Lane& lane) {
  if (lane.cuda == nullptr) {
    lane.cuda = site_.streams->of(lane.stream);
    site_.work->of(lane.stream);
  }
  check(cudaSetDevice(lane.device), "choosing a device");
}

/// Hands over the lane's next operation, or the next piece of it.
void CudaMachine::hand_next(Lane& lane) {
  const OpIndex op = lane.waiting.front();
  const Command& command = this->command(op);
  make_ready(lane);
  if (command.is<Command::StorageRequest>()) {
    hand_write(lane, op);
  } else {
    Piece piece;
    piece.op = op;
    if (progress(op).layers_done == 0) open(lane, piece);
    queue_piece(lane, command, piece);
    const bool whole = piece.last;
    close(lane, std::move(piece));
    if (!whole) return;
  }
  lane.waiting.pop_front();
  note_handed_over(op);
}

/// Queues the operation, or as many of its layers as go together, on its role's part of the card.
void CudaMachine::queue_piece(Lane& lane, const Command& command, Piece& piece) {
  const auto current = site_.streams->enter(lane.stream);
  if (const auto* whole = command.as<Command::Compute>()) {
    const LayerRange layers = next_layers(piece.op);
    const ProfilerRange range(lane.stream.role, layers);
    step_ranges_.note(command.work, layers);
    compute(lane, {layers, whole->number}, command.work);
    std::int32_t& done = progress(piece.op).layers_done;
    done += layers.count();
    piece.last = done == whole->layers.count();
    if (cancels_) {
      piece.layers = layers;
      ++lane.pieces_in_flight;
    }
  } else {
    const ProfilerRange range(lane.stream, command, plan().workers);
    piece.held = queue(lane, command);
  }
}

/// Queues anything but arithmetic of layers.
Held CudaMachine::queue(Lane& lane, const Command& command) {
  if (const auto* delay = command.as<Command::Delay>()) {
    cuda::delay(delay->ps / 1000, given_up_word(command.work), lane.cuda);
    return {};
  }
  if (const auto* publish = command.as<Command::Publish>()) {
    return site_.buffers->current(publish->server);  // published at its end, by finish_piece
  }
  const auto* copy = command.as<Command::Copy>();
  if (copy != nullptr && site_.items != nullptr) site_.items->copy_targets(*copy, lane.cuda);
  return site_.buffers->perform(command, site_.work->of(lane.stream));
}

void CudaMachine::compute(const Lane& lane, const LayerWork& part, WorkId work) {
  const auto worker = static_cast<std::size_t>(work.worker);
  const double slowdown = plan().slowdown_of(work.worker);
  auto* const began = began_words_[worker].as<std::uint64_t>();
  if (slowdown > 1) note_time(began, lane.cuda);
  site_.passes[worker]->queue(part, work);
  if (slowdown > 1) stretch(began, slowdown, given_up_word(work), lane.cuda);
}

/// Makes the device wait for the operation's dependencies, and note its begin.
void CudaMachine::open(const Lane& lane, Piece& piece) {
  for (const Token token : progress(piece.op).awaited) {
    const Token before = source_of(token);
    if (complete(before)) continue;
    cudaEvent_t end = progress(before.slot()).end;
    PACELINE_ASSERT(end != nullptr);
    check(cudaStreamWaitEvent(lane.cuda, end, 0), "ordering streams");
  }
  piece.begin = event(lane.device);
  piece.begin->record(lane.cuda);
}

void CudaMachine::close(Lane& lane, Piece piece) {
  piece.end = event(lane.device);
  piece.end->record(lane.cuda);
  cudaEvent_t end = piece.end->get();
  progress(piece.op).end = end;
  lane.in_flight.push_back(std::move(piece));
  poller_->watch(static_cast<int>(RoleStreams::lane(lane.stream)), end);
}

// ---- ending

void CudaMachine::on_progress(const Ended& ended) {
  if (ended.error) std::rethrow_exception(ended.error);
  Lane& lane = lanes_[static_cast<std::size_t>(ended.lane)];
  while (lane.in_flight.front().with_next) finish_piece(lane);
  finish_piece(lane);
  finish_dropped(lane);
  hand_what_may(lane);
}

/// An operation that was given up ends when all before it have ended.
void CudaMachine::finish_dropped(Lane& lane) {
  while (!lane.in_flight.empty() && !lane.in_flight.front().end) finish_piece(lane);
}

/// Reads when a piece that has ended began and ended.
void CudaMachine::note_times(Lane& lane, Piece& piece, Progress& at) {
  if (!piece.end) return;
  DeviceClock& device = clock(lane.device);
  const Instant began = piece.begin ? device.instant(*piece.begin) : lane.ended;
  if (!std::exchange(at.begun, true)) at.began = began;
  lane.ended =
      piece.with_next ? device.instant(*piece.end) : device.instant_of_latest(*piece.end, now());
  if (piece.layers.count() > 0 && parts_observed()) {
    observer()->part(command(piece.op).work, piece.layers, began, lane.ended);
  }
}

/// Takes the first piece in flight, which has ended, and finishes its operation if it was the last.
void CudaMachine::finish_piece(Lane& lane) {
  Piece piece = std::move(lane.in_flight.front());
  lane.in_flight.pop_front();
  Progress& at = progress(piece.op);
  note_times(lane, piece, at);
  if (piece.layers.count() > 0) --lane.pieces_in_flight;
  auto& spare = spare_[static_cast<std::size_t>(lane.device)];
  if (piece.begin) spare.push_back(std::move(piece.begin));
  const bool dropped = !piece.end;
  if (piece.end) spare.push_back(std::move(piece.end));
  if (!piece.last) return begin_write(lane, piece.op);

  const Command& done = command(piece.op);
  const auto* publish = done.as<Command::Publish>();
  if (publish != nullptr && !dropped) site_.buffers->publish(*publish, std::move(piece.held));
  const auto* compute = done.as<Command::Compute>();
  const Progress last = std::exchange(at, Progress{});
  if (last.sum >= 0) leave_sum(last.sum);
  Ended ended;
  ended.op = piece.op;
  ended.begun = last.begun;
  ended.began = last.begun ? last.began : now();
  ended.ended = last.begun ? lane.ended : ended.began;
  const bool stops = compute != nullptr || done.is<Command::Delay>();
  if (dropped || (stops && given_up(done.work))) ended.outcome = Outcome::cancelled;
  if (compute != nullptr) {
    const auto worker = static_cast<std::size_t>(done.work.worker);
    // before its last forward layer has run, a loss may be under way to where it is read
    const LayerRange& layers = compute->layers;
    const bool known =
        layers.pass == Pass::backward ||
        (layers.pass == Pass::forward && layers.last == plan().cut.buckets.front().last_layer);
    if (known && !dropped) losses_[worker] = site_.passes[worker]->loss(done.work.step);
    ended.loss = losses_[worker];
  }
  finish_ended(ended);
}

std::unique_ptr<DeviceEvent> CudaMachine::event(int device) {
  auto& spare = spare_[static_cast<std::size_t>(device)];
  if (spare.empty()) return std::make_unique<DeviceEvent>();  // rare: events are used again
  std::unique_ptr<DeviceEvent> event = std::move(spare.back());
  spare.pop_back();
  return event;
}

}  // namespace paceline::cuda
