// SPDX-License-Identifier: MIT
#include "exec/cuda/calibrate/network_probe.hpp"

#include <algorithm>
#include <numeric>

#include "exec/calibrate/timing.hpp"
#include "exec/cuda/calibrate/event_timer.hpp"
#include "exec/cuda/calibrate/head_start.hpp"
#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/machine/execution_plan.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/learning/host_arrays.hpp"

namespace paceline::cuda {
namespace {

// A range of layers runs directly the first time, is recorded the second time and is one graph
// launch from then on.
constexpr int kStepsToWarmUp = 3;
// Time for the host to launch a range of one layer and an event before the device needs them.
constexpr std::int64_t kHeadStartOfLayerNs = 30'000;
// The same for an update or a copy and two events.
constexpr std::int64_t kHeadStartOfArraysNs = 100'000;

Seconds median(const std::vector<Seconds>& times) {
  std::vector<double> values;
  for (const Seconds time : times) values.push_back(time.value());
  return Seconds{quantile_of(values, 0.5)};
}

Seconds sum_of(const std::vector<Seconds>& times) {
  return std::accumulate(times.begin(), times.end(), Seconds{});
}

/// `point` with `workers` workers that exchange nothing.
ExperimentPoint apart(const ExperimentPoint& point, int workers) {
  ExperimentPoint copy = point;
  copy.experiment.workers = workers;
  copy.experiment.aggregation = Choice<Aggregation>{"independent"};
  copy.experiment.update.reset();
  copy.experiment.stragglers = {};
  copy.experiment.input = Choice<InputSource>{"synthetic"};
  copy.experiment.lengths.reset();
  copy.experiment.validation.reset();
  copy.experiment.checkpoint.reset();
  copy.experiment.steps = {1, 0};  // few versions to keep, since none is evaluated
  copy.experiment.warmup = {0, 0};
  return copy;
}

/// Workers with their networks on GPUs.
class NetworkBench {
 public:
  NetworkBench(const ExperimentPoint& point, int workers, const std::filesystem::path& cache)
      : point_(apart(point, workers)),
        setting_(make_setting(point_)),
        plan_(plan_of_execution(setting_, 0, nullptr)),
        execution_(setting_, cache),
        place_(execution_.workplace(plan_, 0)),
        layers_(static_cast<std::int32_t>(point_.network->layers.size())) {}

  int workers() const { return plan_.workers; }
  std::int32_t layers() const { return layers_; }
  /// SMs per worker.
  int sms() const {
    if (execution_.sms() > 0) return execution_.sms();
    int sms = 0;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, place_->streams.device(0)),
          "querying the SMs");
    return sms;
  }
  Workplace& place() { return *place_; }
  cudaStream_t stream(RoleId worker) const {
    return place_->streams.of({worker, StreamKind::compute});
  }
  void queue(RoleId worker, const LayerRange& range) {
    const auto current = place_->streams.enter({worker, StreamKind::compute});
    place_->workers[static_cast<std::size_t>(worker)]->queue({range, 0}, {worker, steps_});
  }
  /// Starts the next mini-batch of all workers.
  void next_step() { ++steps_; }
  /// Queues one whole mini-batch, with marks before forward, between the passes and after backward.
  void queue_step(RoleId worker, EventTimer& timer) {
    timer.mark(stream(worker));
    queue(worker, {Pass::forward, 0, layers_});
    timer.mark(stream(worker));
    queue(worker, {Pass::backward, 0, layers_});
    timer.mark(stream(worker));
  }
  void wait() const { place_->streams.drain(); }

 private:
  ExperimentPoint point_;
  Setting setting_;
  Plan plan_;
  CudaExecution execution_;
  std::unique_ptr<Workplace> place_;
  std::int32_t layers_;
  std::int64_t steps_ = 0;
};

/// Median times of a worker's passes while all workers of a bench run at the same time.
struct PassTimes {
  Seconds forward, backward;
};

