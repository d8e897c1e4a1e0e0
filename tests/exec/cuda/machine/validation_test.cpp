// SPDX-License-Identifier: MIT
// Validation passes of workers on GPUs.
#include <gtest/gtest.h>

#include "exec/cuda/cuda_execution.hpp"
#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

class CudaValidationTest : public PointsTest<1> {};

const std::string kOneWorker = "devices: {virtual: 1}\naggregation: allreduce\n";

TEST_F(CudaValidationTest, ItsTimeIsReportedAndTrainingStaysAsItIs) {
  const Measurement without = execute(experiment(1, kOneWorker));
  EXPECT_EQ(without.validation, std::nullopt);
  for (const char* more :
       {"", "input: {kind: pipeline, decode: {time: 10 us}, prefetch: 1}\n", "precision: bf16\n"}) {
    const Measurement trained = execute(experiment(1, kOneWorker + more));
    const Measurement got = execute(
        experiment(1, kOneWorker + more + "validation: {every: 2, batches: 3, batch: 20}\n"));
    ASSERT_EQ(got.status, "ok") << more;
    EXPECT_GT(*got.validation, 0) << more;
    EXPECT_EQ(got.curve.back().loss, trained.curve.back().loss) << more;
  }
}

TEST_F(CudaValidationTest, APassOfManyItemsTakesItsTime) {
  const Measurement got = execute(load_experiment_text(
      "validation.yaml",
      "name: validation\nmodel: {kind: mlp, inputs: 64, hidden: [64], classes: 4}\n"
      "machine: this\nbatch: 2\nsteps: 10\nwarmup: 2\n" +
          kOneWorker + "validation: {every: 1, batches: 2, batch: 1024}\n",
      {}));
  ASSERT_EQ(got.status, "ok");
  EXPECT_GT(*got.validation, *got.compute) << "2048 items forward, and 2 forward and backward";
}

class OnTwoGpusTest : public PointsTest<2> {};

TEST_F(OnTwoGpusTest, ValidationCheckpointsAndInputsAreCarriedOut) {
  const std::string both =
      "validation: {every: 3, batches: 2, batch: 5}\ncheckpoint: {every: 4, bandwidth: 1 MB/s}\n";
  for (const char* more :
       {"aggregation: {kind: allreduce, algorithm: ring}\n",
        "aggregation: {kind: parameter-server, placement: sharded-gpus}\nupdate: async\n",
        "aggregation: {kind: allreduce, algorithm: ring}\ninput: {kind: constant, items: 100}\n",
        "input: {kind: pipeline, decode: {workers: 2, time: 10 us, processes: true}}\n"}) {
    EXPECT_EQ(execute(experiment(2, both + more)).status, "ok") << more;
  }
}

// The word that gives a mini-batch up ends its validation, too, in pieces of at most a sixteenth.
TEST_F(CudaValidationTest, WorkersThatAreGivenUpValidateOn) {
  const Measurement got = execute(experiment(
      3,
      "devices: {virtual: 3}\nupdate: {kind: k-sync, k: 1}\nvalidation: {every: 1, batches: 2}\n"));
  EXPECT_EQ(got.status, "ok");
  EXPECT_GT(*got.validation, 0);
}

}  // namespace
}  // namespace paceline::cuda
