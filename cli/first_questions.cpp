// SPDX-License-Identifier: MIT
#include "cli/first_questions.hpp"

#include <array>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

constexpr const char* kNccl = "{kind: allreduce, algorithm: nccl}";
constexpr const char* kAllReduce =
    "{kind: collective, op: all-reduce, size: [8 B, 1 KiB, 1 MiB, 16 MiB, 128 MiB], "
    "algorithm: nccl}";
constexpr const char* kImages =  // threads as those of TensorFlow, on the cores of the DGX-1
    "[{kind: pipeline, decode: {workers: 40, each: share, time: 5 ms}, prefetch: 2}, synthetic]";

using Questions = std::array<FirstQuestion, 6>;

Questions all_questions() {
  return {{
      {"sync-or-async",
       "synchronous or asynchronous updates with stragglers",
       "How much faster does {model} train on {machine} when no worker waits for a straggler?",
       {{"model", "resnet50"},
        {"machine", "dgx1-p100"},
        {"batch", "32"},
        {"update", "[sync, async]"},
        {"aggregation", "parameter-server"},
        {"stragglers", "20 ms"}}},
      {"saturation",
       "the number of workers that saturates a parameter server",
       "How many workers of {machine} train {model} until the parameter server saturates?",
       {{"model", "resnet50"},
        {"machine", "p2-8xlarge-k80"},
        {"nodes", "8"},
        {"network", "ethernet-25g"},
        {"batch", "64"},
        {"update", "async"},
        {"aggregation", "parameter-server"}}},
      {"cluster",
       "several computers on a network",
       "How does {model} scale over {machine}, and does the network bound it?",
       {{"model", "resnet50"},
        {"machine", "dgx1-v100"},
        {"nodes", "4"},
        {"network", "infiniband-edr"},
        {"batch", "64"},
        {"update", "sync"},
        {"aggregation", kNccl}}},
      {"all-reduce",
       "the time of an all-reduce by its size, as nccl-tests measures it",
       "How long does an all-reduce take on {machine}, from 8 bytes to 128 MiB?",
       {{"machine", "dgx1-v100"}, {"workload", kAllReduce}, {"steps", "20"}, {"warmup", "5"}},
       {"simulate {file}", "simulate {file} --set 'workload.algorithm=[ring, nccl]'"}},
      {"input",
       "whether reading and decoding of images bounds training",
       "Does the input pipeline bound {model} on {machine}?",
       {{"model", "alexnet"},
        {"machine", "dgx1-p100"},
        {"batch", "512"},
        {"update", "sync"},
        {"aggregation", kNccl},
        {"input", kImages}}},
      {"gpt",
       "a language model on the GPUs of one computer",
       "How does {model} scale over the GPUs of {machine}, and what bounds it?",
       {{"model", "gpt2"},
        {"machine", "dgx-h100"},
        {"precision", "bf16"},
        {"batch", "16"},
        {"update", "sync"},
        {"aggregation", kNccl}}},
  }};
}

}  // namespace

std::span<const FirstQuestion> first_questions() {
  static const Questions kQuestions = all_questions();
  return kQuestions;
}

const FirstQuestion& question_of_scaling() {
  static const FirstQuestion kQuestion{
      "my-question",
      "how a model scales on a machine",
      "How does {model} scale on {machine}?",
      {{"model", "resnet50"}, {"machine", "dgx1-p100"}, {"batch", "32"}, {"update", "sync"}}};
  return kQuestion;
}

const FirstQuestion& find_question(const std::string& name) {
  std::vector<std::string> names;
  for (const FirstQuestion& question : first_questions()) {
    if (question.name == name) return question;
    names.emplace_back(question.name);
  }
  throw SpecError("paceline: error: " + unknown_name("question", name, names));
}

}  // namespace paceline
