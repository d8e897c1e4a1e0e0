// SPDX-License-Identifier: MIT
#include "exec/plugin/plugin.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

/// The text before `end`.
std::string before(const std::string& text, const std::string& end) {
  return text.substr(0, text.find(end));
}

}  // namespace

std::string shortened_load_error(const std::string& reason) {
  const std::string missing = ": cannot open shared object file";
  if (reason.find(missing) != std::string::npos && !reason.starts_with("/")) {
    return before(reason, missing) + " is missing (LD_LIBRARY_PATH names folders to search)";
  }
  // "/path/to/libpaceline_cuda.so: undefined symbol: x"
  const std::size_t colon = reason.find(": ");
  std::string rest =
      reason.starts_with("/") && colon != std::string::npos ? reason.substr(colon + 2) : reason;
  std::replace(rest.begin(), rest.end(), '\n', ' ');
  return rest;
}

std::vector<CudaLayer> cuda_layers() {
  const auto places = [](const char* file) { return plugin_places(file, kCudaPluginVariable); };
  const char* named = std::getenv(kCudaPluginVariable);
  if (named != nullptr && *named != '\0') return {{0, kCudaPlugin, places(kCudaPlugin)}};
  return {{13, kCudaPlugin, places(kCudaPlugin)}, {12, kCuda12Plugin, places(kCuda12Plugin)}};
}

int cuda_driver_version() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return 0;
  const auto query = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  int version = 0;
  return query != nullptr && query(&version) == 0 ? version : 0;
}

bool CudaPlugin::installed() const {
  return std::ranges::any_of(
      layers_, [](const CudaLayer& layer) { return !first_file(layer.places).empty(); });
}

Accelerator* CudaPlugin::accelerator() {
  open();
  return accelerator_.get();
}

const std::string& CudaPlugin::problem() {
  open();
  return problem_;
}

void CudaPlugin::open() {
  if (opened_) return;
  opened_ = true;
  std::vector<std::string> reasons;
  for (const CudaLayer& layer : layers_) {
    if (first_file(layer.places).empty()) continue;
    problem_ = problem_of(layer);
    if (accelerator_ != nullptr || no_driver_) return;
    reasons.push_back("CUDA " + std::to_string(layer.cuda) + ": " + problem_);
  }
  if (reasons.size() > 1) problem_ = join(reasons, "; ");
  if (!reasons.empty()) return;
  const auto& places = layers_.front().places;
  problem_ =
      std::getenv(kCudaPluginVariable) != nullptr && places.size() == 1
          ? std::string(kCudaPluginVariable) + " names '" + places.front().string() +
                "', which is not a file"
          : "this build has no CUDA layer (" + layers_.front().name + " is not beside paceline)";
}

std::string CudaPlugin::problem_of(const CudaLayer& layer) {
  // Before it is loaded: its libraries stay in the process, and cuDNN has one name for every CUDA.
  const int driver = layer.cuda > 0 ? driver_() : 0;
  if (driver > 0 && driver / 1000 < layer.cuda) {
    return "the NVIDIA driver (CUDA " + std::to_string(driver / 1000) + "." +
           std::to_string(driver % 1000 / 10) + ") is too old for CUDA " +
           std::to_string(layer.cuda);
  }
  const std::filesystem::path place = first_file(layer.places);
  // The library stays open to the end of the process: CUDA's libraries cannot be unloaded.
  void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
    return "cannot load the CUDA layer: " +
           shortened_load_error(reason != nullptr ? reason : "no reason given");
  }
  const auto make = reinterpret_cast<MakeAccelerator>(dlsym(library, "paceline_accelerator"));
  if (make == nullptr) {
    return "'" + place.filename().string() + "' is not a CUDA layer of paceline";
  }
  std::unique_ptr<Accelerator> accelerator(make(accelerator_abi()));
  if (accelerator == nullptr) {
    return layer.name + " was built from different sources than paceline (rebuild both)";
  }
  const AcceleratorFacts& facts = accelerator->facts();
  if (facts.gpus.empty()) {
    no_driver_ = facts.driver.empty();
    return facts.problem.empty() ? "no NVIDIA GPU on this computer" : facts.problem;
  }
  accelerator_ = std::move(accelerator);
  return "";
}

}  // namespace paceline
