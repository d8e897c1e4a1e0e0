// SPDX-License-Identifier: MIT
// tests/shell/test_new.py runs the program at a terminal.
#include <sstream>

#include "cli/draft_interview.hpp"
#include "cli/experiment_draft.hpp"
#include "tests/cli/command_fixture.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class NewTest : public CommandTest {
 protected:
  /// The command lines that the last call printed.
  std::vector<std::string> next() const {
    std::vector<std::string> commands;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  paceline ")) commands.push_back(line.substr(11));
    }
    return commands;
  }
};

TEST_F(NewTest, EveryQuestionGivesAFileThatCheckAcceptsAndThatAnswers) {
  for (const FirstQuestion& question : first_questions()) {
    const std::string name = question.name;
    ASSERT_EQ(run({"new", "--question", name}), 0) << err;
    EXPECT_EQ(err, "");
    EXPECT_EQ(next().size(), 2U);
    const std::string text = read(name + ".yaml");
    EXPECT_THAT(text, StartsWith("# yaml-language-server: $schema="));
    EXPECT_THAT(text, HasSubstr("?\nname: " + name));
    const ExperimentFile file = load_experiment_file(name + ".yaml", {});
    EXPECT_EQ(file.name, name);
    EXPECT_THAT(file.question, testing::EndsWith("?"));
    EXPECT_THAT(file.question, testing::Not(HasSubstr("{")));
    EXPECT_EQ(run({"check", name + ".yaml"}), 0) << err;
    EXPECT_EQ(run({"simulate", name + ".yaml", "--no-plot", "--set", "workers=2"}), 0) << err;
  }
}

