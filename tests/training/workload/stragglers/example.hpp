// SPDX-License-Identifier: MIT
/// \file
/// Distributions for the tests, read from YAML as a user would write it.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/language/yaml.hpp"
#include "training/workload/stragglers/stragglers.hpp"

namespace paceline {

/// Reads `text`; throws SpecError on an error.
inline Choice<Straggler> read_straggler(const std::string& text) {
  Choice<Straggler> choice;
  Diagnostics diagnostics;
  Value<Choice<Straggler>>::read(choice, parse_yaml("test.yaml", text), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

/// A `stragglers:` map.
inline Stragglers read_stragglers(const std::string& text) {
  Diagnostics diagnostics;
  auto stragglers = read<Stragglers>(parse_yaml("test.yaml", text), diagnostics);
  diagnostics.throw_if_any();
  return stragglers;
}

/// A file that exists as long as this object.
class TimesFile {
 public:
  explicit TimesFile(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "paceline-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    write(text);
  }
  explicit TimesFile(const std::vector<double>& seconds) : TimesFile(lines(seconds)) {}
  ~TimesFile() { std::filesystem::remove_all(folder_); }
  TimesFile(const TimesFile&) = delete;
  TimesFile& operator=(const TimesFile&) = delete;

  std::string path() const { return (folder_ / "times.csv").string(); }
  void write(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }

 private:
  static std::string lines(const std::vector<double>& seconds) {
    std::string text;
    for (const double time : seconds) text += print_number(time) + "\n";
    return text;
  }

  std::filesystem::path folder_;
};

}  // namespace paceline
