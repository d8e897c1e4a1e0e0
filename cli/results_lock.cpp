// SPDX-License-Identifier: MIT
#include "cli/results_lock.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace paceline {

ResultsLock::ResultsLock(const std::filesystem::path& folder)
    : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      held_(file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {}

ResultsLock::~ResultsLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace paceline