TEST_F(NewTest, EveryKeyHasAComment) {
  ASSERT_EQ(run({"new", "--question", "sync-or-async"}), 0) << err;
  std::istringstream lines(read("sync-or-async.yaml"));
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (line.front() == '#') continue;
    EXPECT_TRUE(line.find("  # ") != std::string::npos || before.starts_with("# ")) << line;
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST_F(NewTest, OptionsAreTheKeys) {
  ASSERT_EQ(run({"new", "mine", "--model", "vgg16", "--machine", "dgx1-v100", "--workers", "1,2,4",
                 "--update", "sync,{kind: k-sync, k: 50 %}, async", "--batch", "16", "--stragglers",
                 "{kind: gamma, mean: 5 ms, cv: 1}"}),
            0)
      << err;
  EXPECT_THAT(next(), ElementsAre("simulate mine.yaml", "explain mine.yaml"));
  const ExperimentFile file = load_experiment_file("mine.yaml", {});
  EXPECT_EQ(file.question, "Which update policy is fastest for vgg16 on dgx1-v100?");
  EXPECT_THAT(file.swept, ElementsAre("workers", "update"));
  ASSERT_EQ(file.points.size(), 9U);
  const Experiment& one = file.points[4].experiment;
  EXPECT_EQ(one.workers, 2);
  EXPECT_EQ(one.update->kind(), "k-sync");
  EXPECT_EQ(one.batch, 16);
  EXPECT_EQ(one.aggregation.kind(), "parameter-server") << "serves every update policy";
}

TEST_F(NewTest, TheFrameworkIsAnOption) {
  ASSERT_EQ(run({"new", "mine", "--software", "pytorch,horovod"}), 0) << err;
  const ExperimentFile file = load_experiment_file("mine.yaml", {});
  EXPECT_THAT(file.swept, ElementsAre("software", "workers"));
  EXPECT_EQ(run({"new", "other", "--software", "pytorh"}), 2);
  EXPECT_THAT(err, HasSubstr("--software: unknown software 'pytorh' (did you mean 'pytorch'"));
}

TEST_F(NewTest, ANetworkMakesAClusterOfTheMachine) {
  ASSERT_EQ(run({"new", "--nodes", "2", "--network", "ethernet-25g", "-o", "folder/two.yaml"}), 0)
      << err;
  const ExperimentFile file = load_experiment_file("folder/two.yaml", {});
  EXPECT_EQ(file.name, "two");
  EXPECT_EQ(file.points.back().experiment.workers, 16) << "all GPUs";
  EXPECT_EQ(file.question, "How does resnet50 scale on 2 x dgx1-p100 on ethernet-25g?");
}

TEST_F(NewTest, ABatchThatIsNotGivenFitsTheMemory) {
  ASSERT_EQ(run({"new", "--model", "gpt2"}), 0) << err;
  EXPECT_LT(load_experiment_file("my-question.yaml", {}).points[0].experiment.batch, 32);
  EXPECT_THAT(read("my-question.yaml"), HasSubstr("# items per worker and step (32 is too many)"));
  EXPECT_EQ(run({"new", "other", "--model", "gpt2", "--batch", "32"}), 2);
  EXPECT_THAT(err, StartsWith("paceline: error: --batch: "));
}

TEST_F(NewTest, ThisComputerIsMeasuredToo) {
  ASSERT_EQ(run({"new", "--machine", "this", "--model", "mlp"}), 0) << err;
  EXPECT_THAT(next(), ElementsAre("run my-question.yaml", "explain my-question.yaml"));
  EXPECT_THAT(read("my-question.yaml"), HasSubstr("# How does mlp scale on this computer?\n"));
}

// The paths in a file are relative to the file, those on the command line to the working directory.
TEST_F(NewTest, PathsAreWrittenAsTheFileReadsThem) {
  std::filesystem::create_directory("nets");
  write("nets/small.yaml", "# small\nkind: mlp\ninputs: 8\nhidden: [8]\nclasses: 2\n");
  ASSERT_EQ(run({"new", "--model", "nets/small.yaml", "-o", "files/a.yaml"}), 0) << err;
  EXPECT_THAT(read("files/a.yaml"), HasSubstr("\nmodel: ../nets/small.yaml "));
  ASSERT_EQ(run({"new", "--model", "nets/small.yaml", "-o", "nets/b.yaml"}), 0) << err;
  EXPECT_THAT(read("nets/b.yaml"), HasSubstr("\nmodel: small.yaml "));
  ASSERT_EQ(run({"new", "c", "--model", "nets/small.yaml"}), 0) << err;
  EXPECT_THAT(read("c.yaml"), HasSubstr("\nmodel: nets/small.yaml "));
  EXPECT_EQ(run({"check", "files/a.yaml", "nets/b.yaml", "c.yaml"}), 0) << err;
}

TEST_F(NewTest, NoFileIsOverwritten) {
  write("mine.yaml", "precious");
  EXPECT_EQ(run({"new", "mine"}), 2);
  EXPECT_EQ(err,
            "paceline: error: 'mine.yaml' exists (give another name, or --force to replace it)\n");
  EXPECT_EQ(run({"new", "-o", "mine.yaml"}), 2);
  EXPECT_EQ(run({"new", "mine.yaml"}), 2) << "the suffix may be given";
  EXPECT_EQ(read("mine.yaml"), "precious");
  EXPECT_EQ(run({"new", "mine", "--force"}), 0) << err;
  EXPECT_THAT(read("mine.yaml"), HasSubstr("name: mine"));
}

TEST_F(NewTest, TheSchemaOfTheFoldersAboveIsNamedByARelativePath) {
  write("nothing", "");
  std::filesystem::create_directory("experiments");
  write("experiments/schema.json", "{}");
  EXPECT_EQ(schema_beside("mine.yaml"), "experiments/schema.json");
  EXPECT_EQ(schema_beside("a/b/mine.yaml"), "../../experiments/schema.json");
  EXPECT_EQ(schema_beside("experiments/mine.yaml"), "schema.json");
  EXPECT_THAT(schema_beside("/nowhere/mine.yaml"), StartsWith("/"));
}

struct Wrong {
  std::vector<std::string> args;
  std::string line;
};

class NewRefuses : public CommandTest, public testing::WithParamInterface<Wrong> {};

TEST_P(NewRefuses, InOneLineAndWritesNothing) {
  std::vector<std::string> args{"new"};
  args.insert(args.end(), GetParam().args.begin(), GetParam().args.end());
  EXPECT_EQ(run(args), 2);
  EXPECT_THAT(err, StartsWith("paceline: error: " + GetParam().line));
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  EXPECT_EQ(out, "");
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::current_path()));
}

