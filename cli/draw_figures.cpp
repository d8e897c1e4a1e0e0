// SPDX-License-Identifier: MIT
#include "cli/draw_figures.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/data_folder.hpp"

extern "C" char** environ;  // POSIX; no header declares it

namespace paceline {
namespace {

std::string draw_py() {
  const char* named = std::getenv("PACELINE_PLOTS");
  const std::filesystem::path file =
      (named != nullptr ? std::filesystem::path(named) : data_folder("plots")) / "draw.py";
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) ? file.string() : "";
}

/// Pipes for both output streams of a child process.
class Pipes {
 public:
  Pipes() {
    for (auto& pair : ends_) {
      if (::pipe2(pair.data(), O_CLOEXEC) != 0) pair = {-1, -1};
    }
  }
  ~Pipes() {
    for (auto& pair : ends_) {
      for (const int end : pair) {
        if (end >= 0) ::close(end);
      }
    }
  }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;

  int write_end(int stream) const { return ends_[static_cast<std::size_t>(stream)][1]; }
  /// Reads the child's stdout (0) and stderr (1) to their ends.
  std::array<std::string, 2> read_all() {
    std::array<std::string, 2> text;
    std::array<pollfd, 2> watched{};
    for (std::size_t i = 0; i < 2; ++i) {
      ::close(ends_[i][1]);
      ends_[i][1] = -1;
      watched[i] = {ends_[i][0], POLLIN, 0};
    }
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
      if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) break;
      for (std::size_t i = 0; i < 2; ++i) {
        if (watched[i].fd < 0 || watched[i].revents == 0) continue;
        std::array<char, 4096> part{};
        const ssize_t count = ::read(watched[i].fd, part.data(), part.size());
        if (count > 0) text[i].append(part.data(), static_cast<std::size_t>(count));
        if (count == 0 || (count < 0 && errno != EINTR)) watched[i].fd = -1;
      }
    }
    return text;
  }

 private:
  std::array<std::array<int, 2>, 2> ends_{};
};

std::string without_newline(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Drawing run_python(const std::string& python, const std::vector<std::string>& words) {
  std::vector<std::string> all{python};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipes pipes;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes.write_end(0), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.write_end(1), STDERR_FILENO);
  pid_t child = 0;
  const int spawn_error =
      ::posix_spawnp(&child, python.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawn_error != 0) return {kNotHere, "", "python3 not found; figures were not drawn"};
  const std::array<std::string, 2> text = pipes.read_all();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kPointFailed;
  if (code == 0) return {0, without_newline(text[0]), without_newline(text[1])};
  return {code, "", without_newline(text[1].empty() ? "drawing failed" : text[1])};
}

}  // namespace

Drawing draw_figures(const std::vector<std::string>& arguments) {
  const std::string program = draw_py();
  if (program.empty()) return {kNotHere, "", "plots/draw.py not found; figures were not drawn"};
  std::vector<std::string> words{"-B", program};  // write no bytecode into the source folder
  words.insert(words.end(), arguments.begin(), arguments.end());
  Drawing drawing{kNotHere, "", ""};
  // PDF and PNG need Matplotlib, which may be installed for only one of the two. SVG needs only
  // Python.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    drawing = run_python(python, words);
    if (drawing.code != kNotHere) break;
  }
  return drawing;
}

}  // namespace paceline
