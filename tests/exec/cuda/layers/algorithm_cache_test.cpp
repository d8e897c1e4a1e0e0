// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/algorithm_cache.hpp"

#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

class AlgorithmCacheTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("algorithm_cache_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "algorithms.yaml"; }
  std::string text() const {
    std::ifstream in(file());
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(file()) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(AlgorithmCacheTest, WhatIsSavedIsFound) {
  {
    AlgorithmCache cache(folder_);
    EXPECT_EQ(cache.find("convolution a"), std::nullopt);
    cache.put("convolution a", "legacy 1 math 3");
    cache.put("product b", "cublas 1 2 3");
    EXPECT_EQ(cache.find("convolution a"), "legacy 1 math 3");
    EXPECT_EQ(cache.choices_made(), 2);
  }  // the destructor saves
  const AlgorithmCache again(folder_);
  EXPECT_EQ(again.find("convolution a"), "legacy 1 math 3");
  EXPECT_EQ(again.find("product b"), "cublas 1 2 3");
  EXPECT_EQ(again.find("product c"), std::nullopt);
  EXPECT_EQ(again.choices_made(), 0);
}

TEST_F(AlgorithmCacheTest, AnEntrySaysForWhichDeviceItIs) {
  AlgorithmCache cache(folder_);
  cache.put("convolution a", "legacy 1 math 3");
  cache.save();
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_THAT(text(), testing::StartsWith("# The fastest algorithms"));
  EXPECT_THAT(text(), testing::HasSubstr("\n\"" + std::string(properties.name) + ", "));
  EXPECT_THAT(text(), testing::HasSubstr(": convolution a\": \"legacy 1 math 3\"\n"));
  EXPECT_THAT(text(), testing::HasSubstr("cuDNN "));
}

TEST_F(AlgorithmCacheTest, OthersEntriesAreIgnoredAndKept) {
  {
    AlgorithmCache share(folder_, 0, 16);  // for a part of the GPU
    share.put("convolution a", "legacy 1 math 3");
  }
  {
    AlgorithmCache whole(folder_);
    EXPECT_EQ(whole.find("convolution a"), std::nullopt);
    whole.put("convolution a", "legacy 6 math 3");
  }
  const AlgorithmCache share(folder_, 0, 16), whole(folder_);
  EXPECT_EQ(share.find("convolution a"), "legacy 1 math 3");
  EXPECT_EQ(whole.find("convolution a"), "legacy 6 math 3");
}

TEST_F(AlgorithmCacheTest, TwoAtOnceLoseNothing) {
  AlgorithmCache first(folder_), second(folder_);
  first.put("a", "1");
  second.put("b", "2");
  first.save();
  second.save();
  const AlgorithmCache third(folder_);
  EXPECT_EQ(third.find("a"), "1");
  EXPECT_EQ(third.find("b"), "2");
}

TEST_F(AlgorithmCacheTest, ForeignAndBrokenFilesAreIgnored) {
  std::string good;
  {
    AlgorithmCache cache(folder_);
    cache.put("a", "1");
    cache.save();
    good = text();
  }
  const std::string bytes("\0\xff\"\": \"\n", 8);
  for (const std::string& bad :
       {std::string(), std::string("\n\n"), std::string("model: resnet50\n"), bytes,
        good.substr(good.find('\n')), good.substr(0, good.find('\n') + 1) + "\"a\n\": \"\n\": \"",
        good.substr(0, good.size() / 2), good.substr(0, good.size() - 2)}) {
    write(bad);
    AlgorithmCache cache(folder_);
    EXPECT_EQ(cache.find("a"), std::nullopt) << bad;
    cache.put("b", "2");
    cache.save();
    EXPECT_EQ(AlgorithmCache(folder_).find("b"), "2") << bad;
  }
  write(good + "junk\n\"half\": \"\n");
  EXPECT_EQ(AlgorithmCache(folder_).find("a"), "1");
}

TEST_F(AlgorithmCacheTest, AFolderThatCannotBeWrittenCostsOnlyTheFile) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "file") << "in the way";
  AlgorithmCache cache(folder_ / "file" / "below");
  cache.put("a", "1");
  EXPECT_EQ(cache.find("a"), "1");
  EXPECT_THROW(cache.save(), std::system_error);
  std::filesystem::create_directories(file());  // a folder in place of the file
  AlgorithmCache blocked(folder_);
  blocked.put("a", "1");
  EXPECT_THROW(blocked.save(), std::system_error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}),
            2);  // no temporary files left
}

TEST_F(AlgorithmCacheTest, WithoutAFolderNothingIsKept) {
  AlgorithmCache cache{std::filesystem::path()};
  cache.put("a", "1");
  cache.save();
  EXPECT_EQ(cache.find("a"), "1");
  EXPECT_EQ(cache.path(), "");
}

TEST_F(AlgorithmCacheTest, ThreadsShareOne) {
  AlgorithmCache cache(folder_);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      for (int i = 0; i < 100; ++i) {
        cache.put(std::to_string(t) + " " + std::to_string(i), "x");
        cache.find(std::to_string(3 - t) + " 1");
      }
      cache.save();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const AlgorithmCache again(folder_);
  EXPECT_EQ(cache.choices_made(), 400);
  EXPECT_EQ(again.find("2 99"), "x");
}

}  // namespace
}  // namespace paceline::cuda
