// SPDX-License-Identifier: MIT
// --save and --load: files of trained weights, and runs that begin with them.
#include "cli/trained_weights.hpp"

#include <cstdlib>

#include "cli/profile_file.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "training/learning/saved_weights.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kSmall = R"(name: small
model: {kind: softmax, inputs: 2, classes: 2}
machine: dgx1-p100
batch: 4
workers: [1, 2]
optimizer: {kind: sgd, learning_rate: 0.1}
train: {dataset: gaussian-mixture}
steps: 5
warmup: 0
)";

constexpr const char* kHere = R"(name: here
model: {kind: mlp, inputs: 4, hidden: [8], classes: 2}
machine: this
batch: 4
workers: 1
train: {dataset: gaussian-mixture}
steps: 8
warmup: 1
repeats: 2
)";

class TrainedWeightsTest : public CommandTest {
 protected:
  static std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/weights", none)) {
      files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  /// The only file of weights in a results folder.
  static std::string file_in(const std::string& folder) {
    const std::vector<std::string> files = files_in(folder);
    EXPECT_EQ(files.size(), 1U) << folder;
    return files.empty() ? "" : files.front();
  }
  /// The numbers of a file, without its header.
  static std::string data_of(const std::string& file) {
    const std::string bytes = read(file);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    return bytes.substr(sizeof length + length);
  }
  /// Runs write_weights.py; its output. Skips the test without Python.
  std::string python(const std::string& words) {
    const std::string script = std::string(PACELINE_SOURCE_DIR) + "/tests/cli/write_weights.py";
    const std::string line = "python3 '" + script + "' " + words + " > python.txt 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << read("python.txt");
    return read("python.txt");
  }
  static bool without_python() { return std::system("python3 --version > /dev/null 2>&1") != 0; }
};

