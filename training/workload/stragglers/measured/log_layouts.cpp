// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/measured/log_layouts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace paceline {
namespace {

constexpr std::string_view kBlanks = " \t";

/// Removes blanks and a number from the front of a text; nothing if there is no number.
std::optional<double> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The number behind a word of a line.
std::optional<double> number_after(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + word.size());
  return take_number(line);
}

/// The number that stands directly before a word.
std::optional<double> number_before(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 &&
         (line[begin - 1] == '.' || (line[begin - 1] >= '0' && line[begin - 1] <= '9')))
    --begin;
  line = line.substr(begin, at - begin);
  return take_number(line);
}

/// `iteration       10/  500000 | ... | elapsed time per iteration (ms): 1235.7 | ...`
std::optional<double> of_megatron(std::string_view line) {
  const auto ms = number_after(line, "elapsed time per iteration (ms):");
  return ms ? std::optional(*ms / 1e3) : std::nullopt;
}

/// `Epoch: [0][10/5005]  Time  0.319 ( 0.320)  Data ...`: this step's time, then the mean.
std::optional<double> of_imagenet(std::string_view line) {
  if (line.find('[') == std::string_view::npos) return std::nullopt;
  const std::size_t at = line.find("Time ");
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + std::string_view("Time ").size());
  const auto seconds = take_number(line);
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return line.starts_with('(') ? seconds : std::nullopt;
}

/// `  2%|#    | 1/50 [00:01<00:40,  1.26it/s]`, or `1.58s/it` if a step takes longer.
std::optional<double> of_tqdm(std::string_view line) {
  const std::size_t clock = line.find('<');
  if (line.find('[') > clock || clock == std::string_view::npos) return std::nullopt;
  line.remove_prefix(clock);
  if (const auto seconds = number_before(line, "s/it")) return seconds;
  const auto rate = number_before(line, "it/s");
  return rate && *rate > 0 ? std::optional(1 / *rate) : std::nullopt;
}

template <class Use>
void for_each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\r"), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The clause about Megatron's means over several iterations; "" for one iteration a line.
std::string hidden_by_means(std::string_view text) {
  double last = -1;
  double interval = 0;
  for_each_line(text, [&](std::string_view line) {
    const auto iteration = number_after(line, "iteration ");
    if (!iteration || !of_megatron(line)) return;
    if (last >= 0 && interval == 0) interval = *iteration - last;
    last = *iteration;
  });
  if (interval < 2) return "";
  char words[120];
  std::snprintf(words, sizeof words,
                ": means over %.0f iterations, which vary about %.1f times less than steps do",
                interval, std::sqrt(interval));
  return words;
}

struct LogLayout {
  std::optional<double> (*time_in)(std::string_view line);
  std::string_view mark;  ///< a text without it has no such line
  const char* what;
  const char* why;
  std::string (*caveat)(std::string_view text) = nullptr;  ///< goes on from `why`
};

constexpr LogLayout kLogLayouts[] = {
    {of_megatron, "elapsed time per iteration (ms):", "elapsed time per iteration",
     "of Megatron-LM's lines", hidden_by_means},
    {of_imagenet, "Time ", "Time", "of the lines of PyTorch's ImageNet example"},
    {of_tqdm, "it/s", "it/s", "of tqdm's lines: smoothed rates, which vary less than steps do"},
    {of_tqdm, "s/it", "s/it", "of tqdm's lines: smoothed times, which vary less than steps do"},
};

}  // namespace

std::optional<LogTimes> times_in_log(std::string_view text) {
  for (const LogLayout& layout : kLogLayouts) {
    if (text.find(layout.mark) == std::string_view::npos) continue;
    LogTimes times{{}, layout.what, layout.why};
    for_each_line(text, [&](std::string_view line) {
      const auto seconds = layout.time_in(line);
      if (seconds && std::isfinite(*seconds) && *seconds >= 0) times.seconds.push_back(*seconds);
    });
    if (times.seconds.empty()) continue;
    if (layout.caveat != nullptr) times.why += layout.caveat(text);
    return times;
  }
  return std::nullopt;
}

}  // namespace paceline
