// SPDX-License-Identifier: MIT
#include "experiments/language/presets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "experiments/language/yaml.hpp"

namespace paceline {

std::vector<std::string> preset_names(std::span<const EmbeddedFile> presets) {
  std::vector<std::string> names;
  for (const EmbeddedFile& preset : presets) names.emplace_back(preset.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string first_comment(std::string_view text) {
  if (text.empty() || text.front() != '#') return "";
  text = text.substr(1, text.find('\n') - 1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '#')) text.remove_prefix(1);
  while (text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

std::string path_from(const Location& at, const std::string& path) {
  const bool typed = !at.file || at.file->starts_with("--set ");
  if (typed || std::filesystem::path(path).is_absolute()) return path;
  return (std::filesystem::path(*at.file).parent_path() / path).string();
}

Tree load_preset_or_path(const Tree& value, std::string_view what,
                         std::span<const EmbeddedFile> presets) {
  if (!value.is_scalar())
    throw SpecError(value.at, "expected the name of " + with_article(std::string(what)));
  const std::string& name = value.text;
  if (name.find('/') == std::string::npos && !name.ends_with(".yaml")) {
    for (const EmbeddedFile& preset : presets) {
      if (preset.name == name) return parse_yaml(name + " (preset)", std::string(preset.text));
    }
    throw SpecError(value.at, unknown_name(what, name, preset_names(presets)));
  }
  const std::string path = path_from(value.at, name);
  std::error_code refused;  // a name too long for the file system counts as a missing file
  if (!std::filesystem::is_regular_file(path, refused)) {
    throw SpecError(value.at, "cannot open " + std::string(what) + " file " + quote(path));
  }
  if (!std::ifstream(path)) {
    throw SpecError(value.at, "cannot read " + std::string(what) + " file " + quote(path));
  }
  return read_yaml_file(path);
}

}  // namespace paceline
