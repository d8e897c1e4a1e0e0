// SPDX-License-Identifier: MIT
/// \file
/// Finds and opens the CUDA plug-in, once and on demand: the program itself needs neither a driver
/// nor CUDA's libraries. An error is one line; nothing is thrown.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "exec/machine/plugin_places.hpp"
#include "exec/plugin/accelerator.hpp"

namespace paceline {

inline constexpr const char* kCudaPlugin = "libpaceline_cuda.so";
/// The environment variable with the plug-in's file; if it is set, no other file is tried.
inline constexpr const char* kCudaPluginVariable = "PACELINE_CUDA_PLUGIN";

/// The loader's reason without paths: "libcudnn.so.9 is missing (...)".
std::string shortened_load_error(const std::string& reason);

/// Not thread-safe.
class CudaPlugin {
 public:
  explicit CudaPlugin(
      std::vector<std::filesystem::path> places = plugin_places(kCudaPlugin, kCudaPluginVariable))
      : places_(std::move(places)) {}

  /// The first call opens the plug-in. Null if it is missing, does not load, was built from other
  /// sources or finds no GPU. The accelerator lives as long as this.
  Accelerator* accelerator();
  /// The reason why accelerator() is null, or "". The first call opens the plug-in.
  const std::string& problem();
  /// True if the plug-in's file exists.
  bool installed() const;

 private:
  void open();

  std::vector<std::filesystem::path> places_;
  bool opened_ = false;
  std::unique_ptr<Accelerator> accelerator_;
  std::string problem_;
};

}  // namespace paceline
