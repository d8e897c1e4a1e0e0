// SPDX-License-Identifier: MIT
#include "exec/plugin/plugin.hpp"

#include <algorithm>
#include <cstdlib>

#include <dlfcn.h>

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

bool CudaPlugin::installed() const {
  return !first_file(places_).empty();
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
  const std::filesystem::path place = first_file(places_);
  if (place.empty()) {
    problem_ = std::getenv(kCudaPluginVariable) != nullptr && places_.size() == 1
                   ? std::string(kCudaPluginVariable) + " names '" + places_.front().string() +
                         "', which is not a file"
                   : "this build has no CUDA layer (" + std::string(kCudaPlugin) +
                         " is not beside paceline)";
    return;
  }
  // The library stays open to the end of the process: CUDA's libraries cannot be unloaded.
  void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
    problem_ = "cannot load the CUDA layer: " +
               shortened_load_error(reason != nullptr ? reason : "no reason given");
    return;
  }
  const auto make = reinterpret_cast<MakeAccelerator>(dlsym(library, "paceline_accelerator"));
  if (make == nullptr) {
    problem_ = "'" + place.filename().string() + "' is not a CUDA layer of paceline";
    return;
  }
  std::unique_ptr<Accelerator> accelerator(make(accelerator_abi()));
  if (accelerator == nullptr) {
    problem_ =
        std::string(kCudaPlugin) + " was built from different sources than paceline (rebuild both)";
  } else if (accelerator->facts().gpus.empty()) {
    const std::string& why = accelerator->facts().problem;
    problem_ = why.empty() ? "no NVIDIA GPU on this computer" : why;
  } else {
    accelerator_ = std::move(accelerator);
  }
}

}  // namespace paceline
