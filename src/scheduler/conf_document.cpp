#include "scheduler/conf_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.hpp"

namespace tidegate::scheduler {
namespace {

constexpr std::string_view kEntry = "volcano-scheduler.conf";

// The ConfigMaps of the file; items of Lists are looked into.
void collectConfigMaps(const api::Value& value, std::vector<const api::Value*>& out) {
  if (value.textOf("kind") == "ConfigMap") out.push_back(&value);
  const api::Value* items = value.find("items");
  if (items == nullptr || items->items() == nullptr) return;
  for (const api::Value& item : *items->items()) collectConfigMaps(item, out);
}

// The block text that starts at `at`, put where it stands in the file: as many line breaks before it and as
// many blanks before each line, so that a parser counts the file's lines and columns. nullopt if it is not in
// that style.
std::optional<std::string> blockInPlace(std::string_view file, api::Position at, std::string_view content) {
  const std::vector<std::string_view> lines = splitText(file, '\n');
  const auto row = static_cast<std::size_t>(at.line) - 1;
  const auto column = static_cast<std::size_t>(at.column) - 1;
  if (row >= lines.size() || column >= lines[row].size() || lines[row][column] != '|') return std::nullopt;
  std::size_t indent = 0;
  for (std::size_t i = row + 1; i < lines.size() && indent == 0; ++i) {
    indent = std::min(lines[i].find_first_not_of(' '), lines[i].size());
    if (trimText(lines[i]).empty()) indent = 0;
  }
  std::string out(row + 1, '\n');
  for (std::string_view line : splitText(content, '\n'))
    out += fmt::format("{}{}\n", std::string(indent, ' '), line);
  return out;
}

std::optional<api::Value> firstOf(std::vector<api::Value> documents) {
  if (documents.empty()) return std::nullopt;
  return std::move(documents.front());
}

Result<ConfDocument> readEntry(std::string_view file, const api::Value& entry, const std::string& fileName) {
  const api::Scalar* content = entry.scalar();
  if (content == nullptr) {
    if (entry.isNull()) return ConfDocument{};
    return fail(Error{.message = "want text, got " + entry.describe(),
                      .where = {fileName, entry.at.line, entry.at.column},
                      .field = fmt::format("data.{}", kEntry)});
  }
  const auto placed = blockInPlace(file, entry.at, content->text);
  auto documents = api::readDocuments(placed ? *placed : content->text, fileName);
  if (!documents) {
    Error error = documents.error();
    if (!placed) error.where = {fileName, entry.at.line, entry.at.column};
    return fail(std::move(error));
  }
  ConfDocument out;
  out.severalFound = documents->size() > 1;
  out.tree = firstOf(std::move(*documents));
  if (!placed) out.placeOf = entry.at;
  return out;
}

}  // namespace

Result<ConfDocument> findConf(std::string_view text, const std::string& fileName) {
  TIDEGATE_TRY(std::vector<api::Value> documents, api::readDocuments(text, fileName));
  std::vector<const api::Value*> maps;
  for (const api::Value& document : documents) collectConfigMaps(document, maps);
  for (const api::Value* map : maps) {
    const api::Value* data = map->find("data");
    const api::Value* entry = data == nullptr ? nullptr : data->find(kEntry);
    if (entry == nullptr) continue;
    TIDEGATE_TRY(ConfDocument found, readEntry(text, *entry, fileName));
    found.severalFound = found.severalFound || maps.size() > 1;
    return found;
  }
  if (!maps.empty()) {
    return fail(Error{.message = fmt::format("the ConfigMap has no entry {}", kEntry),
                      .where = {fileName, maps.front()->at.line, maps.front()->at.column},
                      .field = "data"});
  }
  ConfDocument out;
  out.severalFound = documents.size() > 1;
  out.tree = firstOf(std::move(documents));
  return out;
}

}  // namespace tidegate::scheduler
