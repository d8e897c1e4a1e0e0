// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <algorithm>

namespace paceline {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{10};

}  // namespace

ProgressBar::ProgressBar(const Terminal& terminal, std::string what, std::size_t total, bool quiet,
                         std::string things)
    : terminal_(terminal),
      what_(std::move(what)),
      total_(total),
      things_(std::move(things)),
      quiet_(quiet || total == 0) {
  if (!quiet_ && terminal_.live) draw();
}

ProgressBar::~ProgressBar() {
  if (!quiet_ && terminal_.live) terminal_.err << "\r\x1b[K" << std::flush;  // wipes the bar
}

void ProgressBar::advance() {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - said_ < (terminal_.live ? std::chrono::milliseconds(kRedraw) : kPlainLine)) return;
  said_ = now;
  draw();
}

void ProgressBar::say(const std::string& next) {
  const std::lock_guard lock(mutex_);
  next_ = next;
  if (!quiet_ && terminal_.live) draw();
}

void ProgressBar::draw() const {
  const std::string count = std::to_string(done_) + "/" + std::to_string(total_);
  if (!terminal_.live) {
    terminal_.err << what_ << ": " << count << " " << things_ << "\n" << std::flush;
    return;
  }
  constexpr std::size_t kWidth = 40;
  const std::size_t full = std::min(kWidth, done_ * kWidth / total_);
  terminal_.err << "\r" << what_ << " [" << std::string(full, '#')
                << std::string(kWidth - full, '.') << "] " << count
                << (next_.empty() ? "" : "  " + next_) << "\x1b[K" << std::flush;
}

}  // namespace paceline
