// SPDX-License-Identifier: MIT
#include "training/experiment/assumptions.hpp"

#include <gmock/gmock.h>

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> notes(const std::string& machine) {
  return notes_on_assumptions(load_experiment_text(
      "own.yaml", "name: own\nmodel: resnet50\nbatch: 8\nworkers: [1, 2]\nmachine: " + machine,
      {}));
}

TEST(Assumptions, a_machine_of_ones_own_without_peer_access_is_noted_once) {
  const std::string gpus = "{of: 4xp100-pcie, gpus: [{model: rtx4090, count: 4}], peer_access: ";
  EXPECT_THAT(
      notes(gpus + "none}\n"),
      ElementsAre("own.yaml:5:10: note: 'machine': copies between GPUs without peer access pass "
                  "through host memory, 3.8 GB/s each and 7 GB/s together (assumed; 'copies: "
                  "{staging_limit: ..., staging_bandwidth: ...}' or 'peer_access' of the machine "
                  "say otherwise)"));
  EXPECT_THAT(notes(gpus + "all}\n"), IsEmpty());
}

TEST(Assumptions, presets_and_figures_that_are_given_are_not) {
  EXPECT_THAT(notes("4xp100-pcie\n"), IsEmpty());
  EXPECT_THAT(notes("{of: 4xp100-pcie, count: 2, network: ethernet-10g}\n"), IsEmpty());
  EXPECT_THAT(notes("{of: 4xp100-pcie, gpus: [{model: rtx4090, count: 4}], copies: "
                    "{staging_limit: 4 GB/s, staging_bandwidth: 8 GB/s}}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace paceline
