// SPDX-License-Identifier: MIT
#include "training/learning/saved_weights.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "experiments/language/diagnostics.hpp"
#include "experiments/language/json.hpp"
#include "models/tensors.hpp"

namespace paceline {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

using HeaderLength = std::uint64_t;  // of the header, at the beginning of the file

constexpr std::int64_t kFloatBytes = sizeof(float);
constexpr HeaderLength kAlignment = 8;  // of the numbers in the file, as other writers have it
constexpr HeaderLength kMostHeader = 8 << 20;  // bytes; a network of the most layers needs half
constexpr int kDeepest = 8;                    // braces and brackets; the format needs 3
constexpr const char* kMetadata = "__metadata__";

std::string show(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

std::string quoted(const std::string& name) {
  return quote(std::string_view(name));
}

std::string bytes_in_words(std::int64_t begin, std::int64_t end) {
  return std::to_string(begin) + " to " + std::to_string(end);
}

Tree numbers(const std::vector<std::int64_t>& values) {
  Tree list = Tree::list({});
  for (const std::int64_t value : values) {
    list.items.push_back(Tree::scalar(std::to_string(value)));
  }
  return list;
}

void append_bytes(std::string& text, const void* data, std::size_t size) {
  if (size > 0) text.append(static_cast<const char*>(data), size);
}

/// Whole numbers of at least 0; none if `tree` is anything else than a list of them.
std::optional<std::vector<std::int64_t>> whole_numbers(const Tree& tree) {
  if (!tree.is_list()) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const Tree& item : tree.items) {
    std::int64_t& value = values.emplace_back(0);
    const char* end = item.text.data() + item.text.size();
    const auto [rest, error] = std::from_chars(item.text.data(), end, value);
    const bool whole = item.is_scalar() && !item.quoted && error == std::errc{} && rest == end;
    if (!whole || value < 0) return std::nullopt;
  }
  return values;
}

/// The bytes of a tensor; none where they exceed 64 bits.
std::optional<std::int64_t> bytes_of(const std::vector<std::int64_t>& shape) {
  std::int64_t bytes = kFloatBytes;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return bytes;
}

/// True if a parser would meet more open brackets than the format needs.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      if (++depth > kDeepest) return true;
    } else if (!in_string && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return false;
}

std::string read_bytes(const std::string& path) {
  std::error_code refused;
  std::ifstream file(path, std::ios::binary);
  const bool regular = std::filesystem::is_regular_file(path, refused);
  if (!file || !regular) throw SpecError("paceline: error: cannot read " + quoted(path));
  std::string bytes(std::filesystem::file_size(path, refused), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (refused || !file) throw SpecError("paceline: error: cannot read " + quoted(path));
  return bytes;
}

}  // namespace

std::string weights_file_text(const Network& network, std::span<const float> weights,
                              const WeightsMetadata& metadata) {
  Tree header = Tree::map();
  Tree texts = Tree::map();
  for (const auto& [key, text] : metadata) texts.set(key, Tree::quoted_scalar(text));
  header.members.push_back({kMetadata, {}, std::move(texts)});
  for (const NamedTensor& tensor : tensors_of(network)) {
    const std::int64_t begin = kFloatBytes * tensor.offset;
    Tree entry = Tree::map();
    entry.set("dtype", Tree::quoted_scalar("F32"));
    entry.set("shape", numbers(tensor.shape));
    entry.set("data_offsets", numbers({begin, begin + kFloatBytes * tensor.elements()}));
    header.members.push_back({tensor.name, {}, std::move(entry)});
  }
  std::string json = to_json(header);
  json.append((kAlignment - json.size() % kAlignment) % kAlignment, ' ');
  const HeaderLength length = json.size();
  std::string text;
  text.reserve(sizeof length + json.size() + weights.size_bytes());
  append_bytes(text, &length, sizeof length);
  text += json;
  append_bytes(text, weights.data(), weights.size_bytes());
  return text;
}

void WeightsFile::fail(const std::string& problem) const {
  throw SpecError(name_ + ": error: " + problem);
}

WeightsFile::WeightsFile(const std::string& path) : WeightsFile(path, read_bytes(path)) {}

