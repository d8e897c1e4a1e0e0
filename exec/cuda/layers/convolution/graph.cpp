// SPDX-License-Identifier: MIT
// cuDNN's graph interface: the pass is a graph of one operation; the library proposes engines
// (kernels) with values for their knobs; a plan is an engine that is ready to run.
#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "exec/cuda/kernels/accumulate.hpp"
#include "exec/cuda/layers/convolution/algorithm.hpp"
#include "exec/cuda/layers/convolution/backend_descriptor.hpp"
#include "exec/cuda/layers/convolution/numerical_notes.hpp"
#include "exec/cuda/layers/cudnn_descriptors.hpp"
#include "exec/cuda/layers/scratch.hpp"

namespace paceline::cuda {
namespace {

/// Plans to build per pass. cuDNN orders them by expected time, and an engine that is compiled when
/// its plan is built takes about a second. PyTorch's benchmark also tries 10
/// (torch.backends.cudnn.benchmark_limit).
constexpr std::size_t kMostPlans = 10;

enum Uid : std::int64_t { image_uid = 'x', filters_uid = 'w', map_uid = 'y' };

/// A packed tensor; cuDNN's order of dimensions does not depend on the layout in memory.
BackendDescriptor tensor(const ConvolutionProblem& problem, Uid uid, std::int64_t outer,
                         std::int64_t channels, std::int64_t height, std::int64_t width) {
  const std::array<std::int64_t, 4> sizes{outer, channels, height, width};
  const std::int64_t item = channels * height * width;
  std::array<std::int64_t, 4> strides{item, height * width, width, 1};
  if (problem.layout == Layout::nhwc) strides = {item, 1, width * channels, channels};
  BackendDescriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, {uid});
  descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, data_type_of(problem.element()));
  descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {problem.alignment});
  descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
  descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
  descriptor.finalize();
  return descriptor;
}

BackendDescriptor convolution(const ConvolutionProblem& problem) {
  const Padding& padding = problem.padding;
  BackendDescriptor descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  descriptor.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  descriptor.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {padding.top, padding.left});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {padding.bottom, padding.right});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  descriptor.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {problem.stride, problem.stride});
  descriptor.finalize();
  return descriptor;
}

/// The names of a pass's operation and of its attributes.
struct OperationNames {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t image, filters, map, convolution, alpha, beta;
};

OperationNames names_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case Pass::data_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case Pass::weight_gradient:
      break;
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}

/// The graph of one pass, with the descriptors that it refers to.
class Graph {
 public:
  Graph(cudnnHandle_t cudnn, const ConvolutionProblem& problem)
      : image_(tensor(problem, image_uid, problem.batch, problem.image.channels,
                      problem.image.height, problem.image.width)),
        filters_(tensor(problem, filters_uid, problem.map.channels, problem.image.channels,
                        problem.kernel_height, problem.kernel_width)),
        map_(tensor(problem, map_uid, problem.batch, problem.map.channels, problem.map.height,
                    problem.map.width)),
        convolution_(convolution(problem)),
        operation_(names_of(problem.pass).type),
        graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    const OperationNames names = names_of(problem.pass);
    operation_.set(names.image, image_);
    operation_.set(names.filters, filters_);
    operation_.set(names.map, map_);
    operation_.set(names.convolution, convolution_);
    operation_.set(names.alpha, 1.0F);
    operation_.set(names.beta, 0.0F);
    operation_.finalize();
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, cudnn);
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation_);
    graph_.finalize();
  }
  const BackendDescriptor& get() const { return graph_; }

 private:
  BackendDescriptor image_, filters_, map_, convolution_, operation_, graph_;
};

/// An engine with its knobs, in the form that the cache stores.
struct Settings {
  struct Knob {
    int type = 0;
    std::int64_t value = 0;
  };
  std::int64_t engine = 0;
  std::vector<Knob> knobs;
};

std::string words_of(const Settings& settings) {
  std::string text = "graph engine " + std::to_string(settings.engine);
  for (const Settings::Knob& knob : settings.knobs) {
    text += " " + std::to_string(knob.type) + "=" + std::to_string(knob.value);
  }
  return text;
}

