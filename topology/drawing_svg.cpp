// SPDX-License-Identifier: MIT
//
// Runs `dot` without a shell; its input is a temporary file and its output a pipe.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topology/drawing.hpp"

extern char** environ;

namespace paceline {
namespace {

/// A file in the temporary folder, removed on destruction. Tests false if the file could not be
/// created.
class TemporaryFile final {
 public:
  explicit TemporaryFile(const std::string& text) {
    std::error_code ignored;
    path_ = (std::filesystem::temp_directory_path(ignored) / "paceline-XXXXXX").string();
    const int file = mkstemp(path_.data());
    if (file < 0) return;
    created_ = true;
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = ::write(file, text.data() + done, text.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    whole_ = close(file) == 0 && done == text.size();
  }
  ~TemporaryFile() {
    if (created_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  bool good() const { return whole_; }
  std::string& path() { return path_; }

 private:
  std::string path_;
  bool created_ = false;
  bool whole_ = false;
};

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::optional<std::string> to_svg(const Machine& machine) {
  TemporaryFile input(to_dot(machine));
  if (!input.good()) return std::nullopt;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "dot";
  std::string format = "-Tsvg";
  std::array<char*, 4> arguments{program.data(), format.data(), input.path().data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "dot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string svg = failed == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (failed != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || svg.empty()) return std::nullopt;
  return svg;
}

}  // namespace paceline
