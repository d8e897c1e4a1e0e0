// SPDX-License-Identifier: MIT
#include "cli/results_place.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "cli/hash.hpp"
#include "cli/trained_weights.hpp"
#include "training/learning/saved_weights.hpp"

namespace paceline {
namespace {

/// Of a hash in the name of a results folder.
constexpr std::size_t kDigitsOfHash = 8;

/// A change of the command line as a part of a folder's name, "@workers=2,8", without characters
/// that a shell requires to be quoted. Where another change would look like it, with a hash.
std::string change_of(const std::string& change) {
  const auto kept = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("=,.%+-_:").find(c) != std::string_view::npos;
  };
  std::string text = change;
  std::erase(text, ' ');
  const std::size_t value = std::min(text.find('='), text.size() - 1) + 1;
  if (text.find('[') == value && text.ends_with(']')) {
    text.pop_back();
    text.erase(value, 1);
  }
  if (std::ranges::all_of(text, kept)) return "@" + text;
  std::ranges::replace(text, '/', '-');
  std::erase_if(text, [&](char c) { return !kept(c); });
  return "@" + text + "-" + Hash().add(change).text().substr(0, kDigitsOfHash);
}

std::string changes_of(const std::vector<std::string>& overrides) {
  constexpr std::size_t kLongest = 100;
  std::string text;
  for (const std::string& change : overrides) {
    // the name and the expectations change no result
    const bool judges = change.starts_with("expect=") || change.starts_with("expect.");
    if (!change.starts_with("name=") && !judges) text += change_of(change);
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "-" + Hash().add(text).text();
  return text;
}

}  // namespace

std::string as_folder(const std::string& name) {
  std::string folder = name;
  std::replace(folder.begin(), folder.end(), '/', '-');
  return folder == "." || folder == ".." ? "-" : folder;
}

std::filesystem::path folder_without_overrides(const ExperimentFile& file, const Options& options,
                                               bool several) {
  if (options.output.empty()) return std::filesystem::path("results") / as_folder(file.name);
  const std::filesystem::path given(options.output);
  return several ? given / as_folder(file.name) : given;
}

std::filesystem::path folder_of(const ExperimentFile& file, const Options& options, bool several) {
  std::filesystem::path whole = folder_without_overrides(file, options, several);
  // changes on the command line give another sweep, which must not overwrite the file's results
  if (!options.output.empty()) return whole;
  std::string changed = whole.string() + changes_of(options.overrides);
  const InitialWeights* loaded = loaded_weights(file);
  if (loaded != nullptr) changed += "@load=" + loaded->hash.substr(0, kDigitsOfHash);
  return changed;
}

}  // namespace paceline
