// SPDX-License-Identifier: MIT
// The file is YAML that needs no YAML reader: after the first line, one `"key": "choice"` a line.
#include "exec/cuda/layers/algorithm_cache.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>

#include <cublasLt.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <cudnn.h>

#include "exec/cuda/runtime/check.hpp"

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

std::string describe_device(int multiprocessors) {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current GPU");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking for the GPU's properties");
  if (multiprocessors == 0) multiprocessors = properties.multiProcessorCount;
  return printable(properties.name) + ", " + std::to_string(multiprocessors) + " SMs, cuDNN " +
         std::to_string(cudnnGetVersion()) + ", cuBLAS " + std::to_string(cublasLtGetVersion()) +
         ": ";
}

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Readers see the old text or the new one, never a half: written beside, flushed, renamed.
void replace(const std::filesystem::path& path, const std::string& text) {
  std::string beside = path.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(beside.data());
  if (descriptor < 0) fail(path);
  const std::unique_ptr<std::FILE, CloseFile> file(::fdopen(descriptor, "w"));
  const bool written = file && ::fchmod(descriptor, 0644) == 0 &&
                       std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0 && ::fsync(descriptor) == 0 &&
                       ::rename(beside.c_str(), path.c_str()) == 0;
  if (written) return;
  const int reason = errno;
  ::unlink(beside.c_str());
  errno = reason;
  fail(path);
}

}  // namespace

AlgorithmCache::AlgorithmCache(const std::filesystem::path& folder, int multiprocessors)
    : path_(folder.empty() ? folder : folder / "algorithms.yaml"),
      device_(describe_device(multiprocessors)),
      entries_(read(path_)) {}

AlgorithmCache::~AlgorithmCache() {
  try {
    save();
  } catch (const std::exception&) {  // only advice is lost
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
    if (begin >= line.size()) continue;  // the quotes are one and the same
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
  made_[device_ + problem] = choice;
  ++choices_made_;
}

void AlgorithmCache::save() {
  const std::lock_guard lock(mutex_);
  if (path_.empty() || made_.empty()) return;
  std::filesystem::create_directories(path_.parent_path());
  Entries all = read(path_);
  for (const auto& [key, choice] : made_) all[key] = choice;
  std::string text(kFirstLine);
  text += '\n';
  for (const auto& [key, choice] : all) text += '"' + key + "\": \"" + choice + "\"\n";
  replace(path_, text);
  made_.clear();
}

int AlgorithmCache::choices_made() const {
  const std::lock_guard lock(mutex_);
  return choices_made_;
}

}  // namespace paceline::cuda