WeightsFile::WeightsFile(std::string name, std::string bytes)
    : name_(std::move(name)), bytes_(std::move(bytes)) {
  HeaderLength length = 0;
  if (bytes_.size() < sizeof length) {
    fail("not a safetensors file: it has " + std::to_string(bytes_.size()) + " bytes");
  }
  std::memcpy(&length, bytes_.data(), sizeof length);
  const HeaderLength rest = bytes_.size() - sizeof length;
  if (length > rest) {
    fail("not a safetensors file, or cut off: its header has " + std::to_string(length) +
         " bytes, and the file " + std::to_string(rest) + " after the length");
  }
  if (length > kMostHeader) {
    fail("the header has " + std::to_string(length) + " bytes (at most " +
         std::to_string(kMostHeader) + ")");
  }
  data_begin_ = sizeof length + length;
  const auto data = static_cast<std::int64_t>(rest - length);
  read_header(bytes_.substr(sizeof length, length), data);
  check_coverage(data);
}

void WeightsFile::read_header(const std::string& header, std::int64_t data) {
  if (!header.starts_with('{')) fail("not a safetensors file: its header is not a JSON object");
  if (too_deep(header)) fail("the header's JSON is nested too deeply");
  const Tree tree = parse_json(name_, header);
  for (const auto& [name, at, value] : tree.members) {
    if (name == kMetadata) continue;
    const std::string tensor = "tensor " + quoted(name);
    const Tree* type = value.find("dtype");
    const Tree* sizes = value.find("shape");
    const Tree* places = value.find("data_offsets");
    if (type == nullptr || sizes == nullptr || places == nullptr) {
      fail(tensor + " lacks one of 'dtype', 'shape' and 'data_offsets'");
    }
    if (!type->is_scalar() || type->text != "F32") {
      fail(tensor + " has the dtype " + quote(*type) + " (only F32 can be loaded)");
    }
    const auto shape = whole_numbers(*sizes);
    const auto offsets = whole_numbers(*places);
    if (!shape || !offsets || offsets->size() != 2 || offsets->front() > offsets->back()) {
      fail(tensor + " has a 'shape' or 'data_offsets' that are no whole numbers in order");
    }
    const std::int64_t begin = offsets->front();
    const std::int64_t end = offsets->back();
    if (end > data) {
      fail(tensor + " has bytes " + bytes_in_words(begin, end) + ", but the file has " +
           std::to_string(data) + " after its header (cut off?)");
    }
    if (bytes_of(*shape) != end - begin) {
      fail(tensor + " has " + std::to_string(end - begin) + " bytes, which is not the size of " +
           show(*shape));
    }
    tensors_.push_back({name, *shape, begin, end});
  }
}

/// Each byte after the header belongs to one tensor.
void WeightsFile::check_coverage(std::int64_t data) const {
  std::vector<const Tensor*> in_order;
  for (const Tensor& tensor : tensors_) in_order.push_back(&tensor);
  std::sort(in_order.begin(), in_order.end(), [](const Tensor* a, const Tensor* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::int64_t covered = 0;
  const Tensor* last = nullptr;
  const auto check_gap = [&](std::int64_t begin) {
    if (begin > covered) fail("bytes " + bytes_in_words(covered, begin) + " are of no tensor");
  };
  for (const Tensor* tensor : in_order) {
    if (tensor->begin < covered) {
      fail("tensors " + quoted(last->name) + " and " + quoted(tensor->name) + " overlap");
    }
    check_gap(tensor->begin);
    covered = tensor->end;
    last = tensor;
  }
  check_gap(data);
}

std::vector<float> WeightsFile::weights_of(const Network& network) const {
  std::map<std::string_view, const Tensor*> left;
  for (const Tensor& tensor : tensors_) left.emplace(tensor.name, &tensor);
  std::vector<float> weights(static_cast<std::size_t>(network.parameters()));
  for (const NamedTensor& wanted : tensors_of(network)) {
    const auto found = left.find(wanted.name);
    if (found == left.end()) {
      fail("no tensor " + quoted(wanted.name) + " of shape " + show(wanted.shape) + ", which '" +
           network.name + "' has");
    }
    const Tensor& tensor = *found->second;
    if (tensor.shape != wanted.shape) {
      fail("tensor " + quoted(wanted.name) + " has the shape " + show(tensor.shape) + ", but in '" +
           network.name + "' it has " + show(wanted.shape));
    }
    std::memcpy(weights.data() + wanted.offset,
                bytes_.data() + data_begin_ + static_cast<std::size_t>(tensor.begin),
                static_cast<std::size_t>(tensor.end - tensor.begin));
    left.erase(found);
  }
  for (const Tensor& tensor : tensors_) {
    if (left.contains(tensor.name)) {
      fail("'" + network.name + "' has no tensor " + quoted(tensor.name));
    }
  }
  return weights;
}

}  // namespace paceline
