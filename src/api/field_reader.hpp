// Fills structs from located values by their descriptions (fields.hpp). Errors and warnings go to Findings;
// reading goes on after each, so that all of a file are found.
//
// Scalars are read as kubectl reads them: only plain true and false are bools, only plain decimal digits are
// integers; where text is wanted, any scalar is its text. null is the same as absent.
#pragma once

#include <boost/container/small_vector.hpp>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/fields.hpp"
#include "api/findings.hpp"
#include "api/value.hpp"

namespace tidegate::api {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;

// Swallows a description; used to ask whether a type has one.
struct NullVisitor {
  void operator()(const char*, auto, Range = {}) {}
  void nested(const char*, const char*, auto) {}
  void eitherForm(const char*, const char*, auto) {}
  void withText(const char*, auto, auto) {}
  void asText(const char*, auto) {}
  void known(Names) {}
  void strict(const char*) {}
};
template <class T>
concept Described = requires(NullVisitor v) { fields(v, Of<T>{}); };

class FieldReader {
 public:
  explicit FieldReader(Findings& findings) : findings_(findings) {}

  template <class T>
  void read(const Value& value, T& out, Range range = {});

  // Adds a step to the path that messages show, for as long as it lives.
  class Step {
   public:
    Step(FieldReader& reader, std::string_view name);
    Step(FieldReader& reader, std::size_t index);
    ~Step() { reader_.path_.resize(length_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    FieldReader& reader_;
    std::size_t length_;
  };

  void error(const Value& value, std::string message) {
    findings_.error(value.at, path_, std::move(message));
  }
  void warn(const Value& value, std::string message) { findings_.warn(value.at, path_, std::move(message)); }
  // A name no field has. `names` are the fields there are.
  struct UnknownField {
    const Member& member;
    const std::vector<std::string_view>& names;
    const char* strictHint;  // nullptr: a warning is enough
  };
  void reportUnknown(const UnknownField& unknown);

 private:
  void readScalar(const Value& value, std::string& out);
  void readScalar(const Value& value, bool& out);
  void readScalar(const Value& value, double& out);
  void readScalar(const Value& value, Time& out);
  void readScalar(const Value& value, Quantity& out);
  void readScalar(const Value& value, IntOrPercent& out);
  std::optional<std::int64_t> readInteger(const Value& value, Range range);

  template <class T>
  void readStruct(const Members& members, T& out);
  template <class T>
  void readList(const Value& value, std::vector<T>& out, Range range);
  template <class T>
  void readMap(const Value& value, std::map<std::string, T>& out, Range range);

  Findings& findings_;
  std::string path_;
};

// The visitor that reads one struct.
template <class T>
class StructReader {
 public:
  StructReader(FieldReader& reader, const Members& members, T& out)
      : reader_(reader), members_(members), out_(out), seen_(members.size(), false) {}

  template <class M>
  void operator()(const char* name, M T::* field, Range range = {}) {
    const Value* value = take(name);
    if (value == nullptr) return;
    const FieldReader::Step step(reader_, name);
    reader_.read(*value, out_.*field, range);
  }

  void nested(const char* outer, const char* inner, std::string T::* field) {
    std::map<std::string, std::string> level;
    const Value* value = take(outer);
    if (value == nullptr) return;
    const FieldReader::Step step(reader_, outer);
    reader_.read(*value, level);
    if (const auto found = level.find(inner); found != level.end()) out_.*field = found->second;
  }

  void eitherForm(const char* name, const char* inner, ResourceList T::* field) {
    const Value* value = take(name);
    if (value == nullptr) return;
    const FieldReader::Step step(reader_, name);
    const Value* list = value->find(inner);
    if (list == nullptr || list->members() == nullptr || value->members()->size() != 1) {
      reader_.read(*value, out_.*field);
      return;
    }
    reader_.warn(*value, std::string("nested under `") + inner +
                             ":`, which is accepted here; Volcano takes the list directly under `" + name +
                             ":` and refuses or drops this form");
    const FieldReader::Step innerStep(reader_, inner);
    reader_.read(*list, out_.*field);
  }

