// SPDX-License-Identifier: MIT
// The emulated NCCL: sums over ranks of one process, and the faults of real ones.
#include <thread>

#include <gmock/gmock.h>

#include <nccl.h>

#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/arrays.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"

namespace paceline::cuda::emulation {
namespace {

constexpr int kRanks = 4;

class NcclTest : public DevicesTest<kRanks> {
 protected:
  /// Non-blocking communicators of all ranks; rank i is on devices[i].
  std::vector<ncclComm_t> meet(const std::vector<int>& devices) {
    ncclUniqueId id;
    EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    std::vector<ncclComm_t> comms(devices.size());
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      EXPECT_EQ(cudaSetDevice(devices[rank]), cudaSuccess);
      EXPECT_EQ(ncclCommInitRankConfig(&comms[rank], static_cast<int>(devices.size()), id,
                                       static_cast<int>(rank), &config),
                ncclInProgress);
    }
    EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
    return comms;
  }

  static ncclResult_t settled(ncclComm_t comm) {
    ncclResult_t state = ncclInProgress;
    for (int i = 0; i < 3 && state == ncclInProgress; ++i) {
      EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
    }
    return state;
  }

  /// A sum of `number` over all ranks, in place; the addends are rank + i.
  struct Ranks {
    std::vector<std::unique_ptr<DeviceStream>> streams;
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    static constexpr std::size_t kCount = 100;
    explicit Ranks(Number number) {
      for (int rank = 0; rank < kRanks; ++rank) {
        check(cudaSetDevice(rank), "device");
        streams.push_back(std::make_unique<DeviceStream>());
        memory.push_back(std::make_unique<DeviceMemory>(kCount * bytes_of(number)));
        std::vector<std::byte> values(memory.back()->bytes());
        for (std::size_t i = 0; i < kCount; ++i) {
          Writer(values.data(), number)
              .set(static_cast<std::int64_t>(i), static_cast<float>(rank) + static_cast<float>(i));
        }
        check(cudaMemcpy(memory.back()->data(), values.data(), values.size(), cudaMemcpyDefault),
              "filling");
      }
    }
    ncclResult_t sum(const std::vector<ncclComm_t>& comms, ncclDataType_t type) {
      ncclGroupStart();
      for (std::size_t rank = 0; rank < comms.size(); ++rank) {
        const ncclResult_t status =
            ncclAllReduce(memory[rank]->data(), memory[rank]->data(), kCount, type, ncclSum,
                          comms[rank], streams[rank]->get());
        if (status != ncclInProgress) {
          ncclGroupEnd();
          return status;
        }
      }
      return ncclGroupEnd();
    }
  };
};

TEST_F(NcclTest, SumsOverAllRanks) {
  for (const auto& [type, number] :
       {std::pair{ncclFloat, Number::fp32}, std::pair{ncclBfloat16, Number::bf16}}) {
    const auto comms = meet({0, 1, 2, 3});
    for (const ncclComm_t comm : comms) EXPECT_EQ(settled(comm), ncclSuccess);
    Ranks ranks(number);
    EXPECT_EQ(ranks.sum(comms, type), ncclInProgress);
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(settled(comms[rank]), ncclSuccess);
      ASSERT_EQ(cudaStreamSynchronize(ranks.streams[rank]->get()), cudaSuccess);
      const Reader sums(ranks.memory[rank]->data(), number);
      for (int i = 0; i < 60; ++i) EXPECT_EQ(sums[i], 6.0F + 4.0F * static_cast<float>(i));
      EXPECT_EQ(ncclCommDestroy(comms[rank]), ncclSuccess);
    }
  }
}

TEST_F(NcclTest, TwoRanksOnOneDeviceAreRefused) {
  const auto comms = meet({0, 1, 1});
  for (const ncclComm_t comm : comms) {
    EXPECT_EQ(settled(comm), ncclInvalidUsage);
    EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
    EXPECT_EQ(ncclCommAbort(comm), ncclInvalidArgument);
  }
}

TEST_F(NcclTest, ACallBeforeTheLastOneCompletesIsRefused) {
  const auto comms = meet({0, 1, 2, 3});
  Ranks ranks(Number::fp32);
  EXPECT_EQ(ranks.sum(comms, ncclFloat), ncclInvalidArgument);
  for (const ncclComm_t comm : comms) ncclCommAbort(comm);
}

TEST_F(NcclTest, AFailedSumKeepsItsStreamsUntilItIsAborted) {
  for (const ncclResult_t failure : {ncclRemoteError, ncclInProgress, ncclSuccess}) {
    const auto comms = meet({0, 1, 2, 3});
    for (const ncclComm_t comm : comms) EXPECT_EQ(settled(comm), ncclSuccess);
    Ranks ranks(Number::fp32);
    if (failure == ncclSuccess) {
      hang_next_collective();
    } else {
      fail_next_collective(failure);
    }
    EXPECT_EQ(ranks.sum(comms, ncclFloat), ncclInProgress);
    for (const ncclComm_t comm : comms) EXPECT_EQ(settled(comm), failure);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(cudaStreamQuery(ranks.streams[2]->get()), cudaErrorNotReady);
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(ncclCommAbort(comms[rank]), ncclSuccess);
      EXPECT_EQ(cudaStreamSynchronize(ranks.streams[rank]->get()), cudaSuccess);
    }
  }
}

}  // namespace
}  // namespace paceline::cuda::emulation
