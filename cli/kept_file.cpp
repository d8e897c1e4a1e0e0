// SPDX-License-Identifier: MIT
#include "cli/kept_file.hpp"

#include "experiments/language/diagnostics.hpp"
#include "experiments/language/whole_file.hpp"

namespace paceline {

void expect_absent(const std::filesystem::path& file, const Options& options) {
  std::error_code unknown;
  if (options.force || !std::filesystem::exists(std::filesystem::symlink_status(file, unknown)))
    return;
  throw SpecError("paceline: error: " + quote(file.string()) +
                  " exists (give another name, or --force to replace it)");
}

void expect_place(const std::filesystem::path& file, const std::string& other) {
  const std::string why = write_problem([&] { expect_writable(file); });
  if (!why.empty())
    throw SpecError("paceline: error: " + why + ": give another " + other + " with -o");
}

}  // namespace paceline
