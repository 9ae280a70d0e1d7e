// YAML into located values, from yaml-cpp's events: its node tree keeps too little and expands aliases
// unbounded.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>
#include <utility>

#include "api/documents.hpp"

namespace tidegate::api {
namespace {

// Leaves the parser from inside an event; caught in readYamlDocuments.
struct Stop {
  SyntaxError error;
};

Position positionOf(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

std::size_t countNodes(const Value& value) {
  std::size_t count = 1;
  if (const Items* items = value.items()) {
    for (const Value& item : *items) count += countNodes(item);
  }
  if (const Members* members = value.members()) {
    for (const Member& member : *members) count += countNodes(member.value);
  }
  return count;
}

// Serves text to the parser without copying it, and ends early if too much is taken without anything being
// made of it: the parser reads a flow collection to its end before its first event, at some 200 bytes of
// memory per token.
class MeteredBuffer : public std::streambuf {
 public:
  MeteredBuffer(std::string_view text, std::size_t limit) : text_(text), limit_(limit) {}

  void noteProgress() { progress_ = served_; }
  bool endedEarly() const { return endedEarly_; }

 protected:
  int_type underflow() override {
    constexpr std::size_t kChunk = 4096;
    endedEarly_ = endedEarly_ || served_ - progress_ > limit_;
    if (endedEarly_ || served_ == text_.size()) return traits_type::eof();
    const std::size_t size = std::min(kChunk, text_.size() - served_);
    char* begin =
        const_cast<char*>(text_.data()) + served_;  // streambuf's interface; the get area is only read
    setg(begin, begin, begin + size);
    served_ += size;
    return traits_type::to_int_type(*begin);
  }

 private:
  std::string_view text_;
  std::size_t limit_;
  std::size_t served_ = 0;
  std::size_t progress_ = 0;
  bool endedEarly_ = false;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(MeteredBuffer& input, const DocumentLimits& limits) : input_(input), limits_(limits) {}

  std::vector<Value> documents;

  void OnDocumentStart(const YAML::Mark& mark) override {
    // At a token that can start nothing (a stray comma or bracket) the parser gives empty documents for ever.
    if (mark.pos == lastStart_)
      throw Stop{{"unexpected text: it belongs to nothing before it", positionOf(mark)}};
    lastStart_ = mark.pos;
    open_.clear();
    anchors_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(Value{.at = positionOf(mark), .content = {}}, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    // The parser tags quoted text "!" and plain text "?"; !!str makes text of anything.
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    const bool null =
        !quoted && (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
    Value value{.at = positionOf(mark), .content = {}};
    if (!null) value.content = Scalar{.text = text, .quoted = quoted};
    place(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Stop{{"an alias inside its own anchor", positionOf(mark)}};
    aliasNodes_ += found->second.nodes;
    if (aliasNodes_ > limits_.aliasNodes) {
      throw Stop{
          {fmt::format("aliases expand to more than {} values", limits_.aliasNodes), positionOf(mark)}};
    }
    place(found->second.value, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value{.at = positionOf(mark), .content = Items{}}, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value{.at = positionOf(mark), .content = Members{}}, anchor);
  }
  void OnMapEnd() override {
    auto& members = std::get<Members>(open_.back().value.content);
    if (open_.back().merges) mergeInto(members);
    if (const Member* twin = findDuplicate(members)) {
      throw Stop{{fmt::format("key \"{}\" is given twice", twin->key), twin->at}};
    }
    close();
  }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor = 0;
    bool keyIsNext = true;  // of a map
    bool merges = false;    // a map with a plain key <<
  };
  struct Anchored {
    Value value;
    std::size_t nodes = 0;
  };

  void open(Value value, YAML::anchor_t anchor) {
    input_.noteProgress();
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      throw Stop{{fmt::format("nested deeper than {} levels", limits_.depth), value.at}};
    }
    open_.push_back({.value = std::move(value), .anchor = anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    place(std::move(done.value), done.anchor);
  }

  // A value is complete: it becomes a document, an item, a key or a member.
  void place(Value value, YAML::anchor_t anchor) {
    input_.noteProgress();
    if (++nodes_ > limits_.nodes) {
      throw Stop{{fmt::format("more than {} values in one file", limits_.nodes), value.at}};
    }
    if (anchor != 0) {
      const std::size_t nodes = countNodes(value);
      anchors_[anchor] = {.value = value, .nodes = nodes};
    }
    if (open_.empty()) {
      documents.push_back(std::move(value));
    } else if (auto* items = std::get_if<Items>(&open_.back().value.content)) {
      items->push_back(std::move(value));
    } else {
      placeInMap(std::get<Members>(open_.back().value.content), std::move(value));
    }
  }

  void placeInMap(Members& members, Value value) {
    const bool isKey = std::exchange(open_.back().keyIsNext, !open_.back().keyIsNext);
    if (!isKey) {
      members.back().value = std::move(value);
      return;
    }
    if (value.scalar() == nullptr) throw Stop{{"a key must be text", value.at}};
    const Scalar& key = *value.scalar();
    if (key.text == "<<" && !key.quoted) open_.back().merges = true;
    members.push_back({.key = key.text, .at = value.at, .value = {}});
  }

  // "<<: *defaults": takes over what the map does not say itself (YAML 1.1 merge, which kubectl knows too).
  static void mergeInto(Members& members) {
    std::vector<Value> sources;
    for (const Member& member : members) {
      if (member.key != "<<") continue;
      if (const Items* several = member.value.items()) sources = *several;
      if (member.value.members() != nullptr) sources = {member.value};
    }
    if (sources.empty()) return;
    std::erase_if(members, [](const Member& member) { return member.key == "<<"; });
    for (const Value& source : sources) {
      if (source.members() == nullptr) throw Stop{{"only maps can be merged with <<", source.at}};
      for (const Member& member : *source.members()) {
        const auto same = [&](const Member& own) { return own.key == member.key; };
        if (std::none_of(members.begin(), members.end(), same)) members.push_back(member);
      }
    }
  }

  MeteredBuffer& input_;
  const DocumentLimits& limits_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  int lastStart_ = -1;
  std::size_t nodes_ = 0;
  std::size_t aliasNodes_ = 0;
};

}  // namespace

Documents readYamlDocuments(std::string_view text, const DocumentLimits& limits) {
  MeteredBuffer buffer(text, limits.yamlValueBytes);
  std::istream stream(&buffer);
  TreeBuilder builder(buffer, limits);
  std::optional<SyntaxError> error;
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    error = stop.error;
  } catch (const YAML::ParserException& exception) {
    error = SyntaxError{.message = exception.msg, .at = positionOf(exception.mark)};
  }
  if (buffer.endedEarly()) {
    const Position at = error ? error->at : Position{};
    error = SyntaxError{.message = fmt::format("a collection in braces or a text of more than {} bytes",
                                               limits.yamlValueBytes),
                        .at = at};
  }
  if (error) return std::unexpected(std::move(*error));
  return std::move(builder.documents);
}

}  // namespace tidegate::api
