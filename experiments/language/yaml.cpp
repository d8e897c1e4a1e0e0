// SPDX-License-Identifier: MIT
// The tree is built from yaml-cpp's events, not from YAML::Node: events give the position of every
// key, expose duplicate keys and keep scalars as written.
#include "experiments/language/yaml.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "experiments/language/text_check.hpp"

namespace paceline {
namespace {

// A hand-written experiment has a few hundred values. The limits only stop hostile files (alias
// bombs, endless nesting) before they exhaust time, memory or the stack.
constexpr std::size_t kMaxWeight = 200'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxYamlBytes = 4u << 20;
constexpr std::size_t kMaxFileBytes = 16u << 20;

std::size_t depth(const Tree& tree) {
  std::size_t below = 0;
  for (const Tree& item : tree.items) below = std::max(below, depth(item));
  for (const Member& member : tree.members) below = std::max(below, depth(member.value));
  return below + 1;
}

/// The text being parsed and the starts of its lines. Converts yaml-cpp's columns, which count
/// bytes, into characters.
class Source {
 public:
  Source(std::shared_ptr<const std::string> file, const std::string& text)
      : file_(std::move(file)), text_(text) {
    int characters = 0;
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      characters_before_.push_back(characters);
      if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++characters;
      if (text[i] == '\n') lines_.push_back(i + 1);
    }
    characters_before_.push_back(characters);
  }
  /// The text from a mark to the end.
  std::string_view from(const YAML::Mark& mark) const {
    return std::string_view(text_).substr(offset(mark));
  }
  Location place(const YAML::Mark& mark) const {
    const int line = std::max(mark.line, 0);
    const std::size_t begin = lines_[std::min(static_cast<std::size_t>(line), lines_.size() - 1)];
    return {file_, line + 1, characters_before_[offset(mark)] - characters_before_[begin] + 1};
  }

 private:
  std::size_t offset(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(std::max(mark.line, 0));
    if (line >= lines_.size()) return text_.size();
    const std::size_t end = line + 1 < lines_.size() ? lines_[line + 1] - 1 : text_.size();
    return std::min(lines_[line] + static_cast<std::size_t>(std::max(mark.column, 0)), end);
  }

  std::shared_ptr<const std::string> file_;
  const std::string& text_;
  std::vector<std::size_t> lines_;
  std::vector<int> characters_before_;  ///< indexed by byte
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Source& source) : source_(source) {}

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = source_.place(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Tree tree;
    const std::string_view text = source_.from(mark);
    const bool written = text.starts_with('~') || text.starts_with('n') || text.starts_with('N');
    if (written || stack_.empty()) {
      tree.at = source_.place(mark);
    } else {  // an empty value: its mark is that of the next token
      tree.at = stack_.back().have_key ? stack_.back().key_at : stack_.back().tree.at;
    }
    add(std::move(tree), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    const Location at = source_.place(mark);
    if (found == anchors_.end())
      throw SpecError(at, "an alias must not refer to a node that contains it");
    grow(weight(found->second), at);
    check_depth(stack_.size() + depth(found->second), at);
    Tree copy = found->second;
    copy.at = at;
    add(std::move(copy), 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Tree tree = Tree::scalar(value, source_.place(mark));
    tree.quoted = tag != "?";
    if (tag != "tag:yaml.org,2002:str") check_tag(tag, tree.at);
    check_quote(mark, tree.at);
    add(std::move(tree), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Tree::list({}, source_.place(mark)), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Tree::map(source_.place(mark)), tag, anchor);
  }
  void OnMapEnd() override { close(); }

  Tree take() { return std::move(root_); }
  const Location& start() const { return start_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  struct Open {
    Tree tree;
    YAML::anchor_t anchor = 0;
    bool have_key = false;
    std::string key;
    Location key_at;
    std::set<std::string> keys;
  };

  static void check_tag(const std::string& tag, const Location& at) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    constexpr std::string_view kCore = "tag:yaml.org,2002:";
    const std::string shown = tag.starts_with(kCore) ? "!!" + tag.substr(kCore.size()) : tag;
    throw SpecError(at, "tag " + quote(shown) + " is not supported (use quotes, or !!str)");
  }
  /// Throws if a quoted text is not closed. yaml-cpp accepts the end of the file as the closing
  /// quote.
  void check_quote(const YAML::Mark& mark, const Location& at) const {
    const std::string_view text = source_.from(mark);
    if (!text.starts_with('\'') && !text.starts_with('"')) return;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[0] == '"' && text[i] == '\\') {
        ++i;
      } else if (text[i] == text[0]) {
        if (text[0] == '"' || !text.substr(i + 1).starts_with('\'')) return;
        ++i;  // '' is a quote inside the text
      }
    }
    throw SpecError(at, "the quote is never closed");
  }
  static void check_depth(std::size_t levels, const Location& at) {
    if (levels <= kMaxDepth) return;
    throw SpecError(at, "nested too deeply (at most " + std::to_string(kMaxDepth) + " levels)");
  }
  void grow(std::size_t amount, const Location& at) {
    weight_ += amount;
    if (weight_ <= kMaxWeight) return;
    throw SpecError(at, "the document is too large (at most " + std::to_string(kMaxWeight) +
                            " values, copies by aliases included)");
  }
  void open(Tree tree, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(tag, tree.at);
    check_depth(stack_.size() + 1, tree.at);
    stack_.push_back({std::move(tree), anchor, false, "", {}, {}});
  }
  void close() {
    Open top = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(top.tree), top.anchor);
  }
  void add(Tree tree, YAML::anchor_t anchor) {
    grow(1 + tree.text.size() / 32, tree.at);
    if (anchor != 0) {
      grow(weight(tree), tree.at);  // the copy in anchors_
      anchors_[anchor] = tree;
    }
    if (stack_.empty()) {
      root_ = std::move(tree);
      return;
    }
    Open& top = stack_.back();
    if (top.tree.is_list()) {
      top.tree.items.push_back(std::move(tree));
    } else if (!top.have_key) {
      set_key(top, tree);
    } else {
      set_value(top, std::move(tree));
    }
  }
  static void set_key(Open& top, const Tree& key) {
    if (!key.is_scalar()) throw SpecError(key.at, "a key must be a single value");
    if (key.text == "<<" && !key.quoted) {
      throw SpecError(key.at, "merge keys '<<' are not supported (write the keys out)");
    }
    top.key = key.text;
    top.key_at = key.at;
    top.have_key = true;
  }
  void set_value(Open& top, Tree value) {
    top.have_key = false;
    if (!top.keys.insert(top.key).second) {
      diagnostics_.error(top.key_at, "duplicate key " + quote(top.key));
      return;
    }
    // The mark of a block is its first key; errors about the whole block belong at the block's own
    // key.
    if ((value.is_map() || value.is_list()) && value.at.line > top.key_at.line) {
      value.at = top.key_at;
    }
    top.tree.members.push_back({top.key, top.key_at, std::move(value)});
  }

  const Source& source_;
  Location start_;
  Tree root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Tree> anchors_;
  std::size_t weight_ = 0;
  Diagnostics diagnostics_;
};

