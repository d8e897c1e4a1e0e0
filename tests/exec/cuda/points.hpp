// SPDX-License-Identifier: MIT
/// \file
/// Small whole points on devices, for tests.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "exec/cuda/accelerator.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/experiment/setting.hpp"

namespace paceline::cuda {

/// A small point of `workers` on the GPUs, modified by `more` lines of YAML.
inline ExperimentFile experiment(int workers, const std::string& more) {
  return load_experiment_text(
      "point.yaml",
      "name: point\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 8\nsteps: 20\nwarmup: 2\ntrain: {evaluate: 11, held_out: 64}\nworkers: " +
          std::to_string(workers) + "\n" + more,
      {});
}

inline Measurement execute(const ExperimentFile& file) {
  const auto accelerator = make_accelerator();
  return accelerator->execute(make_setting(file.points.front()), false);
}

/// Tests with their own cache of algorithms.
template <int devices>
class PointsTest : public DevicesTest<devices> {
 protected:
  void SetUp() override {
    cache_ = testing::TempDir() + "paceline-cache-" + std::to_string(getpid());
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    DevicesTest<devices>::SetUp();
  }
  void TearDown() override { std::filesystem::remove_all(cache_); }

 private:
  std::string cache_;
};

}  // namespace paceline::cuda
