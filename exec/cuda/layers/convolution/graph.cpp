// SPDX-License-Identifier: MIT
// cuDNN's graph interface: for an operation graph the library proposes engines (kernels) with
// values for their knobs; a plan is an engine that is ready to run.
#include <algorithm>
#include <optional>
#include <sstream>

#include "exec/cuda/layers/convolution/algorithm.hpp"
#include "exec/cuda/layers/convolution/backend_descriptor.hpp"
#include "exec/cuda/layers/convolution/numerical_notes.hpp"
#include "exec/cuda/layers/convolution/operation_graph.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// Plans to build per pass. cuDNN orders them by expected time, and an engine that is compiled when
/// its plan is built takes about a second. PyTorch's benchmark also tries 10
/// (torch.backends.cudnn.benchmark_limit). Engines for several operations are mostly compiled.
constexpr std::size_t kMostPlans = 10;
constexpr std::size_t kMostFusedPlans = 5;

/// An engine with its knobs, in the form that the cache stores.
struct Settings {
  struct Knob {
    int type = 0;
    std::int64_t value = 0;
  };
  std::int64_t engine = 0;
  std::vector<Knob> knobs;
};

/// The first words of a cache entry: engines of different graphs have the same numbers.
const char* first_words(const ConvolutionProblem& problem) {
  return problem.is_fused() ? "fused engine" : "graph engine";
}

std::string words_of(const ConvolutionProblem& problem, const Settings& settings) {
  std::string text = first_words(problem) + (" " + std::to_string(settings.engine));
  for (const Settings::Knob& knob : settings.knobs) {
    text += " " + std::to_string(knob.type) + "=" + std::to_string(knob.value);
  }
  return text;
}

std::optional<Settings> settings_in(const ConvolutionProblem& problem, const std::string& text) {
  std::istringstream words(text);
  std::string graph, engine;
  Settings settings;
  words >> graph >> engine >> settings.engine;
  if (!words || graph + " " + engine != first_words(problem)) return std::nullopt;
  Settings::Knob knob;
  char equals = 0;
  while (words >> knob.type >> equals >> knob.value) {
    if (equals != '=') return std::nullopt;
    settings.knobs.push_back(knob);
  }
  return settings;
}

BackendDescriptor engine_of(const BackendDescriptor& configuration) {
  auto engines =
      configuration.descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  if (engines.empty()) throw Error("cuDNN: a configuration without an engine", false);
  return std::move(engines.front());
}

Settings settings_of(const BackendDescriptor& configuration) {
  Settings settings;
  settings.engine = engine_of(configuration).number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  for (const BackendDescriptor& choice :
       configuration.descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                 CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS)) {
    settings.knobs.push_back({static_cast<int>(choice.knob_type(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE)),
                              choice.number(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE)});
  }
  return settings;
}

/// An engine with its knobs set, and the descriptors that it refers to.
struct ReadyEngine {
  std::shared_ptr<const OperationGraph> graph;
  std::vector<BackendDescriptor> parts;
  BackendDescriptor configuration;
};

class GraphAlgorithm final : public ConvolutionAlgorithm {
 public:
  GraphAlgorithm(const Toolbox& tools, const ConvolutionProblem& problem, ReadyEngine engine)
      : tools_(tools),
        problem_(problem),
        text_(words_of(problem, settings_of(engine.configuration))),
        engine_(std::move(engine)),
        plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, tools.cudnn());
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine_.configuration);
    plan_.finalize();
    bytes_ = static_cast<std::size_t>(plan_.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  }

  std::string text() const override { return text_; }
  std::size_t workspace_bytes() const override { return bytes_; }
  bool is_fused() const override { return problem_.is_fused(); }

  void run(const Operands& operands, void* workspace) override {
    check(cudnnBackendExecute(tools_.cudnn(), plan_.get(), arguments(operands, workspace)),
          "running a convolution's plan");
  }

 private:
  struct Bound {
    Operands operands;
    void* workspace;
    BackendDescriptor arguments;
  };

  /// Made once for each layer that has this problem.
  cudnnBackendDescriptor_t arguments(const Operands& operands, void* workspace) {
    const auto found = std::ranges::find_if(bound_, [&](const Bound& bound) {
      return bound.operands == operands && bound.workspace == workspace;
    });
    if (found != bound_.end()) return found->arguments.get();
    const std::vector<GraphAddress> all = addresses_of(problem_, operands);
    std::vector<std::int64_t> ids;
    std::vector<void*> addresses;
    for (const GraphAddress& one : all) {
      ids.push_back(one.id);
      addresses.push_back(one.data);
    }
    BackendDescriptor arguments(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    arguments.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    arguments.set_addresses(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, addresses);
    arguments.set_addresses(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, std::span(&workspace, 1));
    arguments.finalize();
    bound_.push_back({operands, workspace, std::move(arguments)});
    return bound_.back().arguments.get();
  }

  const Toolbox& tools_;
  const ConvolutionProblem problem_;
  const std::string text_;
  const ReadyEngine engine_;
  BackendDescriptor plan_;
  std::size_t bytes_ = 0;
  std::vector<Bound> bound_;
};

