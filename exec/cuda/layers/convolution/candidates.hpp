// SPDX-License-Identifier: MIT
/// \file
/// All algorithms for a problem: each computes the whole of it, some with our own kernels for what
/// cuDNN leaves.
#pragma once
#include "exec/cuda/layers/convolution/algorithm.hpp"

namespace paceline::cuda {

/// Those within the limit that cuDNN proposes, in its order: fused ones, those of graphs, then the
/// legacy ones. Building them can take seconds.
ConvolutionAlgorithms candidates_for(const Toolbox& tools, const ConvolutionProblem& problem);

/// The one with text() equal to `text`, or null if it is not available (any more).
std::unique_ptr<ConvolutionAlgorithm> candidate_for(const Toolbox& tools,
                                                    const ConvolutionProblem& problem,
                                                    const std::string& text);

}  // namespace paceline::cuda
