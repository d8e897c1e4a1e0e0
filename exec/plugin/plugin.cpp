// SPDX-License-Identifier: MIT
#include "exec/plugin/plugin.hpp"

#include <algorithm>
#include <cstdlib>

#include <dlfcn.h>

namespace paceline {
namespace {

constexpr const char* kFile = "libpaceline_cuda.so";
constexpr const char* kPlace = "PACELINE_CUDA_PLUGIN";

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// The text up to where `end` begins.
std::string before(const std::string& text, const std::string& end) {
  return text.substr(0, text.find(end));
}

}  // namespace

std::vector<std::filesystem::path> plugin_places() {
  if (const char* named = std::getenv(kPlace); named != nullptr && *named != '\0') return {named};
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path();
  return {folder / kFile, folder.parent_path() / "lib" / "paceline" / kFile};
}

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
  return std::any_of(places_.begin(), places_.end(), is_file);
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
  const auto place = std::find_if(places_.begin(), places_.end(), is_file);
  if (place == places_.end()) {
    problem_ =
        std::getenv(kPlace) != nullptr && places_.size() == 1
            ? std::string(kPlace) + " names '" + places_.front().string() + "', which is not a file"
            : "this build has no CUDA layer (" + std::string(kFile) + " is not beside paceline)";
    return;
  }
  // It stays open to the end of the process: CUDA's libraries do not like to be closed.
  void* library = dlopen(place->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread, in glibc
    problem_ = "cannot load the CUDA layer: " +
               shortened_load_error(reason != nullptr ? reason : "no reason given");
    return;
  }
  const auto make = reinterpret_cast<MakeAccelerator>(dlsym(library, "paceline_accelerator"));
  if (make == nullptr) {
    problem_ = "'" + place->filename().string() + "' is not a CUDA layer of paceline";
    return;
  }
  std::unique_ptr<Accelerator> made(make(accelerator_abi()));
  if (made == nullptr) {
    problem_ =
        std::string(kFile) + " was built from different sources than paceline (rebuild both)";
  } else if (made->facts().gpus.empty()) {
    const std::string& why = made->facts().problem;
    problem_ = why.empty() ? "no NVIDIA GPU on this computer" : why;
  } else {
    accelerator_ = std::move(made);
  }
}

}  // namespace paceline
