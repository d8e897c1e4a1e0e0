// SPDX-License-Identifier: MIT
// Calls that real cards, drivers and libraries refuse or carry out late.
#include <gmock/gmock.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/executable.hpp"
#include "exec/cuda/facts.hpp"
#include "exec/cuda/kernels/words.hpp"
#include "exec/cuda/network/cuda_network.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"
#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

using testing::HasSubstr;

class RefusalsTest : public PointsTest<3> {};

TEST_F(RefusalsTest, APointOnOneGpuMakesNoContextOnAnother) {
  const ExperimentFile file = experiment(2, "devices: {gpu: 1, virtual: 2}\n");
  const Setting setting = make_setting(file.points.front());
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const std::int64_t before = emulation::counts(0).calls;
  {
    CudaExecution execution(setting, "");
    Recorder recorder(setting.counting);
    EXPECT_EQ(execution.run(0, recorder).status, "ok");
  }
  EXPECT_EQ(emulation::counts(0).calls, before);
  EXPECT_GT(emulation::counts(1).calls, 100);
}

TEST_F(RefusalsTest, GpusWithoutPeerAccessTrain) {
  for (int gpu = 0; gpu < 3; ++gpu) emulation::limit_peers(gpu, 1);
  EXPECT_EQ(execute(experiment(3, "aggregation: {kind: allreduce, algorithm: ring}\n")).status,
            "ok");
}

TEST_F(RefusalsTest, ACallThatNcclRefusesEndsItsPointAlone) {
  const ExperimentFile file = experiment(3, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  const Measurement before = execute(file);
  ASSERT_EQ(before.status, "ok");
  emulation::refuse_next_collective_of(1);
  EXPECT_THAT(execute(file).status, HasSubstr("NCCL: invalid argument"));
  const Measurement after = execute(file);
  ASSERT_EQ(after.status, "ok");
  EXPECT_NEAR(after.curve.back().loss / before.curve.back().loss, 1, 1e-5)
      << "gradients are summed";
}

TEST_F(RefusalsTest, ASumThatBeginsLateIsNotHanging) {
  const ExperimentFile file = load_experiment_text(
      "late.yaml",
      "name: late\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 8\nsteps: 2\nwarmup: 0\nworkers: 2\n"
      "aggregation: {kind: allreduce, algorithm: nccl}\n"
      "stragglers: {compute: {kind: constant, value: 700 ms}}\n",
      {});
  const Setting setting = make_setting(file.points.front());
  CudaExecution execution(setting, "", Seconds{0.25});
  Recorder recorder(setting.counting);
  EXPECT_EQ(execution.run(0, recorder).status, "ok");
}

TEST_F(RefusalsTest, AFaultThatALibraryNoticesHasLostTheContext) {
  const auto lasting = [](auto status) {
    try {
      check(status, "computing");
    } catch (const Error& error) {
      return error.lasting();
    }
    return false;
  };
  const auto message = [] {
    try {
      check(CUBLAS_STATUS_EXECUTION_FAILED, "computing");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_FALSE(lasting(CUDNN_STATUS_EXECUTION_FAILED));
  EXPECT_FALSE(lasting(CUBLAS_STATUS_EXECUTION_FAILED));
  EXPECT_THAT(message(), testing::Not(testing::HasSubstr("after")));
  emulation::fail_kernel(0, 0);
  const DeviceStream stream;
  const DeviceMemory word(sizeof(std::uint64_t));
  write_word(word.as<std::uint64_t>(), 1, stream.get());
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaErrorIllegalAddress);
  EXPECT_TRUE(lasting(CUDNN_STATUS_EXECUTION_FAILED));
  EXPECT_TRUE(lasting(CUBLAS_STATUS_EXECUTION_FAILED));
  EXPECT_TRUE(lasting(ncclUnhandledCudaError));
  EXPECT_THAT(message(), testing::HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED, after: "));
  EXPECT_THAT(message(), testing::HasSubstr("illegal"));
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

TEST_F(RefusalsTest, RecurrentLayersInBf16NeedACudnnThatHasThem) {
  const ExperimentFile file = load_experiment_text(
      "lstm.yaml",
      "name: lstm\nworkers: 1\nprecision: bf16\nmodel:\n  input: {channels: 1, height: 5}\n"
      "  classes: 4\n  blocks: [[{kind: embedding, vocabulary: 10, features: 8},\n"
      "    {kind: lstm, units: 8}, global-average-pool, classifier]]\n",
      {});
  const AcceleratorFacts facts = read_facts();
  EXPECT_EQ(not_executable(file.points.front(), facts), "");
  emulation::set_cudnn_version(91200);
  EXPECT_EQ(not_executable(file.points.front(), facts),
            "an LSTM in bf16 needs cuDNN 9.13 or newer");
}

TEST_F(RefusalsTest, AGpuThatIsTooOldIsNamed) {
  emulation::set_model(1, {"Tesla V100-SXM2-16GB", 7, 0});
  const std::string why =
      "GPU 1 (Tesla V100-SXM2-16GB) is of compute capability 7.0, and the layer of CUDA 13 begins "
      "at 7.5";
  const AcceleratorFacts facts = read_facts();
  ASSERT_EQ(facts.gpus.size(), 3U);
  EXPECT_EQ(not_executable(experiment(1, "").points.front(), facts), "");
  EXPECT_EQ(not_executable(experiment(2, "").points.front(), facts), why);
  EXPECT_EQ(not_executable(experiment(1, "devices: {gpu: 1}\n").points.front(), facts), why);
  for (const int gpu : {0, 2}) emulation::set_model(gpu, {"Tesla P100", 6, 0});
  EXPECT_TRUE(read_facts().gpus.empty());
  EXPECT_EQ(
      read_facts().problem,
      "GPU 0 (Tesla P100) is of compute capability 6.0, and the layer of CUDA 13 begins at 7.5");
}

TEST_F(RefusalsTest, ACudnnForAnotherCudaIsNamed) {
  emulation::set_cudnn_version(91900);
  emulation::set_cudnn_cuda(12090);
  const AcceleratorFacts facts = read_facts();
  EXPECT_TRUE(facts.gpus.empty());
  EXPECT_EQ(facts.problem,
            "cuDNN 9.19.0 is made for CUDA 12.9, not for CUDA 13 (LD_LIBRARY_PATH names folders to "
            "search)");
}

TEST_F(RefusalsTest, AGpuThatCudnnDoesNotKnowIsNamed) {
  emulation::set_model(2, {"NVIDIA B200", 10, 0});
  emulation::set_cudnn_version(90501);
  const AcceleratorFacts facts = read_facts();
  EXPECT_EQ(not_executable(experiment(2, "").points.front(), facts), "");
  EXPECT_EQ(not_executable(experiment(3, "").points.front(), facts),
            "GPU 2 (NVIDIA B200) needs cuDNN 9.7 or newer; this is 9.5.1");
}

}  // namespace
}  // namespace paceline::cuda
