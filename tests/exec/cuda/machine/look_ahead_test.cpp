// SPDX-License-Identifier: MIT
// Work that may be given up is handed to a device two pieces at a time: a mini-batch that is
// cancelled during its delay leaves all but these out.
#include <gtest/gtest.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/kernels/words.hpp"
#include "exec/machine/execution_plan.hpp"
#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

constexpr std::int32_t kLayers = 20;
constexpr std::int32_t kPiece = 2;

/// Arithmetic of two layers a piece that counts its layers, on the host and on the device.
class CountedLayers final : public Passes {
 public:
  explicit CountedLayers(cudaStream_t stream)
      : stream_(stream), ran_(static_cast<std::size_t>(2 * kLayers + 1) * sizeof(std::uint64_t)) {}

  LayerRange piece(const LayerRange& rest) const override {
    LayerRange piece = rest;
    if (rest.pass == Pass::forward) {
      piece.last = std::min(rest.last, rest.first + kPiece);
    } else {
      piece.first = std::max(rest.first, rest.last - kPiece);
    }
    return piece;
  }
  void queue(const LayerWork& part, WorkId) override {
    const LayerRange& layers = part.layers;
    for (int i = 0; i < layers.count(); ++i) {
      write_word(ran_.as<std::uint64_t>() + handed_++, 1, stream_);
    }
  }
  void queue_both(const LayerRange&, WorkId, const DeviceEvent&) override {
    ADD_FAILURE() << "passes that may be given up are handed over in pieces";
  }
  double loss(std::int64_t) const override { return 0; }

  int handed() const { return handed_; }
  int ran() const {
    return static_cast<int>(
        std::count(ran_.as<std::uint64_t>(), ran_.as<std::uint64_t>() + 2 * kLayers, 1U));
  }

 private:
  cudaStream_t stream_;
  PinnedMemory ran_;
  int handed_ = 0;
};

Task<> cancel_while_it_waits(Backend& backend) {
  const WorkId work{0, 0};
  const Stream compute{0, StreamKind::compute};
  const Token late = backend.delay(compute, Seconds{600}, work);
  const Token forward = backend.compute(compute, {Pass::forward, 0, kLayers}, work, late);
  const Token backward = backend.compute(compute, {Pass::backward, 0, kLayers}, work, forward);
  const Token soon = backend.delay({0, StreamKind::input}, Seconds{20e-3}, {});
  co_await backend.finished(0, soon);
  backend.cancel(work);
  co_await backend.finished(0, backward);
}

class CudaLookAheadTest : public DeviceTest {};

/// Two workers that may be given up, the first with layers that are counted.
struct CountedWorker {
  CountedWorker() { place->site.passes[0] = &layers; }
  ExperimentFile file = experiment(2, "devices: {virtual: 2}\nupdate: {kind: k-sync, k: 1}\n");
  Setting setting = make_setting(file.points.front());
  Plan plan = plan_of_execution(setting, 0, nullptr);
  CudaExecution execution{setting, ""};
  std::unique_ptr<Workplace> place = execution.workplace(plan, 0);
  CountedLayers layers{place->streams.of({0, StreamKind::compute})};
};

TEST_F(CudaLookAheadTest, ACancelledMiniBatchLeavesItsLayersOut) {
  CountedWorker worker;
  ASSERT_TRUE(worker.plan.gives_up());
  {
    WallTime time;
    CudaMachine machine(worker.plan, worker.place->site, time);
    machine.start_role(0, cancel_while_it_waits(machine));
    machine.run();
  }
  EXPECT_GT(worker.layers.handed(), 0);
  EXPECT_LE(worker.layers.handed(), 2 * kPiece);
  EXPECT_EQ(worker.layers.ran(), worker.layers.handed());
}

TEST_F(CudaLookAheadTest, AWholeMiniBatchRunsInPieces) {
  CountedWorker worker;
  WallTime time;
  CudaMachine machine(worker.plan, worker.place->site, time);
  machine.start_role(0, [](Backend& backend) -> Task<> {
    const Stream compute{0, StreamKind::compute};
    const Token forward = backend.compute(compute, {Pass::forward, 0, kLayers}, {0, 0});
    const Token backward = backend.compute(compute, {Pass::backward, 0, kLayers}, {0, 0}, forward);
    co_await backend.finished(0, backward);
  }(machine));
  machine.run();
  EXPECT_EQ(worker.layers.ran(), 2 * kLayers);
}

}  // namespace
}  // namespace paceline::cuda