std::optional<Settings> settings_in(const std::string& text) {
  std::istringstream words(text);
  std::string graph, engine;
  Settings settings;
  words >> graph >> engine >> settings.engine;
  if (!words || graph != "graph" || engine != "engine") return std::nullopt;
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
  std::shared_ptr<const Graph> graph;
  std::vector<BackendDescriptor> parts;
  BackendDescriptor configuration;
};

class GraphAlgorithm final : public ConvolutionAlgorithm {
 public:
  GraphAlgorithm(const Toolbox& tools, const ConvolutionProblem& problem, ReadyEngine engine)
      : tools_(tools),
        problem_(problem),
        text_(words_of(settings_of(engine.configuration))),
        engine_(std::move(engine)),
        plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, tools.cudnn());
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine_.configuration);
    plan_.finalize();
    library_bytes_ =
        static_cast<std::size_t>(plan_.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
    if (problem.adds) sum_bytes_ = aligned(static_cast<std::size_t>(problem.image_bytes()));
  }

  std::string text() const override { return text_; }
  std::size_t workspace_bytes() const override { return sum_bytes_ + library_bytes_; }

  // Few engines can add to the destination, so the gradient is computed in the workspace and added.
  void run(const Operands& operands, void* workspace) override {
    Operands landing = operands;
    if (problem_.adds) landing.image = workspace;
    bind(landing, at(workspace, sum_bytes_));
    check(cudnnBackendExecute(tools_.cudnn(), plan_.get(), bound_->arguments.get()),
          "running a convolution's plan");
    if (problem_.adds) {
      accumulate(workspace, operands.image, problem_.element(),
                 problem_.batch * problem_.image.elements(), tools_.stream());
    }
  }

 private:
  struct Bound {
    Operands operands;
    void* workspace;
    BackendDescriptor arguments;
  };

  void bind(const Operands& operands, void* workspace) {
    if (bound_ && bound_->operands == operands && bound_->workspace == workspace) return;
    BackendDescriptor arguments(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    arguments.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, {image_uid, filters_uid, map_uid});
    const std::array<void*, 3> addresses{operands.image, operands.filters, operands.map};
    arguments.set_addresses(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, addresses);
    arguments.set_addresses(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, std::span(&workspace, 1));
    arguments.finalize();
    bound_ = Bound{operands, workspace, std::move(arguments)};
  }

  const Toolbox& tools_;
  const ConvolutionProblem problem_;
  const std::string text_;
  const ReadyEngine engine_;
  BackendDescriptor plan_;
  std::size_t library_bytes_ = 0;
  std::size_t sum_bytes_ = 0;  ///< size of the gradient in the workspace; 0 if not added
  std::optional<Bound> bound_;
};

/// Null if the engine is not permitted, cannot run or needs too much memory.
std::unique_ptr<ConvolutionAlgorithm> make(const Toolbox& tools, const ConvolutionProblem& problem,
                                           ReadyEngine engine) {
  try {
    const auto notes = engine_of(engine.configuration).notes(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
    if (!permits(notes, problem.precision, tools.deterministic())) return nullptr;
    auto algorithm = std::make_unique<GraphAlgorithm>(tools, problem, std::move(engine));
    if (algorithm->workspace_bytes() <= kWorkspaceLimit) return algorithm;
  } catch (const Error& error) {
    if (error.lasting()) throw;
  }
  return nullptr;
}

/// The proposals of one of cuDNN's heuristics, in its order; empty if it fails.
std::vector<BackendDescriptor> proposals(const Graph& graph, cudnnBackendHeurMode_t mode) {
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
  ConvolutionAlgorithms algorithms;
  try {
    const auto graph = std::make_shared<const Graph>(tools.cudnn(), problem);
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
      for (BackendDescriptor& configuration : proposals(*graph, mode)) {
        if (algorithms.size() == kMostPlans) break;
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
  const std::optional<Settings> settings = settings_in(text);
  if (!settings) return nullptr;
  try {
    const auto graph = std::make_shared<const Graph>(tools.cudnn(), problem);
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
