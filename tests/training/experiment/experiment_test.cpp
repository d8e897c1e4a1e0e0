// SPDX-License-Identifier: MIT
#include "training/experiment/experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

Train read_train(const std::string& yaml, std::string* errors = nullptr) {
  Diagnostics diagnostics;
  Train train = read<Train>(parse_yaml("t", yaml), diagnostics);
  if (errors != nullptr) *errors = join(diagnostics.lines(), "\n");
  return train;
}

TEST(Train, HasDefaults) {
  const Train train = read_train("{}");
  EXPECT_EQ(train.dataset.kind(), "gaussian-mixture");
  EXPECT_EQ(train.held_out, 1024);
  EXPECT_FALSE(train.evaluate || train.target_loss || train.target_accuracy || train.loss_bound);
}

TEST(Train, ReadsWhatIsGiven) {
  std::string errors;
  const Train train = read_train(
      "{dataset: {kind: least-squares, noise: 0.5, condition: 100}, evaluate: 20, held_out: 64, "
      "target_loss: 0.2, target_accuracy: 93.5 %, loss_bound: 50}",
      &errors);
  EXPECT_EQ(errors, "");
  EXPECT_EQ(train.dataset->optimal_loss(), 0.125);
  EXPECT_EQ(train.evaluate, 20);
  EXPECT_EQ(train.held_out, 64);
  EXPECT_EQ(train.target_loss, 0.2);
  EXPECT_DOUBLE_EQ(train.target_accuracy.value().fraction, 0.935);
  EXPECT_EQ(train.loss_bound, 50);
}

TEST(Train, RefusesWhatCannotBe) {
  const auto error_of = [](const std::string& yaml) {
    std::string errors;
    read_train(yaml, &errors);
    return errors;
  };
  EXPECT_EQ(error_of("{evaluate: 0}"), "t:1:12: error: 'evaluate' must be >= 1");
  EXPECT_EQ(error_of("{held_out: 0}"), "t:1:12: error: 'held_out' must be >= 1");
  EXPECT_EQ(error_of("{target_loss: 0}"), "t:1:15: error: 'target_loss' must be > 0");
  EXPECT_EQ(error_of("{target_accuracy: 101 %}"),
            "t:1:19: error: 'target_accuracy' must be <= 100 %");
  EXPECT_EQ(error_of("{loss_bound: -1}"), "t:1:14: error: 'loss_bound' must be > 0");
}

TEST(LoadSoftware, MayBeAnotherWithSomeKeysChanged) {
  const auto load = [](const std::string& text) { return load_software(parse_yaml("t", text)); };
  const Software pytorch = load("pytorch");
  const Software changed = load("{of: pytorch, gpu_variation: 0 %, kernels: {launch: 9 us}}");
  EXPECT_EQ(changed.gpu_variation, Percent{0});
  EXPECT_EQ(changed.kernels.launch, Seconds{9e-6});
  EXPECT_EQ(changed.kernels.dispatch, pytorch.kernels.dispatch);
  EXPECT_EQ(changed.all_reduces, pytorch.all_reduces);
  try {
    load("{of: pytorch, gpu_varition: 0 %}");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("t:1:15: error: unknown key 'gpu_varition' (did you mean "));
  }
}

// A schema that names no `of` would underline it in an editor.
TEST(ReferenceType, AllowsChangesOfAnother) {
  EXPECT_TRUE(Value<Reference<Software>>::type().changes);
}

}  // namespace
}  // namespace paceline
