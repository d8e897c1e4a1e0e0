// SPDX-License-Identifier: MIT
#include "exec/calibrate/server_memory.hpp"

#include <semaphore>
#include <thread>

#include "exec/calibrate/timing.hpp"
#include "exec/host/stream_thread.hpp"
#include "training/learning/trainer.hpp"
#include "training/setting.hpp"

namespace paceline {
namespace {

constexpr Seconds kBudget{0.1};  // of one number of workers: some ten rounds of a large network
constexpr int kFewestRounds = 5;

/// The commands of one worker's exchange with the server.
struct Exchange {
  Command push, update, publish, fetch, sum;
};

Exchange exchange_of(const Plan& plan, RoleId worker) {
  const RoleId server = plan.server(0);
  const Slice all = plan.whole();
  const BufferRef landing{server, Buffer::landing, worker, all};
  const BufferRef weights{server, Buffer::weights, 0, all};
  Exchange made;
  made.push.kind = made.fetch.kind = Command::Kind::copy;
  made.push.from = {worker, Buffer::gradient, 0, all};
  made.push.to = landing;
  made.fetch.from = {server, Buffer::snapshot, worker, all};
  made.fetch.to = {worker, Buffer::weights, 0, all};
  made.update.kind = Command::Kind::update;
  made.update.from = landing;
  made.update.to = weights;
  made.publish.kind = Command::Kind::publish;
  made.publish.to = weights;
  made.publish.to.slot = worker;
  made.sum.kind = Command::Kind::reduce;
  made.sum.from = landing;
  made.sum.to = {server, Buffer::landing, (worker + 1) % plan.workers, all};
  return made;
}

/// One after the other, on threads that stay on cores of their own where there are two.
class Pair {
 public:
  Pair() : server_(time_, "server", 0), others_(time_, "others", 1) {}
  void on_server(const std::function<void()>& job) { run(server_, job); }
  void on_others(const std::function<void()>& job) { run(others_, job); }

 private:
  static void run(StreamThread& thread, const std::function<void()>& job) {
    std::binary_semaphore done(0);
    thread.add([&] {
      job();
      done.release();
    });
    done.acquire();
  }
  WallTime time_;
  StreamThread server_, others_;
};

ServerTimes measure(const ExperimentPoint& point, int workers) {
  ExperimentPoint served = point;
  served.experiment.workers = workers;
  served.experiment.aggregation = Choice<Aggregation>{"parameter-server"};
  served.experiment.update = Choice<UpdatePolicy>{"async"};
  served.experiment.stragglers = {};
  served.experiment.train.reset();
  Setting setting = make_setting_without_costs(served);
  Trainer trainer(setting, 0);
  const Plan plan = setting.plan_of(0, nullptr);
  HostArrays store;
  HostArrayWork work;
  Buffers buffers = trainer.buffers(plan, 0, store);
  std::vector<double> updates, sums;
  Pair pair;
  const auto timed = [&](const Command& command, std::vector<double>& times) {
    pair.on_server([&] {
      const Stopwatch watch;
      buffers.perform(command, work);
      times.push_back(watch.elapsed().value());
    });
  };
  const Stopwatch all;
  for (int round = 0; round < kFewestRounds || all.elapsed() < kBudget; ++round) {
    for (RoleId worker = 0; worker < workers; ++worker) {
      const Exchange exchange = exchange_of(plan, worker);
      pair.on_others([&] { buffers.perform(exchange.push, work); });
      timed(exchange.update, updates);
      pair.on_server([&] { buffers.perform(exchange.publish, work); });
      if (workers > 1) timed(exchange.sum, sums);
      pair.on_others([&] { buffers.perform(exchange.fetch, work); });
    }
  }
  ServerTimes times;
  times.workers = workers;
  times.update = Seconds{quantile_of(updates, 0.5)};
  if (workers > 1) times.reduce = Seconds{quantile_of(sums, 0.5)};
  return times;
}

}  // namespace

std::vector<ServerTimes> measure_server(const ExperimentPoint& point, int most) {
  std::vector<ServerTimes> times;
  for (int workers = 1; workers <= most; workers *= 2) times.push_back(measure(point, workers));
  return times;
}

}  // namespace paceline
