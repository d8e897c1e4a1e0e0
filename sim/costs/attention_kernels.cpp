// SPDX-License-Identifier: MIT
#include "sim/costs/attention_kernels.hpp"

#include "sim/costs/composed_kernels.hpp"
#include "sim/costs/row_alignment.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

/// A product for every item and head with the queries' features as its depth, one with all
/// positions as its depth, and what is between them. Bytes are of vectors, as long as the
/// output, and of scores.
class AttentionKernels {
 public:
  AttentionKernels(const Layer& layer, const StepOnGpu& step)
      : element_(element_size(step.precision)),
        score_(step.kernels.in_fp32(TensorFunction::softmax) ? element_size(Precision::fp32)
                                                             : element_),
        scaled_(step.kernels.in_fp32(TensorFunction::scores) ? element_size(Precision::fp32)
                                                             : element_),
        kernels_(step.kernels),
        products_(static_cast<double>(step.batch) * layer.heads),
        positions_(layer.in.height),
        features_(static_cast<double>(layer.out.channels) / layer.heads),
        vectors_(static_cast<double>(step.batch) * static_cast<double>(layer.out.elements())),
        scores_(static_cast<double>(step.batch) * static_cast<double>(layer.attention_shares())) {}

  /// Scores are kept on the chip and computed again on the way back. Source: Dao et al. 2022
  /// (2205.14135), algorithms 0 and 1.
  LayerKernels fused() const {
    LayerKernels kernels;
    kernels.forward = {scores(4, 0), inside(vectors(0, 0))};
    kernels.input_gradient = {scores(8, 0), inside(scores(0, 0)), inside(vectors(0, 0)),
                              inside(vectors(0, 0)), inside(vectors(0, 0))};
    return kernels;
  }
  /// Queries, keys and values are put in the order of heads, and the result back in that of
  /// positions. Scores are scaled and masked, normalised and thinned out by kernels of their own.
  LayerKernels unfused() const {
    LayerKernels kernels;
    const ComposedFunction* scaling = kernels_.composition_of(TensorFunction::scores);
    const ComposedFunction* softmax = kernels_.composition_of(TensorFunction::softmax);
    const Bytes narrow = kernels_.loaded(scaled_) * scores_;
    const Bytes wide = kernels_.loaded(score_) * scores_;
    auto& forward = kernels.forward;
    forward = {copies(3), scores(2, 1)};
    add_cast(forward, element_, scaled_);
    forward.push_back(scaling ? composed_kernel(scaling->forward, narrow) : Kernel{{}, 2 * narrow});
    add_cast(forward, scaled_, score_);
    forward.push_back(softmax ? composed_kernel(softmax->forward, wide) : pass(2));
    forward.push_back(pass(2));
    add_cast(forward, score_, element_);
    forward.insert(forward.end(), {vectors(2, 1), copies(1)});
    auto& backward = kernels.input_gradient;
    backward = {copies(1), scores(2, 1), vectors(2, 1)};
    add_cast(backward, element_, score_);
    backward.push_back(pass(3));
    backward.push_back(softmax ? composed_kernel(softmax->backward, wide) : pass(3));
    add_cast(backward, score_, scaled_);
    if (scaling) backward.push_back(composed_kernel(scaling->backward, narrow));
    add_cast(backward, scaled_, element_);
    backward.insert(backward.end(), {vectors(2, 1), vectors(2, 1), copies(3)});
    return kernels;
  }

 private:
  Kernel product(double columns, double depth, double vectors, double scores) const {
    Kernel kernel{{products_ * positions_, columns, depth},
                  element_ * (vectors * vectors_ + scores * scores_)};
    kernel.dense = true;
    kernel.alignment = row_alignment({features_, positions_}, element_, kernels_.pads_rows);
    return kernel;
  }
  Kernel scores(double vectors, double scores) const {
    return product(positions_, features_, vectors, scores);
  }
  Kernel vectors(double vectors, double scores) const {
    return product(features_, positions_, vectors, scores);
  }
  /// A pass over the scores, of the softmax or of the dropout behind it.
  Kernel pass(double scores) const { return {{}, kernels_.loaded(score_) * (scores * scores_)}; }
  /// The casts of the scores between kernels of two precisions.
  void add_cast(std::vector<Kernel>& kernels, Bytes from, Bytes to) const {
    if (kernels_.casts != Casts::all || from == to) return;
    kernels.push_back({{}, (from + to) * scores_});
  }
  Kernel copies(double vectors) const {
    Kernel kernel{{}, kernels_.loaded(element_) * (2 * vectors_)};
    kernel.repeats = vectors;
    return kernel;
  }
  static Kernel inside(Kernel kernel) {
    kernel.launched = false;
    return kernel;
  }

  Bytes element_, score_, scaled_;  ///< sizes of a number, of the softmax's, of a scaled score
  const KernelCost& kernels_;
  double products_, positions_, features_, vectors_, scores_;
};

}  // namespace

LayerKernels attention_kernels(const Layer& layer, const StepOnGpu& step) {
  const AttentionKernels attention(layer, step);
  return step.kernels.fused_attention ? attention.fused() : attention.unfused();
}

}  // namespace paceline
