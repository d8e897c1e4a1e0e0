// SPDX-License-Identifier: MIT
/// \file
/// Runs commands in the test process. The working directory is a temporary folder. Figures are not
/// drawn, because starting Python takes a second and plots/ has its own tests.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace paceline {

class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "paceline-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    before_ = std::filesystem::current_path();
    folder_ = name;
    std::filesystem::current_path(folder_);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);  // for profiles
    setenv("PACELINE_PLOTS", "/nowhere", 1);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  /// Runs a command and returns its exit code; `out` and `err` receive the output.
  int run(const std::vector<std::string>& args) {
    std::ostringstream out_stream;
    std::ostringstream err_stream;
    const int code = run_command(args, out_stream, err_stream);
    out = out_stream.str();
    err = err_stream.str();
    return code;
  }

  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::string out, err;

 private:
  std::filesystem::path before_, folder_;
};

}  // namespace paceline
