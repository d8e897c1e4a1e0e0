// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <algorithm>
#include <cmath>

#include "cli/colour.hpp"
#include "cli/interrupt.hpp"

namespace paceline {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{10};

/// Cuts ASCII text to at most `most` characters.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  return most > 3 ? text.substr(0, most - 3) + "..." : "";
}

}  // namespace

ProgressBar::ProgressBar(const Terminal& terminal, std::string what, std::size_t total, bool quiet,
                         std::string noun)
    : terminal_(terminal),
      what_(std::move(what)),
      total_(total),
      noun_(std::move(noun)),
      quiet_(quiet || total == 0) {
  if (!quiet_ && terminal_.live) draw();
}

ProgressBar::~ProgressBar() {
  if (!quiet_ && terminal_.live) terminal_.err << "\r\x1b[K" << std::flush;  // erases the bar
}

void ProgressBar::advance() {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_drawn_ < (terminal_.live ? std::chrono::milliseconds(kRedraw) : kPlainLine))
    return;
  last_drawn_ = now;
  draw();
}

void ProgressBar::set_current(const std::string& next) {
  const std::lock_guard lock(mutex_);
  next_ = next;
  if (!quiet_ && terminal_.live) draw();
}

void ProgressBar::draw() const {
  if (interrupted()) return;
  const std::string count = std::to_string(done_) + "/" + std::to_string(total_);
  const std::string left = time_left(std::chrono::steady_clock::now() - began_, done_, total_);
  if (!terminal_.live) {
    terminal_.err << what_ << ": " << count << " " << noun_ << "\n" << std::flush;
    return;
  }
  constexpr std::size_t kWidth = 20;
  const std::size_t full = std::min(kWidth, done_ * kWidth / total_);
  const std::string rest = " " + count + (left.empty() ? "" : ", " + left);
  // A wrapped line could not be redrawn.
  const std::size_t used = what_.size() + kWidth + 3 + rest.size() + 2;
  const std::size_t room = static_cast<std::size_t>(std::max(terminal_.width, 1)) - 1;
  const std::string name = used < room ? cut(next_, room - used) : "";
  terminal_.err << "\r" << what_ << " ["
                << coloured(std::string(full, '#'), Colour::green, terminal_.colour)
                << std::string(kWidth - full, '.') << "]" << rest
                << (name.empty() ? "" : "  " + coloured(name, Colour::dim, terminal_.colour))
                << "\x1b[K" << std::flush;
}

std::string time_left(std::chrono::duration<double> elapsed, std::size_t done, std::size_t total) {
  if (done == 0 || done >= total) return "";
  const double seconds =
      elapsed.count() / static_cast<double>(done) * static_cast<double>(total - done);
  const auto rounded = [](double number) { return std::to_string(std::llround(number)); };
  if (seconds < 59.5) return "about " + rounded(std::max(1.0, seconds)) + " s left";
  if (seconds < 59.5 * 60) return "about " + rounded(seconds / 60) + " min left";
  return "about " + rounded(seconds / 3600) + " h left";
}

}  // namespace paceline
