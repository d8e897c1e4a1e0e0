// SPDX-License-Identifier: MIT
#include "cli/whole_file.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace paceline {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  const std::error_code reason(errno, std::generic_category());
  throw std::runtime_error("cannot write " + path.string() + " (" + reason.message() + ")");
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

void write_whole(const std::filesystem::path& path, const std::string& text) {
  std::error_code reason;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), reason);
  if (reason) {
    throw std::runtime_error("cannot make folder " + path.parent_path().string() + " (" +
                             reason.message() + ")");
  }
  std::string temporary = path.string() + ".XXXXXX";
  {
    const Descriptor file(::mkstemp(temporary.data()));
    if (file.number() < 0) fail(path);
    ::fchmod(file.number(), 0644);
    write_all(file.number(), text, path);
    if (::fsync(file.number()) != 0) fail(path);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
}

}  // namespace paceline