PassTimes measure_passes(NetworkBench& bench, Seconds budget) {
  std::vector<EventTimer> timers(static_cast<std::size_t>(bench.workers()));
  const auto all_step = [&] {
    for (RoleId worker = 0; worker < bench.workers(); ++worker) {
      bench.queue_step(worker, timers[static_cast<std::size_t>(worker)]);
    }
    bench.next_step();
  };
  for (int step = 0; step < kStepsToWarmUp; ++step) all_step();
  bench.wait();
  for (EventTimer& timer : timers) timer.take();
  const Stopwatch one;
  all_step();
  bench.wait();
  for (EventTimer& timer : timers) timer.take();
  const double guess = budget / one.elapsed();
  const int steps = static_cast<int>(std::clamp(guess, 5.0, 200.0));
  for (int step = 0; step < steps; ++step) all_step();
  bench.wait();
  std::vector<Seconds> forward;
  std::vector<Seconds> backward;
  for (EventTimer& timer : timers) {
    const std::vector<Seconds> spans =
        timer.take();  // forward, backward, gap to the next step, ...
    for (std::size_t i = 0; i + 1 < spans.size(); i += 3) {
      forward.push_back(spans[i]);
      backward.push_back(spans[i + 1]);
    }
  }
  return {median(forward), median(backward)};
}

/// Times the layers one by one, in their order of execution, with an event between each two.
void measure_layers(NetworkBench& bench, int rounds, NetworkProfile& into) {
  const std::int32_t layers = bench.layers();
  const auto count = static_cast<std::size_t>(layers);
  std::vector<std::vector<Seconds>> forward(count);
  std::vector<std::vector<Seconds>> backward(count);
  std::vector<Seconds> nothing;
  const HeadStart head_start;
  EventTimer timer;
  cudaStream_t stream = bench.stream(0);
  for (int round = 0; round < kStepsToWarmUp + rounds; ++round) {
    head_start.queue(2 * std::int64_t{layers} * kHeadStartOfLayerNs, stream);
    timer.mark(stream);
    timer.mark(stream);
    for (std::int32_t layer = 0; layer < layers; ++layer) {
      bench.queue(0, {Pass::forward, layer, layer + 1});
      timer.mark(stream);
    }
    for (std::int32_t layer = layers; layer-- > 0;) {
      bench.queue(0, {Pass::backward, layer, layer + 1});
      timer.mark(stream);
    }
    bench.next_step();
    bench.wait();
    const std::vector<Seconds> spans = timer.take();
    if (round < kStepsToWarmUp) continue;
    nothing.push_back(spans[0]);
    for (std::size_t i = 0; i < count; ++i) {
      forward[i].push_back(spans[1 + i]);
      backward[count - 1 - i].push_back(spans[1 + count + i]);
    }
  }
  // subtract the time between two marks with nothing between them
  const Seconds mark = median(nothing);
  const auto times_of = [mark](const std::vector<std::vector<Seconds>>& all) {
    std::vector<Seconds> times;
    for (const auto& one : all) times.push_back(std::max(Seconds{0}, median(one) - mark));
    return times;
  };
  into.forward = times_of(forward);
  into.backward = times_of(backward);
}

/// Scales the times of single layers to the time of the whole pass: layers that run one by one
/// include launch overhead, and a whole pass does not.
void divide(std::vector<Seconds>& layers, Seconds whole) {
  const Seconds sum = sum_of(layers);
  if (sum <= Seconds{0}) {
    layers.assign(layers.size(), whole / static_cast<double>(layers.size()));
    return;
  }
  for (Seconds& layer : layers) layer = layer * (whole / sum);
}

/// The arrays of a role's update; those of the optimizer are null unless it has such memory.
struct Arrays {
  SharedArray weights, gradient, other, mean, squares;
  Arrays(ArrayStore& store, const Memory& memory, std::size_t floats) {
    const auto allocate = [&] { return store.allocate(0, floats); };
    weights = allocate();
    gradient = allocate();
    other = allocate();
    if (memory.mean) mean = allocate();
    if (memory.squares) squares = allocate();
  }
  UpdateArrays update(std::span<const std::size_t> layers) const {
    const auto floats_of = [](const SharedArray& array) {
      return array == nullptr ? std::span<float>() : array->floats();
    };
    UpdateArrays arrays;
    arrays.to = weights->floats();
    arrays.from = arrays.to;
    arrays.gradient = gradient->floats();
    arrays.mean = floats_of(mean);
    arrays.squares = floats_of(squares);
    arrays.layers = layers;
    return arrays;
  }
};