TEST_F(TrainedWeightsTest, EachTrainedPointLeavesAFileThatPythonReads) {
  if (without_python()) GTEST_SKIP() << "no python3";
  write("small.yaml", kSmall);
  ASSERT_EQ(run({"simulate", "small.yaml", "--save"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\nweights: results/small/weights\n"));
  const std::vector<std::string> files = files_in("results/small");
  ASSERT_EQ(files.size(), 2U);
  const std::string manifest = read("results/small/manifest.json");
  for (const std::string& file : files) {
    EXPECT_THAT(manifest, HasSubstr("\"file\": \"" + file.substr(14) + "\""));  // results/small/
    const std::string shown = python("--read " + file);
    EXPECT_THAT(shown, HasSubstr("experiment: small\npoint: workers="));
    EXPECT_THAT(shown, HasSubstr("source: predicted\nmodel: softmax\n"));
    EXPECT_THAT(shown, HasSubstr("\nfc0.weight F32 [2, 2] "));
    EXPECT_THAT(shown, HasSubstr("\nfc0.bias F32 [2] "));
  }
  EXPECT_NE(data_of(files[0]), data_of(files[1]));
  // a second run has nothing to do, and one without the files runs again
  const std::string before = read(files[0]);
  ASSERT_EQ(run({"simulate", "small.yaml", "--save"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("2 of 2 points reused"));
  std::filesystem::remove(files[0]);
  ASSERT_EQ(run({"simulate", "small.yaml", "--save"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("1 of 2 points reused"));
  EXPECT_EQ(read(files[0]), before);
}

TEST_F(TrainedWeightsTest, WithoutSaveThereAreNone) {
  write("small.yaml", kSmall);
  ASSERT_EQ(run({"simulate", "small.yaml"}), 0) << err;
  EXPECT_FALSE(std::filesystem::exists("results/small/weights"));
  EXPECT_THAT(read("results/small/manifest.json"), Not(HasSubstr("\"weights\"")));
}

TEST_F(TrainedWeightsTest, ThreadsAndTheSimulatorEndWithTheSameBits) {
  write("here.yaml", kHere);
  save_profile(default_profile_path(), made_up_profile());
  ASSERT_EQ(run({"run", "here.yaml", "--save", "--quiet"}), 0) << err;
  const std::vector<std::string> files = files_in("results/here");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_NE(read(files[0]), read(files[1]));  // the metadata have the source
  EXPECT_EQ(data_of(files[0]), data_of(files[1]));
}

// A data set of one image gives the same mini-batch at every step, so that the second half does not
// depend on the step at which it begins.
TEST_F(TrainedWeightsTest, TwoHalvesAreTheWholeWithoutMemory) {
  std::filesystem::create_directory("images");
  std::string image(3073, '\0');
  for (std::size_t i = 1; i < image.size(); ++i) image[i] = static_cast<char>(i * i % 251);
  for (const char* name : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                           "data_batch_5", "test_batch"}) {
    write(std::string("images/") + name + ".bin", image);
  }
  write("halves.yaml", R"(name: halves
model: {input: {channels: 3, height: 32, width: 32}, classes: 10,
        blocks: [{channels: 4, kernel: 3, stride: 4, batch_norm: scale}, global-average-pool,
                 classifier]}
machine: dgx1-p100
batch: 2
workers: 1
optimizer: {kind: sgd, learning_rate: 0.05}
train: {dataset: {kind: cifar-10, path: images, flip: false}}
steps: 6
warmup: 0
)");
  ASSERT_EQ(run({"simulate", "halves.yaml", "--save", "-o", "half"}), 0) << err;
  ASSERT_EQ(run({"simulate", "halves.yaml", "--save", "-o", "end", "--load", file_in("half")}), 0)
      << err;
  ASSERT_EQ(run({"simulate", "halves.yaml", "--save", "-o", "whole", "--set", "steps=12"}), 0)
      << err;
  EXPECT_NE(data_of(file_in("half")), data_of(file_in("end")));
  EXPECT_EQ(data_of(file_in("end")), data_of(file_in("whole")));
}

TEST_F(TrainedWeightsTest, AFileOfPythonIsLoaded) {
  if (without_python()) GTEST_SKIP() << "no python3";
  write("small.yaml", kSmall);
  python("w.safetensors fc0.bias=2=7 fc0.weight=2x2=1");
  // without a step that changes them, the weights of the end are those of the file
  ASSERT_EQ(run({"simulate", "small.yaml", "--load", "w.safetensors", "--save", "--set",
                 "workers=1", "--set", "optimizer.learning_rate=1e-30", "-o", "loaded"}),
            0)
      << err;
  const std::string shown = python("--read " + file_in("loaded"));
  EXPECT_THAT(shown, HasSubstr("fc0.weight F32 [2, 2] 1.0 2.0 3.0 4.0\n"));
  EXPECT_THAT(shown, HasSubstr("fc0.bias F32 [2] 7.0 8.0\n"));
  const std::string manifest = read("loaded/manifest.json");
  EXPECT_THAT(manifest, HasSubstr("\"file\": \"w.safetensors\""));
  EXPECT_THAT(manifest, HasSubstr("\"hash\": \""));
}

TEST_F(TrainedWeightsTest, InitialWeightsArePartOfAPoint) {
  if (without_python()) GTEST_SKIP() << "no python3";
  write("small.yaml", kSmall);
  python("a.safetensors fc0.weight=2x2=1 fc0.bias=2=7");
  python("b.safetensors fc0.weight=2x2=2 fc0.bias=2=7");
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "r"}), 0) << err;
  const std::string drawn = read("r/curves.csv");
  std::vector<std::string> curves{drawn};
  for (const char* file : {"a.safetensors", "b.safetensors"}) {
    ASSERT_EQ(run({"simulate", "small.yaml", "-o", "r", "--load", file}), 0) << err;
    EXPECT_THAT(err, Not(HasSubstr("reused"))) << file;
    for (const std::string& before : curves) EXPECT_NE(read("r/curves.csv"), before);
    curves.push_back(read("r/curves.csv"));
  }
  std::filesystem::rename("a.safetensors", "c.safetensors");
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "r", "--load", "c.safetensors"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("2 of 2 points reused"));
  EXPECT_EQ(read("r/curves.csv"), curves[1]);
  // another folder, like that of changed keys
  ASSERT_EQ(run({"simulate", "small.yaml", "--load", "c.safetensors"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("results: results/small@load="));
}

TEST_F(TrainedWeightsTest, WrongFilesAreOneLine) {
  if (without_python()) GTEST_SKIP() << "no python3";
  write("small.yaml", kSmall);
  python("w.safetensors fc0.weight=2x3=1 fc0.bias=2=7");
  EXPECT_EQ(run({"simulate", "small.yaml", "--load", "w.safetensors"}), 2);
  EXPECT_EQ(err,
            "w.safetensors: error: tensor 'fc0.weight' has the shape [2, 3], but in 'softmax' it "
            "has [2, 2]\n");
  write("w.safetensors", "no such thing");
  EXPECT_EQ(run({"simulate", "small.yaml", "--load", "w.safetensors"}), 2);
  EXPECT_THAT(err, StartsWith("w.safetensors: error: not a safetensors file, or cut off"));
  EXPECT_EQ(run({"simulate", "small.yaml", "--load", "none"}), 2);
  EXPECT_EQ(err, "paceline: error: cannot read 'none'\n");
  EXPECT_EQ(run({"simulate", "small.yaml", "--load", "."}), 2);
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(TrainedWeightsTest, PointsWithoutTrainingHaveNone) {
  const std::string untrained = "name: untrained\nmodel: mlp\nmachine: dgx1-p100\nsteps: 3\n";
  write("untrained.yaml", untrained);
  for (const char* option : {"--save", "--load=w"}) {
    EXPECT_EQ(run({"simulate", "untrained.yaml", option}), 2);
    EXPECT_EQ(err, "paceline: error: " + std::string(option).substr(0, 6) +
                       " needs a point that trains (add 'train: {}' to the file, or --set "
                       "train={})\n");
  }
  EXPECT_FALSE(std::filesystem::exists("results"));
  EXPECT_EQ(run({"simulate", "untrained.yaml", "--save", "--set", "train={}", "-o", "r"}), 0)
      << err;
  EXPECT_EQ(files_in("r").size(), 1U);
  // beside points that train, one line
  write("small.yaml", kSmall);
  ASSERT_EQ(run({"simulate", "small.yaml", "untrained.yaml", "--save", "-o", "both"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("note: of 1 point, 1 without training, so without weights to save "
                             "(the first: point 0)\n"));
  EXPECT_EQ(files_in("both/small").size(), 2U);
  EXPECT_TRUE(files_in("both/untrained").empty());
}

TEST_F(TrainedWeightsTest, DivergedPointsHaveNone) {
  write("small.yaml", kSmall);
  ASSERT_EQ(run({"simulate", "small.yaml", "--save", "--set", "workers=1", "--set",
                 "train.loss_bound=1e-9", "-o", "r"}),
            0)
      << err;
  EXPECT_THAT(err, HasSubstr("note: point 0, predicted: diverged at "));
  EXPECT_THAT(err, HasSubstr("; its weights are not saved\n"));
  EXPECT_TRUE(files_in("r").empty());
}

// Loaded weights may be so good that ten times their loss is nothing.
TEST_F(TrainedWeightsTest, GoodInitialWeightsDoNotLookLikeDivergence) {
  write("small.yaml", kSmall);
  ASSERT_EQ(run({"simulate", "small.yaml", "--save", "--set", "workers=1", "--set", "steps=2000",
                 "-o", "a"}),
            0)
      << err;
  ASSERT_EQ(run({"simulate", "small.yaml", "--load", file_in("a"), "--set", "workers=1", "--set",
                 "steps=2000", "-o", "b"}),
            0)
      << err;
  EXPECT_THAT(read("b/results.csv"), Not(HasSubstr("diverged")));
}

}  // namespace
}  // namespace paceline
