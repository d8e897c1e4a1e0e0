// SPDX-License-Identifier: MIT
/// \file
/// XML in the making: an element a line, indented by its depth.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace paceline::test {

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// `value` in hexadecimal, with at least `digits` digits.
inline std::string hex(unsigned long long value, std::size_t digits) {
  std::string text;
  for (; value > 0 || text.size() < digits; value >>= 4U) {
    text.insert(text.begin(), "0123456789abcdef"[value & 15U]);
  }
  return text;
}

class XmlText final {
 public:
  /// Opens an element; `text` follows on its line.
  void open(const std::string& name, const Attributes& attributes, const std::string& text = "") {
    begin(name, attributes);
    text_ += ">" + text + "\n";
    open_.push_back(name);
  }
  void close() {
    const std::string name = open_.back();
    open_.pop_back();
    text_ += indent() + "</" + name + ">\n";
  }
  void leaf(const std::string& name, const Attributes& attributes) {
    begin(name, attributes);
    text_ += "/>\n";
  }
  /// An element with nothing but text.
  void leaf(const std::string& name, const Attributes& attributes, const std::string& text) {
    begin(name, attributes);
    text_ += ">" + text + "</" + name + ">\n";
  }
  void line(const std::string& text) { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string indent() const { return std::string(open_.size(), ' '); }
  void begin(const std::string& name, const Attributes& attributes) {
    text_ += indent() + "<" + name;
    for (const auto& [key, value] : attributes) text_ += " " + key + "=\"" + value + "\"";
  }

  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace paceline::test