/// yaml-cpp's message in words that do not require knowledge of the YAML grammar.
std::string in_plain_words(const std::string& complaint) {
  struct Words {
    std::string_view original;
    const char* replacement;
  };
  static constexpr std::array<Words, 7> kWords{{
      {"end of sequence flow not found", "a '[' is never closed"},
      {"end of map flow not found", "a '{' is never closed"},
      {"illegal flow end", "unmatched closing bracket"},
      {"illegal EOF in scalar", "the quote is never closed"},
      {"illegal map value", "no key is allowed here (check the indentation, or quote the text)"},
      {"the referenced anchor is not defined", "no anchor of this name is defined above"},
      {"unknown token", "no value may begin with this character (quote the text)"},
  }};
  for (const Words& words : kWords) {
    if (complaint == words.original) return words.replacement;
  }
  return complaint;
}

}  // namespace

Tree parse_yaml(const std::string& name, const std::string& text) {
  const auto file = std::make_shared<const std::string>(name);
  if (text.size() > kMaxYamlBytes) throw SpecError({file, 0, 0}, "the file is larger than 4 MiB");
  const std::string checked = checked_text(file, text);
  const Source source(file, checked);
  TreeBuilder builder(source);
  try {
    std::istringstream stream(checked);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) throw SpecError({file, 1, 1}, "the document is empty");
    TreeBuilder rest(source);
    if (parser.HandleNextDocument(rest)) {
      throw SpecError(rest.start(),
                      "a second YAML document begins here (one per file; check the indentation)");
    }
  } catch (const YAML::DeepRecursion& e) {
    throw SpecError(source.place(e.mark), "nested too deeply");
  } catch (const YAML::Exception& e) {  // e.what() lacks the file name, e.msg the position
    const int line = std::max(e.mark.line, 0) + 1;
    if (const int tab = tab_in_indentation(checked, line); tab > 0) {
      throw SpecError({file, line, tab}, "tab in the indentation (use blanks)");
    }
    throw SpecError(source.place(e.mark), in_plain_words(e.msg));
  }
  builder.diagnostics().throw_if_any();
  return builder.take();
}

std::string read_text_file(const std::string& path) {
  const Location at{std::make_shared<const std::string>(path), 0, 0};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (in) {
    std::ostringstream all;
    char block[65536];
    while (in.read(block, sizeof block), in.gcount() > 0) {
      text.append(block, static_cast<std::size_t>(in.gcount()));
      if (text.size() > kMaxFileBytes) throw SpecError(at, "the file is larger than 16 MiB");
    }
  }
  if (!in.eof()) {
    throw SpecError(at,
                    std::string("cannot read (") + std::strerror(errno != 0 ? errno : EIO) + ")");
  }
  return text;
}

Tree read_yaml_file(const std::string& path) {
  return parse_yaml(path, read_text_file(path));
}

}  // namespace paceline
