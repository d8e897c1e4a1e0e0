// SPDX-License-Identifier: MIT
#include "experiments/language/whole_file.hpp"

#include <cerrno>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace paceline {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  const std::error_code reason(errno, std::generic_category());
  throw WriteError(reason, "cannot write " + path.string());
}

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

constexpr std::string_view kTemporary = ".paceline-tmp-";
constexpr std::string_view kUnique = "XXXXXX";  // replaced by mkostemp

/// A temporary file, removed on destruction unless renamed. The file is locked while open, so that
/// other processes can distinguish it from a leftover of a killed program.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& folder) : file_(open_in(folder, name_)) {}
  ~Temporary() {
    if (file_.number() >= 0 && !renamed_) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  int number() const { return file_.number(); }
  bool rename(const std::filesystem::path& path) {
    return renamed_ = ::rename(name_.c_str(), path.c_str()) == 0;
  }

 private:
  static int open_in(const std::filesystem::path& folder, std::string& name) {
    for (;;) {
      name = (folder / (std::string(kTemporary) + std::string(kUnique))).string();
      const int file = ::mkostemp(name.data(), O_CLOEXEC);
      if (file < 0) return file;
      struct stat found {};
      // Another process may have removed the file as a leftover before it was locked: try again.
      if (::flock(file, LOCK_EX) != 0 || ::fstat(file, &found) != 0 || found.st_nlink > 0) {
        return file;
      }
      ::close(file);
    }
  }

  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

/// Removes the leftovers of killed programs from a folder: temporary files without a lock.
void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code refused;
  for (const auto& entry : std::filesystem::directory_iterator(folder, refused)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kTemporary)) continue;
    if (name.size() != kTemporary.size() + kUnique.size()) continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.number() < 0 || ::flock(file.number(), LOCK_EX | LOCK_NB) != 0) continue;
    ::unlink(entry.path().c_str());
  }
}

/// The folder of `path`, created if missing. Removes leftovers on the process's first use of the
/// folder.
std::filesystem::path folder_for(const std::filesystem::path& path) {
  std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (reason) throw WriteError(reason, "cannot make folder " + folder.string());
  static std::mutex mutex;
  static std::set<std::filesystem::path> cleaned;
  const std::lock_guard lock(mutex);
  if (cleaned.insert(std::filesystem::absolute(folder)).second) remove_leftovers(folder);
  return folder;
}

void write_all(int file, const std::string& text, const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path);
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

WriteError::WriteError(std::error_code reason, const std::string& problem)
    : std::system_error(reason), text_(problem + " (" + reason.message() + ")") {}

namespace {

/// Throws WriteError if `path` names something else than a file, be it by a link such as
/// /dev/stdout, which a rename would replace.
void expect_file_or_none(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::file_status found = std::filesystem::status(path, none);
  if (!std::filesystem::exists(found) || std::filesystem::is_regular_file(found)) return;
  const std::errc reason = std::filesystem::is_directory(found) ? std::errc::is_a_directory
                                                                : std::errc::invalid_argument;
  throw WriteError(std::make_error_code(reason), "cannot write " + path.string());
}

void write_renamed(const std::filesystem::path& path, const std::string& text, bool flush) {
  expect_file_or_none(path);
  Temporary file(folder_for(path));
  if (file.number() < 0) fail(path);
  ::fchmod(file.number(), 0644);
  write_all(file.number(), text, path);
  if (flush && ::fsync(file.number()) != 0) fail(path);
  if (!file.rename(path)) fail(path);
}

}  // namespace

void write_whole(const std::filesystem::path& path, const std::string& text) {
  write_renamed(path, text, true);
}

void write_whole_unflushed(const std::filesystem::path& path, const std::string& text) {
  write_renamed(path, text, false);
}

std::string write_problem(const std::function<void()>& write) {
  try {
    write();
  } catch (const WriteError& error) {
    return error.what();
  }
  return "";
}

void expect_writable(const std::filesystem::path& path) {
  const Temporary file(folder_for(path));
  if (file.number() < 0) fail(path);
  expect_file_or_none(path);
}

}  // namespace paceline
