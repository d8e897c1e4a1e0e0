// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/arithmetic.hpp"

#include <cstdio>
#include <stdexcept>

#include "training/learning/arithmetic/eigen_chain.hpp"
#include "training/learning/arithmetic/onednn.hpp"
#include "training/learning/arithmetic/supported_layers.hpp"

namespace paceline {

std::unique_ptr<Arithmetic> make_arithmetic(const Network& network, int batch, bool uneven) {
  if (batch < 1) throw std::runtime_error("a mini-batch has at least one item");
  if (const std::string why = unsupported(network); !why.empty()) {
    throw std::runtime_error("no real arithmetic for " + network.name + ": " + why);
  }
  if (is_dense(network)) return std::make_unique<Dense>(network, batch);
  return make_convolutional(network, batch, uneven);
}

std::string untrainable(const Network& network, int batch) {
  if (std::string why = unsupported(network); !why.empty()) return why;
  char text[160];
  // 2 GB per copy, and every worker has several copies. The limit on arithmetic below does not
  // catch embeddings, which have parameters but hardly any arithmetic.
  constexpr double kParametersMax = 5e8;
  if (const auto parameters = static_cast<double>(network.parameters());
      parameters > kParametersMax) {
    std::snprintf(text, sizeof text, "too large for the CPU: %.2g parameters (at most %.2g)",
                  parameters, kParametersMax);
    return text;
  }
  // About two seconds on one core with wide vectors, ten on one without.
  constexpr double kFlopsMax = 2e11;
  double macs = 0;
  for (const Layer& layer : network.layers) macs += static_cast<double>(layer.macs);
  const double flops = 3 * 2 * macs * batch;  // forward, and two of the same size backward
  if (flops <= kFlopsMax) return "";
  std::snprintf(text, sizeof text,
                "too large for the CPU: %.2g FLOPs per mini-batch of %d (at most %.2g; use a "
                "smaller batch or a machine with GPUs)",
                flops, batch, kFlopsMax);
  return text;
}

}  // namespace paceline
