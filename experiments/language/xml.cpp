// SPDX-License-Identifier: MIT
#include "experiments/language/xml.hpp"

#include <charconv>
#include <memory>

#include <expat.h>

namespace paceline {
namespace {

// hwloc's file of the largest known machine has about 20,000 elements; the limits only stop hostile
// files.
constexpr std::size_t kMostBytes = 8u << 20;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostParts = 200'000;

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using Parser = std::unique_ptr<XML_ParserStruct, FreeParser>;

/// Exceptions must not pass through Expat's C code, so a callback records the error and stops the
/// parser.
class Reader final {
 public:
  Reader(const std::string& file, XML_Parser parser)
      : file_(std::make_shared<const std::string>(file)), parser_(parser) {
    open_.push_back(&root_);
  }
  XmlElement read(const std::string& text);

  static void begin(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Reader*>(self)->begin(name, attributes);
  }
  static void end(void* self, const XML_Char*) { static_cast<Reader*>(self)->end(); }
  static void characters(void* self, const XML_Char* text, int length) {
    Reader& reader = *static_cast<Reader*>(self);
    reader.open_.back()->text.append(text, static_cast<std::size_t>(length));
  }
  static void entity(void* self, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                     const XML_Char*, const XML_Char*, const XML_Char*) {
    static_cast<Reader*>(self)->stop("entities of the document's own are not read");
  }

 private:
  Location here() const {
    return {file_, static_cast<int>(XML_GetCurrentLineNumber(parser_)),
            static_cast<int>(XML_GetCurrentColumnNumber(parser_)) + 1};
  }
  void stop(const std::string& problem) {
    if (!problem_.empty()) return;
    problem_ = problem;
    problem_at_ = here();
    XML_StopParser(parser_, XML_FALSE);
  }
  void begin(const XML_Char* name, const XML_Char** attributes);
  void end() { open_.pop_back(); }

  std::shared_ptr<const std::string> file_;
  XML_Parser parser_;
  XmlElement root_;  /// the parent of the document's root element
  std::vector<XmlElement*> open_;
  std::size_t parts_ = 0;
  std::string problem_;
  Location problem_at_;
};

void Reader::begin(const XML_Char* name, const XML_Char** attributes) {
  if (!problem_.empty()) return;
  if (open_.size() > kDeepest) {
    return stop("elements are nested too deeply (at most " + std::to_string(kDeepest) + " levels)");
  }
  XmlElement element;
  element.name = name;
  element.at = here();
  for (; *attributes != nullptr; attributes += 2) {
    element.attributes.emplace(attributes[0], attributes[1]);
    ++parts_;
  }
  if (++parts_ > kMostParts) {
    return stop("too many elements and attributes (at most " + std::to_string(kMostParts) + ")");
  }
  // Pointers to open elements stay valid, because only the children of the innermost element move.
  open_.back()->children.push_back(std::move(element));
  open_.push_back(&open_.back()->children.back());
}

XmlElement Reader::read(const std::string& text) {
  if (text.size() > kMostBytes) {
    throw SpecError(Location{file_, 0, 0}, "is too large (at most 8 MiB of XML)");
  }
  XML_SetUserData(parser_, this);
  XML_SetElementHandler(parser_, &Reader::begin, &Reader::end);
  XML_SetCharacterDataHandler(parser_, &Reader::characters);
  XML_SetEntityDeclHandler(parser_, &Reader::entity);
  const XML_Status status =
      XML_Parse(parser_, text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (!problem_.empty()) throw SpecError(problem_at_, problem_);
  if (status != XML_STATUS_OK) {
    throw SpecError(here(),
                    std::string("is not XML (") + XML_ErrorString(XML_GetErrorCode(parser_)) + ")");
  }
  return std::move(root_.children.front());
}

}  // namespace

const std::string& XmlElement::attribute(std::string_view key) const {
  static const std::string kNone;
  const auto found = attributes.find(key);
  return found == attributes.end() ? kNone : found->second;
}

int XmlElement::number(std::string_view key, int otherwise) const {
  const std::string& digits = attribute(key);
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc{} && rest == end && !digits.empty() ? value : otherwise;
}

XmlElement parse_xml(const std::string& file, const std::string& text) {
  const Parser parser(XML_ParserCreate(nullptr));
  if (!parser) throw std::bad_alloc();
  return Reader(file, parser.get()).read(text);
}

}  // namespace paceline
