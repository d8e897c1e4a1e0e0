// SPDX-License-Identifier: MIT
/// \file
/// The weights of training as files: those that points begin with (--load) and those that they end
/// with (--save). The files of a run are in its results folder, under weights/.
#pragma once
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/speedup.hpp"
#include "experiments/language/tree.hpp"

namespace paceline {

/// Gives the points that train the weights of --load. Throws SpecError where these do not fit, and
/// where --load or --save is given and no point trains.
void settle_weights(std::vector<ExperimentFile>& files, const Options& options);

/// The initial weights that the points of a file share; null where they are drawn.
const InitialWeights* loaded_weights(const ExperimentFile& file);

/// Writes the weights at the end of a point's training.
void save_weights(const std::filesystem::path& file, const ExperimentPoint& point, Source source,
                  std::span<const float> weights);

/// Writes a line for each reason why points have no saved weights.
void note_missing_weights(const std::vector<ResultRow>& rows, std::ostream& err);

/// For the manifest: the files of saved weights by point and source, and the loaded file.
Tree saved_files(const std::vector<ResultRow>& rows);
Tree origin_of(const InitialWeights& initial);

}  // namespace paceline
