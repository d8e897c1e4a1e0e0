// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/shared_clique.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <list>
#include <set>
#include <string>
#include <thread>

#include "tests/exec/cuda/emulation/stream.hpp"

namespace paceline::cuda::emulation {
namespace {

// interval at which waiting threads look for the files of other processes
constexpr std::chrono::milliseconds kLook{1};

template <class T>
void put(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T take(const char*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

/// The bytes of `from`.
std::size_t bytes_given(const Share& share, int ranks) {
  const std::size_t parts =
      share.call == Call::reduce_scatter ? static_cast<std::size_t>(ranks) : 1;
  return share.call == Call::exchange ? 0 : parts * share.count * bytes_of(share.number);
}

std::string text_of(const Share& share, int ranks) {
  std::string text;
  put(text, share.call);
  put(text, share.rank);
  put(text, share.count);
  put(text, share.number);
  put(text, share.root);
  put(text, share.sends.size());
  put(text, share.receives.size());
  const std::size_t given = bytes_given(share, ranks);
  if (given > 0) text.append(static_cast<const char*>(share.from), given);
  for (const Share::Sent& sent : share.sends) {
    put(text, sent.peer);
    put(text, sent.bytes);
    text.append(static_cast<const char*>(sent.data), sent.bytes);
  }
  for (const Share::Received& received : share.receives) {
    put(text, received.peer);
    put(text, received.bytes);
  }
  return text;
}

/// The share of a rank in another process. Its numbers are kept in `memory`, where they are aligned
/// as such; its results go there too, unread.
Share read_share(const std::string& text, int ranks, std::list<std::string>& memory) {
  const char* at = text.data();
  Share share;
  share.call = take<Call>(at);
  share.rank = take<int>(at);
  share.count = take<std::size_t>(at);
  share.number = take<Number>(at);
  share.root = take<int>(at);
  const auto sends = take<std::size_t>(at);
  const auto receives = take<std::size_t>(at);
  const std::size_t given = bytes_given(share, ranks);
  share.from = memory.emplace_back(at, given).data();
  at += given;
  const std::size_t most = static_cast<std::size_t>(ranks) * share.count * bytes_of(share.number);
  share.to = memory.emplace_back(most, '\0').data();
  for (std::size_t i = 0; i < sends; ++i) {
    const int peer = take<int>(at);
    const auto bytes = take<std::size_t>(at);
    share.sends.push_back({peer, memory.emplace_back(at, bytes).data(), bytes});
    at += bytes;
  }
  for (std::size_t i = 0; i < receives; ++i) {
    const int peer = take<int>(at);
    const auto bytes = take<std::size_t>(at);
    share.receives.push_back({peer, memory.emplace_back(bytes, '\0').data(), bytes});
  }
  return share;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A file is whole once it exists.
void write(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path unfinished = path.string() + ".part";
  std::ofstream(unfinished, std::ios::binary) << text;
  std::filesystem::rename(unfinished, path);
}

std::filesystem::path& shared_folder() {
  static std::filesystem::path folder;
  return folder;
}

}  // namespace

void share_nccl(const std::filesystem::path& folder) {
  shared_folder() = folder;
}

std::shared_ptr<Clique> make_clique(std::uint64_t id, int ranks) {
  if (shared_folder().empty()) return std::make_shared<Clique>(ranks);
  return std::make_shared<SharedClique>(shared_folder() / std::to_string(id), ranks);
}

SharedClique::SharedClique(std::filesystem::path folder, int ranks)
    : Clique(ranks), folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
}

std::filesystem::path SharedClique::file(const std::string& what, int rank) const {
  return folder_ / (what + "-" + std::to_string(rank));
}

bool SharedClique::all_have(const std::string& what) const {
  for (int rank = 0; rank < ranks(); ++rank) {
    if (!std::filesystem::exists(file(what, rank))) return false;
  }
  return true;
}

bool SharedClique::join(int rank, int device) {
  if (std::filesystem::exists(file("rank", rank))) return false;
  write(file("rank", rank), std::to_string(device));
  return true;
}

bool SharedClique::complete() const {
  return all_have("rank");
}

bool SharedClique::duplicate() const {
  std::set<std::string> devices;
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::string device = read(file("rank", rank));
    if (!device.empty() && !devices.insert(device).second) return true;
  }
  return false;
}

void SharedClique::wait_for_all(const std::atomic<bool>& aborted) {
  while (!complete() && !aborted) std::this_thread::sleep_for(kLook);
}

void SharedClique::take_part(const Share& mine, std::uint64_t& calls,
                             const std::atomic<bool>& aborted) {
  const std::string what = "call-" + std::to_string(calls++);
  write(file(what, mine.rank), text_of(mine, ranks()));
  const std::atomic<bool>& cancelled = cancelled_here();
  while (!all_have(what)) {
    if (aborted || cancelled) return;
    std::this_thread::sleep_for(kLook);
  }
  std::list<std::string> texts;
  std::list<std::string> memory;
  std::vector<Share> shares;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (rank == mine.rank) {
      shares.push_back(mine);
    } else {
      shares.push_back(read_share(texts.emplace_back(read(file(what, rank))), ranks(), memory));
    }
    const Share& other = shares.back();
    if (other.call != mine.call || other.count != mine.count) return stay_until(aborted);
  }
  carry_out(shares);
}

}  // namespace paceline::cuda::emulation