/// Null if the engine is not permitted, cannot run or needs too much memory.
std::unique_ptr<ConvolutionAlgorithm> make(const Toolbox& tools, const ConvolutionProblem& problem,
                                           ReadyEngine engine) {
  try {
    const auto notes = engine_of(engine.configuration).notes(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
    // a fused engine repeats, as the kernels do that it replaces
    const bool repeats = tools.deterministic() || problem.is_fused();
    if (!permits(notes, problem.precision, repeats)) return nullptr;
    auto algorithm = std::make_unique<GraphAlgorithm>(tools, problem, std::move(engine));
    if (algorithm->workspace_bytes() <= kWorkspaceLimit) return algorithm;
  } catch (const Error& error) {
    if (error.lasting()) throw;
  }
  return nullptr;
}

/// The proposals of one of cuDNN's heuristics, in its order; empty if it fails.
std::vector<BackendDescriptor> proposals(const OperationGraph& graph, cudnnBackendHeurMode_t mode) {
  constexpr std::int64_t kMostProposals = 64;
  try {
    BackendDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.get());
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
    heuristics.finalize();
    return heuristics.descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                                  kMostProposals);
  } catch (const Error& error) {
    if (error.lasting()) throw;
  }
  return {};
}

}  // namespace

ConvolutionAlgorithms graph_algorithms(const Toolbox& tools, const ConvolutionProblem& problem) {
  const std::size_t most = problem.is_fused() ? kMostFusedPlans : kMostPlans;
  ConvolutionAlgorithms algorithms;
  try {
    const auto graph = std::make_shared<const OperationGraph>(tools.cudnn(), problem);
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
      for (BackendDescriptor& configuration : proposals(*graph, mode)) {
        if (algorithms.size() == most) break;
        auto algorithm = make(tools, problem, {graph, {}, std::move(configuration)});
        if (algorithm) algorithms.push_back(std::move(algorithm));
      }
      if (!algorithms.empty()) break;
    }
  } catch (const Error& error) {  // the legacy calls remain
    if (error.lasting()) throw;
  }
  return algorithms;
}

std::unique_ptr<ConvolutionAlgorithm> graph_algorithm(const Toolbox& tools,
                                                      const ConvolutionProblem& problem,
                                                      const std::string& text) {
  const std::optional<Settings> settings = settings_in(problem, text);
  if (!settings) return nullptr;
  try {
    const auto graph = std::make_shared<const OperationGraph>(tools.cudnn(), problem);
    BackendDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph->get());
    engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, {settings->engine});
    engine.finalize();
    std::vector<BackendDescriptor> choices;
    for (const Settings::Knob& knob : settings->knobs) {
      BackendDescriptor& choice = choices.emplace_back(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
      choice.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, static_cast<cudnnBackendKnobType_t>(knob.type));
      choice.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, {knob.value});
      choice.finalize();
    }
    BackendDescriptor configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
    if (!choices.empty()) configuration.set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, choices);
    configuration.finalize();
    choices.push_back(std::move(engine));
    return make(tools, problem, {graph, std::move(choices), std::move(configuration)});
  } catch (const Error& error) {
    if (error.lasting()) throw;
  }
  return nullptr;
}

}  // namespace paceline::cuda
