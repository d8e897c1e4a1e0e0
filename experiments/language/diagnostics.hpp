// SPDX-License-Identifier: MIT
/// \file
/// Complaints about the user's input. A reader collects all of a file's errors as lines of
/// "file:line:column: error: problem (what is allowed)" and throws them at once.
#pragma once
#include <cstddef>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

/// A place in an input. Lines and columns count from 1, as editors do; line 0 means the whole file.
struct Location {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", or "file" alone for the whole file.
std::string to_string(const Location& at);

/// The input is wrong and the user can mend it: exit code 2. `what()` is one line an error.
class SpecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  SpecError(const Location& at, const std::string& message);
};

/// Collects errors while reading goes on, so that the user sees them all.
class Diagnostics {
 public:
  /// Notes one error; `message` is lower case, quotes the user's text and has no full stop. The
  /// same error at the same place is one line: a sweep reads a key once a point.
  void error(const Location& at, const std::string& message);
  bool empty() const { return count_ == 0; }
  /// How often `error` was called, repeats included: unchanged means that a read went well.
  std::size_t count() const { return count_; }
  /// Whether errors have been dropped: more than 100 lines are no help, so reading may stop.
  bool full() const { return more_; }
  /// The lines in the order of their places, file by file; what was dropped is one line.
  std::vector<std::string> lines() const;
  /// Throws SpecError with every line, if there is any.
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

/// `text` in single quotes on one line, cut after 60 characters: how a message shows what the user
/// wrote.
std::string quote(std::string_view text);

/// The name among `known` that `text` most likely meant, or "" when none is near: at most a third
/// of the letters (and one in a short name) added, lost, changed or swapped; case does not count.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

/// "a time", "an amount of work".
std::string with_article(const std::string& noun);

/// "unknown WHAT 'TEXT' (did you mean 'X'? known: a, b, c)".
std::string unknown_name(std::string_view what, std::string_view text,
                         const std::vector<std::string>& known);

/// "a, b, c".
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

}  // namespace paceline
