// SPDX-License-Identifier: MIT
/// \file
/// Finds and opens a CUDA plug-in, once and on demand: the program itself needs neither a driver
/// nor CUDA's libraries. There may be two, for two versions of CUDA, of which the newer is tried
/// first. An error is one line; nothing is thrown.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exec/machine/plugin_places.hpp"
#include "exec/plugin/accelerator.hpp"

namespace paceline {

inline constexpr const char* kCudaPlugin = "libpaceline_cuda.so";
inline constexpr const char* kCuda12Plugin = "libpaceline_cuda12.so";
/// The environment variable with the plug-in's file; if it is set, no other file is tried.
inline constexpr const char* kCudaPluginVariable = "PACELINE_CUDA_PLUGIN";

/// The loader's reason without paths: "libcudnn.so.9 is missing (...)".
std::string shortened_load_error(const std::string& reason);

/// A plug-in, built with one version of CUDA.
struct CudaLayer {
  int cuda = 0;  ///< major version that the driver must support; 0: not known
  std::string name;
  std::vector<std::filesystem::path> places;
};

/// The plug-ins to try, in order: the file that the environment variable names, or those of CUDA 13
/// and 12.
std::vector<CudaLayer> cuda_layers();

/// The CUDA version that the driver supports, 12020 for 12.2; 0 without a driver.
int cuda_driver_version();

/// Not thread-safe.
class CudaPlugin {
 public:
  explicit CudaPlugin(std::vector<CudaLayer> layers = cuda_layers(),
                      std::function<int()> driver = cuda_driver_version)
      : layers_(std::move(layers)), driver_(std::move(driver)) {}

  /// The first call opens the first usable plug-in. Null if each is missing, does not load, was
  /// built from other sources or finds no GPU. The accelerator lives as long as this.
  Accelerator* accelerator();
  /// The reason why accelerator() is null, or "". Where several plug-ins were tried, the reason of
  /// each: "CUDA 13: ...; CUDA 12: ...". The first call opens a plug-in.
  const std::string& problem();
  /// True if the file of a plug-in exists.
  bool installed() const;

 private:
  void open();
  /// Opens a plug-in; returns "" or why it cannot be used.
  std::string problem_of(const CudaLayer& layer);

  std::vector<CudaLayer> layers_;
  std::function<int()> driver_;
  bool opened_ = false;
  bool no_driver_ = false;  ///< found by a plug-in: no other can be used
  std::unique_ptr<Accelerator> accelerator_;
  std::string problem_;
};

}  // namespace paceline