/// Updates, sums and copies of all parameters, on the worker's own stream and on the CPU.
void measure_arrays(NetworkBench& bench, const Network& network, const Optimizer& optimizer,
                    Seconds budget, NetworkProfile& into) {
  const auto floats = static_cast<std::size_t>(into.parameters);
  if (floats == 0) return;
  UpdateRule rule;
  rule.layers = network.parameter_offsets();
  const std::vector<std::size_t> layers = rule.layers_of({0, into.parameters, 0});
  CudaArrayStore& store = bench.place().store;
  ArrayWork& on_gpu = bench.place().work.of({0, StreamKind::compute});
  cudaStream_t stream = bench.stream(0);
  const HeadStart head_start;
  const auto on_device = [&](const auto& work) {
    EventTimer timer;
    std::vector<Seconds> times;
    const Stopwatch watch;
    for (int round = 0; round <= 5 || (watch.elapsed() < budget && round < 200); ++round) {
      head_start.queue(kHeadStartOfArraysNs, stream);
      timer.mark(stream);
      work();
      timer.mark(stream);
      check(cudaStreamSynchronize(stream), "computing");
      const Seconds duration = timer.take().front();
      if (round > 0) times.push_back(duration);
    }
    return median(times);
  };
  {
    const Arrays arrays(store, optimizer.memory(), floats);
    into.update = on_device([&] {
      on_gpu.update(optimizer, optimizer.learning_rate, 1, arrays.update(layers), Factor{});
    });
    into.reduce = on_device([&] {
      on_gpu.accumulate(arrays.other->floats(), arrays.gradient->floats(), Factor{}, false);
    });
    into.copy = on_device([&] { on_gpu.copy(arrays.other->floats(), arrays.gradient->floats()); });
  }
  CudaArrayStore pinned({kOnHost});
  HostArrayWork on_host;
  const Arrays arrays(pinned, optimizer.memory(), floats);
  const auto idle = [] {};
  into.cpu_update = median_time(budget, idle, [&] {
    on_host.update(optimizer, optimizer.learning_rate, 1, arrays.update(layers), Factor{});
  });
  into.cpu_reduce = median_time(budget, idle, [&] {
    on_host.accumulate(arrays.other->floats(), arrays.gradient->floats(), Factor{}, false);
  });
}

Flops flops_of(const Network& network, int batch) {
  Flops sum;
  for (const Layer& layer : network.layers) sum += layer.forward_flops() + layer.backward_flops();
  return sum * batch;
}

}  // namespace

NetworkProfile measure_network_on_gpu(const TimedWorkload& timed, Effort effort,
                                      const std::filesystem::path& cache) {
  const bool quick = effort == Effort::quick;
  const Seconds budget{quick ? 0.3 : 1.0};
  NetworkProfile profile(timed.workload);
  const Experiment& experiment = timed.point->experiment;
  profile.flops = flops_of(*timed.point->network, experiment.batch);
  {
    NetworkBench alone(*timed.point, 1, cache);
    profile.sms = alone.sms();
    const PassTimes whole = measure_passes(alone, budget);
    measure_layers(alone, quick ? 3 : 10, profile);
    divide(profile.forward, whole.forward);
    divide(profile.backward, whole.backward);
    measure_arrays(alone, *timed.point->network, *experiment.optimizer, budget * 0.2, profile);
  }
  const int most = experiment.devices ? experiment.devices->virtual_gpus : 1;
  for (int workers = 2; workers <= most;
       workers = workers < most ? std::min(2 * workers, most) : most + 1) {
    try {
      NetworkBench several(*timed.point, workers, cache);
      const PassTimes times = measure_passes(several, budget);
      profile.shared.push_back({workers, times.forward, times.backward});
    } catch (const Error& error) {
      if (error.lasting()) throw;
      break;  // this number of workers does not fit in memory
    }
  }
  return profile;
}

}  // namespace paceline::cuda
