// SPDX-License-Identifier: MIT
#include "cli/computer.hpp"

#include <array>
#include <fstream>

#include <unistd.h>

#include "exec/machine/usable_cores.hpp"

namespace paceline {
namespace {

/// The text after "KEY<blanks><sign>", without quotes, on the first line that has it.
std::string value_in(const char* path, const std::string& key, char sign) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::size_t begin = line.find(sign);
    if (begin == std::string::npos) continue;
    begin = line.find_first_not_of(" \t\"", begin + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    if (begin == std::string::npos || end < begin) continue;
    return line.substr(begin, end - begin + 1);
  }
  return "unknown";
}

}  // namespace

Computer this_computer() {
  Computer computer;
  computer.cpu = value_in("/proc/cpuinfo", "model name", ':');
  computer.cores = usable_cores();
  computer.os = value_in("/etc/os-release", "PRETTY_NAME", '=');
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) computer.host = name.data();
  return computer;
}

Bytes memory_of_this_computer() {
  return Bytes{static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
               static_cast<double>(sysconf(_SC_PAGE_SIZE))};
}

std::string fingerprint_with(const std::vector<std::string>& gpus) {
  std::string text = this_computer().identity();
  for (std::size_t i = 0; i < gpus.size();) {
    std::size_t end = i;
    while (end < gpus.size() && gpus[end] == gpus[i]) ++end;
    text += (i == 0 ? "; " : ", ") + std::to_string(end - i) + " x " + gpus[i];
    i = end;
  }
  return text;
}

}  // namespace paceline
