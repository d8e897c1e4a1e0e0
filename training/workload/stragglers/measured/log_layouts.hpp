// SPDX-License-Identifier: MIT
/// \file
/// Step times in the lines that training programs print: Megatron-LM's, those of PyTorch's ImageNet
/// example, and tqdm's progress bars.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

struct LogTimes {
  std::vector<double> seconds;
  std::string what;  ///< the program's name for the figure
  std::string why;   ///< the layout, and what the figure hides
};

/// The times in a text that has lines of a known layout, among others; nothing in any other text.
std::optional<LogTimes> times_in_log(std::string_view text);

}  // namespace paceline
