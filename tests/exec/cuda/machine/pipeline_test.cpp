// SPDX-License-Identifier: MIT
// Input pipelines of GPUs: a mini-batch reads the items that loaders prepared for it, and its slot
// keeps them until its last kernel has ended, however late that is.
#include <gmock/gmock.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/kernels/delay.hpp"
#include "exec/machine/execution_plan.hpp"
#include "tests/exec/cuda/points.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline::cuda {
namespace {

constexpr int kSteps = 8;

/// Inputs and targets of a mini-batch.
using Items = std::vector<float>;

/// In place of arithmetic: notes what the slot of each mini-batch, or validation batch, holds when
/// forward begins, and again some time after the last pass could have ended.
class SlotReader final : public Passes {
 public:
  SlotReader(std::unique_ptr<BatchSource> slots, const BatchSetting& drawn, cudaStream_t stream)
      : slots_(std::move(slots)),
        validates_(drawn.validates),
        inputs_(static_cast<std::size_t>(drawn.input_floats())),
        targets_(static_cast<std::size_t>(drawn.batch)),
        stream_(stream),
        seen_(2 * kSteps * (inputs_ + targets_) * sizeof(float)),
        never_(sizeof(std::int64_t)) {
    *never_.as<std::int64_t>() = -1;
  }

  LayerRange piece(const LayerRange& rest) const override { return rest; }
  void queue(const LayerWork& part, WorkId work) override {
    const LayerRange& layers = part.layers;
    if (layers.first != 0 || validates_ != (layers.pass == Pass::validation)) return;
    const std::int64_t number = validates_ ? part.number : work.step;
    if (number >= kSteps) return;
    const Batch batch = slots_->begin(number);
    if (layers.pass != Pass::backward) note(batch, place(number, false));
    if (layers.pass == Pass::forward) return;
    delay(3'000'000, {never_.as<std::int64_t>(), 0}, stream_);
    note(batch, place(number, true));
  }
  void queue_both(const LayerRange& layers, WorkId work, const DeviceEvent& border) override {
    queue({layers}, work);
    border.record(stream_);
    queue({{Pass::backward, layers.first, layers.last}}, work);
  }
  double loss(std::int64_t) const override { return 0; }

  Items seen(std::int64_t step, bool late) const {
    const float* at = place(step, late);
    return {at, at + inputs_ + targets_};
  }

 private:
  void note(const Batch& batch, float* to) const {
    EXPECT_EQ(
        cudaMemcpyAsync(to, batch.inputs, inputs_ * sizeof(float), cudaMemcpyDefault, stream_),
        cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(to + inputs_, batch.targets, targets_ * sizeof(float),
                              cudaMemcpyDefault, stream_),
              cudaSuccess);
  }
  float* place(std::int64_t step, bool late) const {
    return seen_.as<float>() +
           (2 * step + (late ? 1 : 0)) * static_cast<std::int64_t>(inputs_ + targets_);
  }

  std::unique_ptr<BatchSource> slots_;
  bool validates_;
  std::size_t inputs_, targets_;
  cudaStream_t stream_;
  PinnedMemory seen_, never_;
};

class CudaPipelineTest : public DeviceTest, public testing::WithParamInterface<const char*> {};

/// Runs the pipeline without arithmetic, and expects the items drawn in the slots.
void expect_own_items(const std::string& pipeline, bool validates) {
  const ExperimentFile file = load_experiment_text(
      "pipeline.yaml",
      "name: pipeline\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 6\nsteps: " +
          std::to_string(kSteps + 1) +
          "\nwarmup: 0\ntrain: {held_out: 64}\nworkers: 2\ndevices: {virtual: 2}\n"
          "aggregation: {kind: allreduce, algorithm: ring}\ninput: {kind: pipeline, " +
          pipeline + "}\n" +
          (validates ? "validation: {every: 1, batches: 1, batch: 7, prefetch: 2}\n" : ""),
      {});
  const Setting setting = make_setting(file.points.front());
  const Plan plan = plan_of_execution(setting, 0, nullptr);
  CudaExecution execution(setting, "");
  const std::unique_ptr<Workplace> place = execution.workplace(plan, 0);
  const auto batches = [&](RoleId worker) {
    BatchSetting drawn = execution.batches(worker, 0);
    drawn.validates = validates;
    if (validates) drawn.batch = plan.validation.batch;
    return drawn;
  };
  std::vector<std::unique_ptr<SlotReader>> readers;
  for (RoleId worker = 0; worker < 2; ++worker) {
    readers.push_back(std::make_unique<SlotReader>(
        place->items->source(worker, validates ? Buffer::validation_batch : Buffer::batch),
        batches(worker), place->streams.of({worker, StreamKind::compute})));
    place->site.passes[static_cast<std::size_t>(worker)] = readers.back().get();
  }
  {
    WallTime time;
    CudaMachine machine(plan, place->site, time);
    start_roles(*file.points.front().experiment.aggregation, plan, machine);
    machine.run();
  }
  for (RoleId worker = 0; worker < 2; ++worker) {
    const BatchSetting mine = batches(worker);
    for (std::int64_t step = 0; step < kSteps; ++step) {
      Items expected(static_cast<std::size_t>(mine.input_floats() + mine.batch));
      mine.draw(step, expected.data(), expected.data() + mine.input_floats());
      const SlotReader& reader = *readers[static_cast<std::size_t>(worker)];
      EXPECT_EQ(reader.seen(step, false), expected) << worker << ", step " << step;
      EXPECT_EQ(reader.seen(step, true), expected) << worker << ", step " << step << ", late";
    }
  }
}

TEST_P(CudaPipelineTest, AMiniBatchReadsItsOwnItemsToItsEnd) {
  expect_own_items(GetParam(), false);
}

TEST_P(CudaPipelineTest, AValidationReadsItsOwnItemsToItsEnd) {
  expect_own_items(GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(
    Pipelines, CudaPipelineTest,
    testing::Values("decode: {time: 1 us}, prefetch: 0", "decode: {time: 1 us}, prefetch: 1",
                    "decode: {time: 1 us}, prefetch: 4, staging: 1",
                    "decode: {workers: 2, time: 1 us}, prefetch: 4, staging: 2",
                    "decode: {workers: 3, time: 1 us, each: share}, prefetch: 2, staging: 1",
                    "decode: {time: 1 us, processes: true}, prefetch: 1",
                    "decode: {workers: 2, time: 1 us, processes: true}, prefetch: 3, staging: 1",
                    "decode: {workers: 2, time: 1 us, each: share}, batch: concat, prefetch: 3",
                    "decode: {workers: 2, time: 1 us}, batch: concat, prefetch: 3, staging: 1"));

class CudaPipelineTimeTest : public PointsTest<1> {};

TEST_F(CudaPipelineTimeTest, StepsWaitForLoadersThatAreSlower) {
  for (const char* train : {"", "train: {held_out: 64}\n"}) {
    const ExperimentFile file = load_experiment_text(
        "pipeline.yaml",
        "name: pipeline\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
        "batch: 5\nsteps: 10\nwarmup: 2\ndevices: {virtual: 1}\n"
        "input: {kind: pipeline, decode: {time: 2 ms}, prefetch: 1}\n" +
            std::string(train),
        {});
    const Measurement got = execute(file);
    ASSERT_EQ(got.status, "ok");
    EXPECT_GE(*got.step_mean, Seconds{10e-3}.value()) << "5 items of 2 ms";
    EXPECT_GT(*got.input, 0);
  }
}

}  // namespace
}  // namespace paceline::cuda
