#include "api/documents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace tidegate::api {
namespace {

std::unexpected<Error> failAt(const SyntaxError& error, const std::string& file) {
  return fail(Error{.message = error.message, .where = {file, error.at.line, error.at.column}});
}

Position positionOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          .column = static_cast<int>(offset - lineStart) + 1};
}

Documents readEither(std::string_view text, const DocumentLimits& limits) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool mayBeJson = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  if (!mayBeJson) return readYamlDocuments(text, limits);
  Documents json = readJsonDocuments(text, limits);
  if (json) return json;
  // YAML in flow style starts with a brace as well. If it is neither, it was most likely meant as JSON.
  Documents yaml = readYamlDocuments(text, limits);
  return yaml ? yaml : json;
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const Members* map = members();
  if (map == nullptr) return nullptr;
  const auto found = std::find_if(map->begin(), map->end(), [&](const Member& m) { return m.key == key; });
  return found == map->end() ? nullptr : &found->value;
}

std::string_view Value::textOf(std::string_view key) const {
  const Value* value = find(key);
  const Scalar* text = value == nullptr ? nullptr : value->scalar();
  return text == nullptr ? std::string_view{} : std::string_view{text->text};
}

std::string Value::describe() const {
  constexpr std::size_t kShown = 40;
  if (isNull()) return "nothing";
  if (items() != nullptr) return "a list";
  if (members() != nullptr) return "a map";
  const std::string& text = scalar()->text;
  return text.size() > kShown ? fmt::format("\"{}...\"", std::string_view(text).substr(0, kShown))
                              : fmt::format("\"{}\"", text);
}

const Member* findDuplicate(const Members& members) {
  std::vector<const Member*> sorted;
  sorted.reserve(members.size());
  for (const Member& member : members) sorted.push_back(&member);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Member* a, const Member* b) { return a->key < b->key; });
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end(),
                                       [](const Member* a, const Member* b) { return a->key == b->key; });
  return twin == sorted.end() ? nullptr : *std::next(twin);
}

Result<std::vector<Value>> readDocuments(std::string_view text, const std::string& file,
                                         const DocumentLimits& limits) {
  if (text.size() > limits.bytes) {
    const auto message = fmt::format("the file has {} bytes; at most {} are read", text.size(), limits.bytes);
    return failAt({.message = message, .at = {}}, file);
  }
  if (const auto bad = findInvalidUtf8(text)) {
    return failAt({.message = "this byte is not UTF-8 text", .at = positionOf(text, *bad)}, file);
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Documents documents = readEither(text, limits);
  if (!documents) return failAt(documents.error(), file);
  std::erase_if(*documents, [](const Value& document) { return document.isNull(); });
  return std::move(*documents);
}

}  // namespace tidegate::api
