// SPDX-License-Identifier: MIT
#include "exec/cuda/gpu_fitness.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "exec/cuda/facts.hpp"

namespace paceline::cuda {
namespace {

/// Versions of cuDNN, from its support matrices: 9.7 is the first for Blackwell (10.0 and 12.0),
/// 9.10 the last for Volta and older.
constexpr int kBlackwell = 100;
constexpr std::size_t kFirstForBlackwell = 90700;
constexpr int kTuring = 75;
constexpr std::size_t kFirstWithoutVolta = 91100;

/// One entry of CMake's list.
struct Architecture {
  int capability = 0;
  bool exact = false;  ///< "90a": for this capability alone
  bool real = true, ptx = true;
};

/// Entries that are no numbers ("native") are left out.
std::vector<Architecture> parse(const std::string& list) {
  std::vector<Architecture> all;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    Architecture one;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, one.capability);
    if (error != std::errc{}) continue;
    one.exact = rest != end && *rest != '-';
    one.real = !word.ends_with("-virtual");
    one.ptx = !word.ends_with("-real");
    all.push_back(one);
  }
  return all;
}

std::string dotted(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string why_without_code(int capability, const CudaSoftware& software) {
  const std::vector<Architecture> all = parse(software.architectures);
  if (all.empty()) return "";  // not known
  bool ptx = false;
  for (const Architecture& one : all) {
    const bool fits = one.exact ? one.capability == capability : one.capability <= capability;
    if (one.real && fits && one.capability / 10 == capability / 10) return "";
    ptx = ptx || (one.ptx && fits);
  }
  if (ptx && software.driver >= software.toolkit) return "";
  const int major = software.toolkit / 1000;
  const int first = std::ranges::min(all, {}, &Architecture::capability).capability;
  if (capability < first) {
    return "is of compute capability " + dotted(capability) + ", and the layer of CUDA " +
           std::to_string(major) + " begins at " + dotted(first);
  }
  std::string hint;
  if (ptx) {
    hint = " (a driver of CUDA " + cuda_version(software.toolkit) + " would compile it; this is " +
           cuda_version(software.driver) + ")";
  }
  return "is of compute capability " + dotted(capability) + ", for which the layer of CUDA " +
         std::to_string(major) + " has no machine code" + hint;
}

}  // namespace

std::string unfit(int capability, const CudaSoftware& software) {
  if (std::string why = why_without_code(capability, software); !why.empty()) return why;
  if (capability >= kBlackwell && software.cudnn < kFirstForBlackwell) {
    return "needs cuDNN 9.7 or newer; this is " + library_version(software.cudnn);
  }
  if (capability < kTuring && software.cudnn >= kFirstWithoutVolta) {
    return "needs cuDNN 9.10 or older; this is " + library_version(software.cudnn);
  }
  return "";
}

}  // namespace paceline::cuda
