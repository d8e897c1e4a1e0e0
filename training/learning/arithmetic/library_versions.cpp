// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/library_versions.hpp"

#include <Eigen/Core>
#include <oneapi/dnnl/dnnl.h>

namespace paceline {

std::map<std::string, std::string> arithmetic_libraries() {
  const dnnl_version_t* onednn = dnnl_version();
  const auto dotted = [](int major, int minor, int patch) {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  };
  return {{"oneDNN", dotted(onednn->major, onednn->minor, onednn->patch)},
          {"Eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)}};
}

}  // namespace paceline
