// SPDX-License-Identifier: MIT
/// \file
/// Finds and opens the CUDA plug-in, once, and only when asked: the program itself needs neither a
/// driver nor CUDA's libraries. What is missing is said in one line, and nothing is thrown.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "exec/plugin/accelerator.hpp"

namespace paceline {

/// Where the plug-in may be, best first: the file that PACELINE_CUDA_PLUGIN names, and no other; or
/// libpaceline_cuda.so beside the running program, or in ../lib/paceline from there.
std::vector<std::filesystem::path> plugin_places();

/// The loader's reason without paths: "libcudnn.so.9 is missing (...)".
std::string shortened_load_error(const std::string& reason);

/// Not for several threads at once.
class CudaPlugin {
 public:
  explicit CudaPlugin(std::vector<std::filesystem::path> places = plugin_places())
      : places_(std::move(places)) {}

  /// Opens it, the first time. Null where it is not there, does not load, is of another build or
  /// finds no GPU. It lives as long as this.
  Accelerator* accelerator();
  /// "", or why accelerator() is null. Opens it likewise.
  const std::string& problem();
  /// Whether there is a plug-in's file at all.
  bool installed() const;

 private:
  void open();

  std::vector<std::filesystem::path> places_;
  bool opened_ = false;
  std::unique_ptr<Accelerator> accelerator_;
  std::string problem_;
};

}  // namespace paceline
