// SPDX-License-Identifier: MIT
// The file is YAML that needs no YAML parser: after the first line, one `"key": "choice"` per line.
#include "exec/cuda/layers/algorithm_cache.hpp"

#include <fstream>
#include <string_view>

#include <cublasLt.h>

#include <cuda_runtime_api.h>
#include <cudnn.h>

#include "exec/cuda/runtime/check.hpp"
#include "experiments/language/whole_file.hpp"

namespace paceline::cuda {
namespace {

constexpr std::string_view kFirstLine =
    "# The fastest algorithms of GPU libraries, as timed here; delete it to time them again. (1)";

std::string printable(std::string text) {
  for (char& letter : text) {
    if (letter < ' ' || letter > '~' || letter == '"' || letter == '\\') letter = '?';
  }
  return text;
}

std::string describe_device(int device, int multiprocessors) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "querying the GPU's properties");
  if (multiprocessors == 0) multiprocessors = properties.multiProcessorCount;
  return printable(properties.name) + ", " + std::to_string(multiprocessors) + " SMs, cuDNN " +
         std::to_string(cudnnGetVersion()) + ", cuBLAS " + std::to_string(cublasLtGetVersion()) +
         ": ";
}

}  // namespace

AlgorithmCache::AlgorithmCache(const std::filesystem::path& folder, int device, int multiprocessors)
    : path_(folder.empty() ? folder : folder / "algorithms.yaml"),
      multiprocessors_(multiprocessors),
      device_(describe_device(device, multiprocessors)),
      entries_(read(path_)) {}

AlgorithmCache::~AlgorithmCache() {
  try {
    save();
  } catch (const std::exception&) {  // the cache is only advice, so errors are ignored
  }
}

AlgorithmCache::Entries AlgorithmCache::read(const std::filesystem::path& path) {
  constexpr std::string_view kBetween = "\": \"";
  Entries entries;
  if (path.empty()) return entries;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kFirstLine) return entries;
  while (std::getline(file, line)) {
    const std::size_t between = line.find(kBetween);
    if (between == std::string::npos || line.front() != '"' || line.back() != '"') continue;
    const std::size_t begin = between + kBetween.size();
    if (begin >= line.size()) continue;  // the opening and the closing quote are the same character
    const std::string choice = line.substr(begin, line.size() - 1 - begin);
    if (printable(choice) == choice) entries[line.substr(1, between - 1)] = choice;
  }
  return entries;
}

std::optional<std::string> AlgorithmCache::find(const std::string& problem) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(device_ + problem);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

void AlgorithmCache::put(const std::string& problem, const std::string& choice) {
  const std::lock_guard lock(mutex_);
  entries_[device_ + problem] = choice;
  unsaved_[device_ + problem] = choice;
  ++choices_made_;
}

void AlgorithmCache::save() {
  const std::lock_guard lock(mutex_);
  if (path_.empty() || unsaved_.empty()) return;
  Entries all = read(path_);
  for (const auto& [key, choice] : unsaved_) all[key] = choice;
  std::string text(kFirstLine);
  text += '\n';
  for (const auto& [key, choice] : all) text += '"' + key + "\": \"" + choice + "\"\n";
  write_whole(path_, text);
  unsaved_.clear();
}

int AlgorithmCache::choices_made() const {
  const std::lock_guard lock(mutex_);
  return choices_made_;
}

}  // namespace paceline::cuda
