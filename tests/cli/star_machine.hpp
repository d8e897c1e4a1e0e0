// SPDX-License-Identifier: MIT
/// \file
/// Experiments on a star of GPUs around one host, with closed-form results.
#pragma once
#include <string>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// The parameters of an experiment on the star.
struct Star {
  int gpus = 64;
  std::string link = "1000 GB/s";    ///< bandwidth of each GPU's port and of the host's port
  std::string memory = "1000 GB/s";  ///< bandwidth of the host's memory: an update of n bytes moves
                                     ///< 3 n
  std::string compute = "56 ms";
  std::string rest;  ///< further lines
};

/// Workers with a gradient of 10 MB.
inline std::string star_text(const Star& star) {
  std::string names;
  for (int gpu = 0; gpu < star.gpus; ++gpu) names += ", gpu" + std::to_string(gpu);
  return "name: star\nmodel: {kind: synthetic, compute: " + star.compute +
         ", gradient: 10 MB}\n"
         "machine:\n"
         "  gpus: [{model: p100-sxm2, count: " +
         std::to_string(star.gpus) +
         "}]\n"
         "  host: {cores: 1, memory_bandwidth: " +
         star.memory +
         "}\n"
         "  vertices: [{kind: network-switch, names: [switch]}]\n"
         "  link_types: {port: {kind: ethernet, bandwidth: " +
         star.link +
         ", latency: 0 us, source: test}}\n"
         "  links: [{type: port, from: switch, to: [cpu0" +
         names +
         "]}]\n"
         "software: ideal\n" +
         star.rest;
}

inline ExperimentFile star(const Star& star) {
  return load_experiment_text("star.yaml", star_text(star), {});
}

}  // namespace paceline
