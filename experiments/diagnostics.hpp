/// \file
/// Complaints about the user's input. A reader collects all of a file's errors as lines of
/// "file:line:column: error: problem (what is allowed)" and throws them at once.
#pragma once
#include <memory>
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
  /// Notes one error; `message` is lower case, quotes the user's text and has no full stop.
  void error(const Location& at, const std::string& message);
  bool empty() const { return lines_.empty(); }
  std::size_t count() const { return lines_.size(); }
  /// The lines in the order of their places in the file.
  std::vector<std::string> lines() const;
  /// Throws SpecError with every line, if there is any.
  void throw_if_any() const;

 private:
  struct Line {
    Location at;
    std::string text;
  };
  std::vector<Line> lines_;
};

/// The name among `known` that `text` most likely meant, or "" when none is near
/// (Damerau-Levenshtein distance at most a third of the length).
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

/// "unknown WHAT 'TEXT' (did you mean 'X'? known: a, b, c)".
std::string unknown_name(std::string_view what, std::string_view text,
                         const std::vector<std::string>& known);

/// "a, b, c".
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

}  // namespace paceline