INSTANTIATE_TEST_SUITE_P(
    All, NewRefuses,
    testing::Values(
        Wrong{{"--model", "resnt50"}, "--model: unknown model 'resnt50' (did you mean 'resnet50'?"},
        Wrong{{"--machine", "dgx1-p10"},
              "--machine: unknown machine 'dgx1-p10' (did you mean 'dgx1-p100'?"},
        Wrong{{"--nodes", "2", "--network", "ethernet-25"},
              "--nodes, --network: unknown link 'ethernet-25' (did you mean 'ethernet-25g'?"},
        Wrong{{"--update", "asnyc"}, "--update: unknown update policy 'asnyc' (did you mean"},
        Wrong{{"--workers", "1,none"}, "--workers: 'none' is not an integer"},
        Wrong{{"--workers", "0"}, "--workers: 'workers' must be >= 1"},
        Wrong{{"--model", "[resnet50"}, "--model: a '[' is never closed"},
        Wrong{{"--model", "resnet50\nname: other"}, "--model takes one line of text"},
        Wrong{{"--network", "ethernet-25g"}, "--network needs --nodes (the number of computers)"},
        Wrong{{"--question", "clustr"}, "unknown question 'clustr' (did you mean 'cluster'?"},
        Wrong{{"one", "two"}, "new takes one NAME (lists have commas: --workers 1,2,4)"},
        Wrong{{"--model", "resnt50", "-o", "new/folder/x.yaml"}, "--model: unknown model"},
        Wrong{{"folder/name"}, "NAME: a name must not contain '/'"}));

TEST(DraftInterview, TakesDefaultsAndAsksAgainForWhatIsWrong) {
  std::istringstream in("\n resnt50\nvgg16\n\npytorh\npytorch\nmany\n64\n1,2\nsync,async\n\n");
  std::ostringstream out;
  Interview interview{in, out};
  const FirstQuestion& question = interview.question();
  EXPECT_EQ(&question, &question_of_scaling());
  ExperimentDraft draft(question);
  interview.keys(draft, true, "mine.yaml");
  EXPECT_THAT(out.str(), HasSubstr("  3 cluster "));
  EXPECT_THAT(out.str(), HasSubstr("unknown model 'resnt50' (did you mean 'resnet50'?"));
  EXPECT_THAT(out.str(), HasSubstr("framework (paceline list software) [native]: "));
  EXPECT_THAT(out.str(), HasSubstr("unknown software 'pytorh' (did you mean 'pytorch'"));
  EXPECT_THAT(out.str(), HasSubstr("numbers of workers [1, 2, 4, 8]: "));
  const std::string text = draft.checked_text("mine.yaml");
  for (const char* line :
       {"\nmodel: vgg16 ", "\nmachine: dgx1-p100 ", "\nsoftware: pytorch ", "\nbatch: 64 ",
        "\nworkers: [1, 2] ", "\nupdate: [sync, async] ", "\naggregation: parameter-server "})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(DraftInterview, KnowsTheQuestionsByNameAndNumber) {
  std::ostringstream out;
  std::istringstream in("clustr\ncluster\n2\n7\n");
  Interview interview{in, out};
  EXPECT_STREQ(interview.question().name, "cluster");
  EXPECT_THAT(out.str(), HasSubstr("(did you mean 'cluster'?"));
  EXPECT_STREQ(interview.question().name, "saturation");
  EXPECT_EQ(&interview.question(), &question_of_scaling());
  EXPECT_THROW(interview.question(), SpecError) << "the input has ended";
}

}  // namespace
}  // namespace paceline
