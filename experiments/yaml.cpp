// yaml-cpp reports events with marks; building the tree from events, not from YAML::Node, gives the
// place of every key, sees duplicate keys and keeps scalars as they were written.
#include "experiments/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace paceline {
namespace {

// A hand-written experiment is a few hundred values; the bounds only stop hostile files (alias
// bombs, endless nesting) long before memory or the stack runs out.
constexpr std::size_t kMaxValues = 200'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxFileBytes = 16u << 20;

std::size_t count_values(const Tree& tree) {
  std::size_t count = 1;
  for (const Tree& item : tree.items) count += count_values(item);
  for (const Member& member : tree.members) count += count_values(member.value);
  return count;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::shared_ptr<const std::string> file) : file_(std::move(file)) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Tree tree;
    tree.at = place(mark);
    add(std::move(tree), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw SpecError(place(mark), "an alias may not name what holds it");
    grow(count_values(found->second), mark);
    Tree copy = found->second;
    copy.at = place(mark);
    add(std::move(copy), 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Tree tree = Tree::scalar(value, place(mark));
    tree.quoted = tag == "!";
    if (!tree.quoted && (value.empty() || value == "~" || value == "null")) {
      tree.kind = Tree::Kind::null;
    }
    add(std::move(tree), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Tree::list({}, place(mark)), anchor, mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Tree::map(place(mark)), anchor, mark);
  }
  void OnMapEnd() override { close(); }

  Tree take() { return std::move(root_); }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  struct Open {
    Tree tree;
    YAML::anchor_t anchor = 0;
    bool have_key = false;
    std::string key;
    Location key_at;
    std::set<std::string> keys;
  };

  Location place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }
  void grow(std::size_t count, const YAML::Mark& mark) {
    values_ += count;
    if (values_ > kMaxValues) {
      throw SpecError(place(mark), "the document is too large (at most " +
                                       std::to_string(kMaxValues) + " values)");
    }
  }
  void open(Tree tree, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (stack_.size() >= kMaxDepth) {
      throw SpecError(place(mark),
                      "nested too deeply (at most " + std::to_string(kMaxDepth) + " levels)");
    }
    grow(1, mark);
    stack_.push_back({std::move(tree), anchor, false, "", {}, {}});
  }
  void close() {
    Open top = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(top.tree), top.anchor);
  }
  void add(Tree tree, YAML::anchor_t anchor) {
    if (++values_ > kMaxValues) {
      throw SpecError(tree.at, "the document is too large (at most " + std::to_string(kMaxValues) +
                                   " values)");
    }
    if (anchor != 0) anchors_[anchor] = tree;
    if (stack_.empty()) {
      root_ = std::move(tree);
      return;
    }
    Open& top = stack_.back();
    if (top.tree.is_list()) {
      top.tree.items.push_back(std::move(tree));
    } else if (!top.have_key) {
      if (!tree.is_scalar()) throw SpecError(tree.at, "a key must be a single value");
      top.key = tree.text;
      top.key_at = tree.at;
      top.have_key = true;
    } else {
      top.have_key = false;
      if (!top.keys.insert(top.key).second) {
        diagnostics_.error(top.key_at, "duplicate key '" + top.key + "'");
        return;
      }
      // a block's own mark is its first key inside; errors about the whole stand at its key
      if (!tree.is_scalar() && tree.kind != Tree::Kind::null && tree.at.line > top.key_at.line) {
        tree.at = top.key_at;
      }
      top.tree.members.push_back({top.key, top.key_at, std::move(tree)});
    }
  }

  std::shared_ptr<const std::string> file_;
  Tree root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Tree> anchors_;
  std::size_t values_ = 0;
  Diagnostics diagnostics_;
};

}  // namespace

Tree parse_yaml(const std::string& name, const std::string& text) {
  auto file = std::make_shared<const std::string>(name);
  TreeBuilder builder(file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) throw SpecError({file, 1, 1}, "the file is empty");
    TreeBuilder rest(file);
    if (parser.HandleNextDocument(rest)) {
      throw SpecError({file, 1, 1}, "more than one YAML document (a file holds one)");
    }
  } catch (const YAML::Exception& e) {  // e.what() has no file name; e.msg has no place
    throw SpecError({file, std::max(e.mark.line, 0) + 1, std::max(e.mark.column, 0) + 1}, e.msg);
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
    throw SpecError(at, std::string("cannot read (") + std::strerror(errno != 0 ? errno : EIO) + ")");
  }
  return text;
}

Tree read_yaml_file(const std::string& path) { return parse_yaml(path, read_text_file(path)); }

}  // namespace paceline
