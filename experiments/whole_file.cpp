// SPDX-License-Identifier: MIT
#include "experiments/whole_file.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace paceline {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  const std::error_code reason(errno, std::generic_category());
  throw WriteError(reason, "cannot write " + path.string());
}

/// An open file, closed when it leaves.
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

/// A file that is gone unless it was renamed.
class Temporary {
 public:
  explicit Temporary(std::string name) : name_(std::move(name)), file_(::mkstemp(name_.data())) {}
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
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

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

void write_whole(const std::filesystem::path& path, const std::string& text) {
  std::error_code reason;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), reason);
  if (reason) throw WriteError(reason, "cannot make folder " + path.parent_path().string());
  Temporary file(path.string() + ".XXXXXX");
  if (file.number() < 0) fail(path);
  ::fchmod(file.number(), 0644);
  write_all(file.number(), text, path);
  if (::fsync(file.number()) != 0) fail(path);
  if (!file.rename(path)) fail(path);
}

}  // namespace paceline