  template <class M>
  void withText(const char* name, M T::* field, std::string T::* text) {
    const Value* value = take(name);
    if (value == nullptr || value->isNull()) return;
    const FieldReader::Step step(reader_, name);
    reader_.read(*value, out_.*field);
    out_.*text = jsonOf(*value);
  }

  void asText(const char* name, std::string T::* text) {
    const Value* value = take(name);
    if (value == nullptr || value->isNull()) return;
    const FieldReader::Step step(reader_, name);
    if (value->members() == nullptr) return reader_.error(*value, "want a map, got " + value->describe());
    out_.*text = jsonOf(*value);
  }

  void known(Names names) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const char* name : names) seen_[i] = seen_[i] || members_[i].key == name;
    }
  }

  void strict(const char* hint) { strictHint_ = hint; }

  void finish();

 private:
  const Value* take(std::string_view name) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].key != name) continue;
      seen_[i] = true;
      return &members_[i].value;
    }
    return nullptr;
  }

  FieldReader& reader_;
  const Members& members_;
  T& out_;
  boost::container::small_vector<bool, 32> seen_;
  const char* strictHint_ = nullptr;
};

// Lists the names a description has.
struct NameCollector {
  std::vector<std::string_view> names;
  void operator()(const char* name, auto, Range = {}) { names.emplace_back(name); }
  void nested(const char* outer, const char*, auto) { names.emplace_back(outer); }
  void eitherForm(const char* name, const char*, auto) { names.emplace_back(name); }
  void withText(const char* name, auto, auto) { names.emplace_back(name); }
  void asText(const char* name, auto) { names.emplace_back(name); }
  void known(Names more) { names.insert(names.end(), more.begin(), more.end()); }
  void strict(const char*) {}
};

template <class T>
void StructReader<T>::finish() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (seen_[i]) continue;
    NameCollector collector;
    fields(collector, Of<T>{});
    reader_.reportUnknown({.member = members_[i], .names = collector.names, .strictHint = strictHint_});
  }
}

template <class T>
void FieldReader::read(const Value& value, T& out, Range range) {
  if (value.isNull()) return;
  if constexpr (kIsOptional<T>) {
    read(value, out.emplace(), range);
  } else if constexpr (kIsVector<T>) {
    readList(value, out, range);
  } else if constexpr (kIsMap<T>) {
    readMap(value, out, range);
  } else if constexpr (Described<T>) {
    if (const Members* members = value.members()) {
      readStruct(*members, out);
    } else {
      error(value, "want a map, got " + value.describe());
    }
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    range.low = std::max<std::int64_t>(range.low, std::numeric_limits<T>::min());
    range.high = std::min<std::int64_t>(range.high, std::numeric_limits<T>::max());
    if (const auto number = readInteger(value, range)) out = static_cast<T>(*number);
  } else {
    readScalar(value, out);
  }
}

template <class T>
void FieldReader::readStruct(const Members& members, T& out) {
  StructReader<T> visitor(*this, members, out);
  if constexpr (requires { T::kKind; }) visitor.known({"apiVersion", "kind"});
  fields(visitor, Of<T>{});
  visitor.finish();
}

template <class T>
void FieldReader::readList(const Value& value, std::vector<T>& out, Range range) {
  const Items* items = value.items();
  if (items == nullptr) {
    error(value, "want a list, got " + value.describe());
    return;
  }
  out.reserve(items->size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Step step(*this, i);
    read((*items)[i], out.emplace_back(), range);
  }
}

template <class T>
void FieldReader::readMap(const Value& value, std::map<std::string, T>& out, Range range) {
  const Members* members = value.members();
  if (members == nullptr) {
    error(value, "want a map, got " + value.describe());
    return;
  }
  for (const Member& member : *members) {
    const Step step(*this, member.key);
    read(member.value, out[member.key], range);
  }
}

}  // namespace tidegate::api
