// SPDX-License-Identifier: MIT
#include "cli/results_lock.hpp"

#include <cerrno>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/computer.hpp"
#include "cli/options.hpp"
#include "cli/timestamp.hpp"
#include "experiments/language/whole_file.hpp"
#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

/// True if another process has a lock that excludes `kind`.
bool locked_by_another(int file, int kind) {
  return file >= 0 && ::flock(file, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// The process that holds a claim, in words; its file may be empty on a full disk.
std::string holder(const std::filesystem::path& path) {
  try {
    const Tree claim = read_yaml_file(path.string());
    const auto text = [&](const char* key) {
      const Tree* value = claim.find(key);
      return value != nullptr ? value->text : std::string("?");
    };
    const bool here = text("computer") == this_computer().host;
    const std::string process = text("process");
    return "process " + process + (here ? "" : " on " + text("computer")) + " since " +
           text("since") + " (" + text("command") + "): wait for its end, end it with `kill " +
           process + "`" + (here ? "" : " there");
  } catch (const SpecError&) {
    return "another process: wait for its end";
  }
}

}  // namespace

ResultsLock::ResultsLock(const std::filesystem::path& folder)
    : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      held_(!locked_by_another(file_, LOCK_EX)) {}

ResultsLock::~ResultsLock() {
  if (file_ >= 0) ::close(file_);
}

ResultsClaim::ResultsClaim(const std::filesystem::path& folder, Writers writers,
                           const std::string& command)
    : path_(folder / ".lock") {
  for (;;) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) return;
    if (locked_by_another(file_, writers == Writers::one ? LOCK_EX : LOCK_SH)) {
      ::close(file_);
      throw std::runtime_error(folder.string() + " is written by " + holder(path_) +
                               ", or give another folder with -o");
    }
    struct stat opened {};
    struct stat named {};
    const bool same = ::fstat(file_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino;
    if (same) break;
    ::close(file_);  // its last holder removed it before it was locked here: try again
  }
  Tree claim = Tree::map();
  claim.set("process", Tree::scalar(std::to_string(::getpid())));
  claim.set("computer", Tree::quoted_scalar(this_computer().host));
  claim.set("since", Tree::quoted_scalar(utc_now()));
  claim.set("command", Tree::quoted_scalar(command));
  const std::string text = to_flow(claim) + "\n";
  // the lock is the claim: without its text only the message to others is shorter
  if (::ftruncate(file_, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(file_, text.data(), text.size(), 0);
}

ResultsClaim::~ResultsClaim() {
  if (file_ < 0) return;
  if (!locked_by_another(file_, LOCK_EX)) ::unlink(path_.c_str());  // no other part has a claim
  ::close(file_);
}

}  // namespace paceline
