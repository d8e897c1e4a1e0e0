// SPDX-License-Identifier: MIT
#include "exec/processes/secret.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

[[noreturn]] void fail(const std::string& problem) {
  throw SpecError("paceline: error: " + problem);
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

std::filesystem::path place_of_user() {
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  const bool given = folder != nullptr && *folder != '\0' && access(folder, W_OK) == 0;
  return (given ? std::filesystem::path(folder) : std::filesystem::temp_directory_path()) /
         ("paceline-" + std::to_string(getuid()) + ".secret");
}

/// If two processes make the file at the same time, both use the first file: a hard link appears
/// with its content or not at all.
void make_file(const std::filesystem::path& path) {
  const std::string fresh = path.string() + "." + to_hex(random_nonce());
  const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const std::string text = to_hex(random_nonce()) + "\n";
  bool written = file >= 0 && write(file, text.data(), text.size()) == std::ssize(text);
  written = written && (link(fresh.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int error = errno;
  if (file >= 0) {
    close(file);
    unlink(fresh.c_str());
  }
  if (!written) fail("cannot write " + quote(path.string()) + " (" + reason(error) + ")");
}

}  // namespace

Nonce random_nonce() {
  Nonce nonce;
  // at most 256 bytes are returned completely, without interruption by signals
  if (getrandom(nonce.data(), nonce.size(), 0) != std::ssize(nonce)) {
    throw std::runtime_error("the kernel gives no random numbers (" + reason(errno) + ")");
  }
  return nonce;
}

std::string to_hex(const Digest& digest) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte value : digest) {
    text += kDigits[std::to_integer<unsigned>(value) >> 4];
    text += kDigits[std::to_integer<unsigned>(value) & 15U];
  }
  return text;
}

Secret::Secret(const std::string& text) : key_(sha256(std::as_bytes(std::span(text)))) {}

Secret Secret::of_text(std::string text, const std::string& source) {
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  if (text.size() < kLeastBytes) {
    fail("the secret in " + source + " has " + std::to_string(text.size()) +
         " bytes, expected at least " + std::to_string(kLeastBytes) +
         " (make one: head -c 32 /dev/urandom | base64)");
  }
  return Secret(text);
}

Secret Secret::of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    fail("cannot read the secret in " + quote(path.string()) + " (" + reason(errno) + ")");
  }
  return of_text(std::move(text), quote(path.string()));
}

Secret Secret::of_user() {
  const std::filesystem::path path = place_of_user();
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) make_file(path);
  if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != getuid() ||
      (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    fail(quote(path.string()) +
         " is not a file that only this user can read (remove it, or give "
         "--secret-file)");
  }
  return of_file(path);
}

Digest Secret::proof(End end, const Nonce& of_accepting, const Nonce& of_connecting) const {
  std::vector<std::byte> text{static_cast<std::byte>(end)};
  text.insert(text.end(), of_accepting.begin(), of_accepting.end());
  text.insert(text.end(), of_connecting.begin(), of_connecting.end());
  return hmac_sha256(key_, text);
}

}  // namespace paceline
