// SPDX-License-Identifier: MIT
#include "training/profile/profile.hpp"

#include <gtest/gtest.h>

#include "tests/training/profile/measured_profile.hpp"
#include "training/profile/bounds.hpp"

namespace paceline {
namespace {

Workload workload() {
  Workload of;
  of.network = "resnet50";
  of.parameters = 25'557'032;
  of.layers = 2;
  of.batch = 64;
  of.optimizer = "momentum";
  of.precision = Precision::bf16;
  of.layout = Layout::nhwc;
  of.gpu = "NVIDIA H200";
  of.virtual_gpus = 8;
  return of;
}

Profile whole_profile() {
  Profile profile = measured_profile(2);
  profile.links.front().driver = BytesPerSecond{51e9};
  profile.links.front().theory = BytesPerSecond{63.015e9};
  profile.links.front().theory_source = "PCIe 5.0 x16";
  profile.gpus.front().clocks = "1980 MHz SM, 3201 MHz memory";
  ExchangeProfile exchange;
  exchange.memory.push_back({Bytes{131072}, BytesPerSecond{9e10}, BytesPerSecond{5e10},
                             BytesPerSecond{4e10}, BytesPerSecond{3e10}});
  profile.exchange = exchange;
  CollectiveProfile sum;
  sum.gpus = 2;
  sum.latency = Seconds{20e-6};
  sum.bandwidth = BytesPerSecond{100e9};
  sum.sizes = {Bytes{1024}};
  sum.times = {Seconds{20.01e-6}};
  profile.collectives.push_back(sum);
  NetworkProfile times(workload());
  times.forward = {Seconds{1e-3}, Seconds{0}};
  times.backward = {Seconds{2e-3}, Seconds{0}};
  times.update = times.reduce = times.copy = Seconds{1e-4};
  times.cpu_update = Seconds{5e-3};
  times.sms = 16;
  times.shared.push_back({8, Seconds{1.2e-3}, Seconds{2.3e-3}});
  times.after_sleep.push_back({Seconds{1e-3}, Seconds{1e-4}});
  profile.networks.push_back(times);
  return profile;
}

TEST(ProfileTest, ReadsBackAsItWasWritten) {
  const Profile profile = whole_profile();
  const Tree tree = write_keys(profile);
  Diagnostics diagnostics;
  const Profile again = read<Profile>(tree, diagnostics);
  diagnostics.throw_if_any();
  EXPECT_EQ(to_flow(write_keys(again)), to_flow(tree));
  EXPECT_EQ(again.gpus.front().clocks, "1980 MHz SM, 3201 MHz memory");
  EXPECT_EQ(again.links.size(), profile.links.size());
  EXPECT_EQ(again.networks.front().shared.front().workers, 8);
  EXPECT_EQ(again.networks.front().after_sleep.front().longer, Seconds{1e-4});
  EXPECT_EQ(again.networks.front().cpu_reduce, std::nullopt);
}

TEST(ProfileTest, TimesAreOfJustTheirWorkload) {
  const Profile profile = whole_profile();
  ASSERT_NE(profile.find(workload()), nullptr);
  const auto changed = [&](auto change) {
    Workload other = workload();
    change(other);
    return profile.find(other);
  };
  EXPECT_EQ(changed([](Workload& of) { of.batch = 32; }), nullptr);
  EXPECT_EQ(changed([](Workload& of) { of.precision = Precision::fp32; }), nullptr);
  EXPECT_EQ(changed([](Workload& of) { of.layout = Layout::nchw; }), nullptr);
  EXPECT_EQ(changed([](Workload& of) { of.gpu = ""; }), nullptr);
  EXPECT_EQ(changed([](Workload& of) { of.virtual_gpus = 1; }), nullptr);
  EXPECT_EQ(changed([](Workload& of) { of.optimizer = "adam"; }), nullptr);
  EXPECT_EQ(changed([](Workload& of) { of.layers = 3; }), nullptr);
  EXPECT_EQ(changed([](Workload& of) { of.dataset = "cifar10"; }), nullptr);
}

TEST(ProfileTest, TimesSleptAscend) {
  Profile profile = whole_profile();
  std::vector<AfterSleep>& sleeps = profile.networks.front().after_sleep;
  sleeps = {{Seconds{1e-3}, Seconds{1e-4}}, {Seconds{3e-3}, Seconds{1e-4}}};
  EXPECT_EQ(impossible_figure(profile), "");
  const std::string wrong =
      "network 'resnet50': 'after_sleep' is not in ascending order of 'slept'";
  sleeps.push_back(sleeps.back());
  EXPECT_EQ(impossible_figure(profile), wrong) << "a time twice";
  sleeps.back().slept = Seconds{2e-3};
  EXPECT_EQ(impossible_figure(profile), wrong);
}

TEST(ProfileTest, RatesOfMemoryAscendAndThereIsOne) {
  Profile profile = whole_profile();
  std::vector<MemoryRates>& rows = profile.exchange->memory;
  EXPECT_EQ(impossible_figure(profile), "");
  rows.push_back(rows.front());
  EXPECT_EQ(impossible_figure(profile),
            "exchange: 'memory' is not in ascending order of 'touched'");
  rows.clear();
  EXPECT_EQ(impossible_figure(profile), "exchange: 'memory' is empty");
}

TEST(ProfileTest, ALinkIsThatOfCopiesAlone) {
  Profile profile = whole_profile();
  LinkProfile together = measured_link("host", "gpu0", 10e-6, 1e9);
  together.at_once = 2;
  profile.links.insert(profile.links.begin(), together);
  ASSERT_NE(profile.link("host", "gpu0"), nullptr);
  EXPECT_NEAR(profile.link("host", "gpu0")->bandwidth.value(), 50e9, 1e3);
  EXPECT_EQ(profile.link("gpu0", "gpu1"), nullptr);
}

}  // namespace
}  // namespace paceline
