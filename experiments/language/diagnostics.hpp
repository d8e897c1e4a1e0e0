// SPDX-License-Identifier: MIT
/// \file
/// Errors in the user's input. A reader collects all errors of a file as lines of
/// "file:line:column: error: problem (what is allowed)" and throws them together.
#pragma once
#include <cstddef>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

/// A position in an input. Lines and columns count from 1, as in editors; line 0 means the whole
/// file.
struct Location {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", or "file" alone for the whole file.
std::string to_string(const Location& at);

/// An error in the input that the user can correct: exit code 2. `what()` has one line per error.
class SpecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  SpecError(const Location& at, const std::string& message);
};

/// Collects errors while reading continues, so that one run reports all of them.
class Diagnostics {
 public:
  /// Notes one error. `message` starts in lower case, quotes the user's text and has no full stop.
  /// Repeats of an error at one place are dropped, because a sweep reads the same key once per
  /// point.
  void error(const Location& at, const std::string& message);
  bool empty() const { return count_ == 0; }
  /// The number of calls to `error`, repeats included. If a read leaves it unchanged, the read
  /// succeeded.
  std::size_t count() const { return count_; }
  /// True if errors were dropped because the limit of 100 lines was reached; reading may stop then.
  bool full() const { return more_; }
  /// The errors sorted by file (in the order of each file's first error), line and column. A last
  /// line reports dropped errors, if any.
  std::vector<std::string> lines() const;
  /// Throws a SpecError with all lines, if there are any.
  void throw_if_any() const;

 private:
  struct Line {
    Location at;
    std::string text;
  };
  std::vector<Line> lines_;
  std::set<std::string> known_;  ///< the texts of `lines_`
  std::size_t count_ = 0;
  bool more_ = false;
};

/// `text` in single quotes for a message: on one line, control characters escaped, cut after 60
/// characters.
std::string quote(std::string_view text);

/// The name among `known` that is nearest to `text`, or "" if none is near. Near means: at most a
/// third of the letters (one letter in a short name) are added, missing, changed or swapped. Case
/// does not count.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

/// "a time", "an amount of work".
std::string with_article(const std::string& noun);

/// "unknown WHAT 'TEXT' (did you mean 'X'? known: a, b, c)".
std::string unknown_name(std::string_view what, std::string_view text,
                         const std::vector<std::string>& known);

/// "a, b, c".
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

}  // namespace paceline
