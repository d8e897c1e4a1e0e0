// SPDX-License-Identifier: MIT
#include "cli/trained_weights.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cli/hash.hpp"
#include "cli/version.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/whole_file.hpp"
#include "models/tensors.hpp"
#include "training/learning/saved_weights.hpp"

namespace paceline {
namespace {

bool has_lstm(const Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(),
                     [](const Layer& layer) { return layer.kind == LayerKind::lstm; });
}

WeightsMetadata metadata_of(const ExperimentPoint& point, Source source) {
  std::vector<std::string> swept;
  for (const SweptKey& key : point.swept) swept.push_back(key.path + "=" + key.value);
  WeightsMetadata metadata{{"format", "pt"},  // readers of PyTorch's files expect it
                           {"paceline", version()},
                           {"experiment", point.experiment.name},
                           {"point", join(swept)},
                           {"source", name_of(source)},
                           {"model", point.network->name},
                           {"seed", std::to_string(point.experiment.seed)}};
  if (has_lstm(*point.network)) metadata.emplace_back("lstm_gates", kLstmGates);
  return metadata;
}

/// Loads the weights of `path` for every point, once for each network.
void load(const std::string& path, const std::vector<ExperimentPoint*>& points) {
  const WeightsFile file(path);
  const std::string hash = Hash().add(file.bytes()).text();
  std::map<const Network*, std::shared_ptr<const InitialWeights>> by_network;
  for (ExperimentPoint* point : points) {
    std::shared_ptr<const InitialWeights>& known = by_network[point->network.get()];
    if (known == nullptr) {
      known = std::make_shared<const InitialWeights>(
          InitialWeights{path, hash, file.weights_of(*point->network)});
    }
    point->initial = known;
  }
}

}  // namespace

void settle_weights(std::vector<ExperimentFile>& files, const Options& options) {
  if (!options.save && options.load.empty()) return;
  std::vector<ExperimentPoint*> trained;
  for (ExperimentFile& file : files) {
    for (ExperimentPoint& point : file.points) {
      if (point.experiment.train) trained.push_back(&point);
    }
  }
  if (trained.empty()) {
    throw SpecError("paceline: error: " + std::string(options.save ? "--save" : "--load") +
                    " needs a point that trains (add 'train: {}' to the file, or --set train={})");
  }
  if (!options.load.empty()) load(options.load, trained);
}

const InitialWeights* loaded_weights(const ExperimentFile& file) {
  for (const ExperimentPoint& point : file.points) {
    if (point.initial != nullptr) return point.initial.get();
  }
  return nullptr;
}

void save_weights(const std::filesystem::path& file, const ExperimentPoint& point, Source source,
                  std::span<const float> weights) {
  write_whole(file, weights_file_text(*point.network, weights, metadata_of(point, source)));
}

void note_missing_weights(const std::vector<ResultRow>& rows, std::ostream& err) {
  std::set<std::size_t> points, untrained;
  for (const ResultRow& row : rows) {
    points.insert(row.index);
    if (!row.point->experiment.train) {
      untrained.insert(row.index);
    } else if (row.measurement.diverged()) {
      err << "note: point " << row.index << ", " << name_of(row.source) << ": "
          << row.measurement.status << "; its weights are not saved\n";
    }
  }
  if (untrained.empty()) return;
  err << "note: of " << counted(points.size(), "point") << ", " << untrained.size()
      << " without training, so without weights to save (the first: point " << *untrained.begin()
      << ")\n";
}

Tree saved_files(const std::vector<ResultRow>& rows) {
  std::vector<Tree> all;
  for (const ResultRow& row : rows) {
    if (row.weights.empty()) continue;
    Tree tree = Tree::map();
    tree.set("point", Tree::scalar(std::to_string(row.index)));
    tree.set("source", Tree::quoted_scalar(name_of(row.source)));
    tree.set("file", Tree::quoted_scalar(row.weights));
    all.push_back(std::move(tree));
  }
  return Tree::list(std::move(all));
}

Tree origin_of(const InitialWeights& initial) {
  Tree tree = Tree::map();
  tree.set("file", Tree::quoted_scalar(initial.file));
  tree.set("hash", Tree::quoted_scalar(initial.hash));
  return tree;
}

}  // namespace paceline
