// Fills structs from JSON by their descriptions (api/fields.hpp), in one forward pass of simdjson's on-demand
// parser. The first field of a wrong type ends the object, with a message that names it.
#pragma once

#include <simdjson.h>

#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/field_reader.hpp"
#include "api/fields.hpp"
#include "world/kube/decode.hpp"

namespace tidegate::kube {

// A text as it stands in the JSON, if nothing in it is escaped: no copy is needed. Else empty, and the caller
// asks the parser.
inline std::optional<std::string_view> plainText(const char* afterQuote) {
  const char* at = afterQuote;
  while (*at != '"' && *at != '\\') ++at;
  if (*at == '\\') return std::nullopt;
  return std::string_view(afterQuote, static_cast<std::size_t>(at - afterQuote));
}

class JsonFields {
 public:
  using JsonValue = simdjson::ondemand::value;
  using JsonObject = simdjson::ondemand::object;

  explicit JsonFields(const DecodeOptions& options) : options_(options) {}

  // False: failed, see error(). `out` then holds what had been read before.
  template <class T>
  bool readObject(JsonObject object, T& out) {
    return readStruct(object, out, nullptr);
  }
  // "spec.priority: want an integer, got text"
  const std::string& error() const { return error_; }

 private:
  // A step of the way to the value being read, for messages.
  struct Step {
    const Step* parent = nullptr;
    std::string_view name = {};
    std::size_t index = 0;
  };
  template <class T>
  friend class FieldMatcher;

  template <class T>
  bool read(JsonValue value, T& out, api::Range range, const Step* at);
  template <class T>
  bool readStruct(JsonObject object, T& out, const Step* at);
  template <class T>
  bool readList(JsonValue value, std::vector<T>& out, api::Range range, const Step* at);
  template <class T>
  bool readMap(JsonValue value, std::map<std::string, T>& out, api::Range range, const Step* at);
  bool eitherForm(JsonValue value, const char* inner, ResourceList& out, const Step* at);
  bool nested(JsonValue value, const char* inner, std::string& out, const Step* at);

  bool readScalar(JsonValue value, std::string& out, const Step* at);
  bool readScalar(JsonValue value, bool& out, const Step* at);
  bool readScalar(JsonValue value, double& out, const Step* at);
  bool readScalar(JsonValue value, Time& out, const Step* at);
  bool readScalar(JsonValue value, Quantity& out, const Step* at);
  bool readScalar(JsonValue value, api::IntOrPercent& out, const Step* at);
  std::optional<std::int64_t> readInteger(JsonValue value, api::Range range, const Step* at);

  static simdjson::error_code keyOf(simdjson::ondemand::field& field, std::string_view& key) {
    const auto plain = plainText(field.key().raw());
    if (!plain) return field.unescaped_key().get(key);
    key = *plain;
    return simdjson::SUCCESS;
  }
  static bool textOf(JsonValue& value, std::string_view& text);

  template <class T>
  bool skips(std::string_view name) const;
  bool keeps(std::string_view mapKey) const;
  // Both return false, for the callers to return.
  bool fail(const Step* at, std::string_view message);
  bool wrongType(JsonValue value, std::string_view want, const Step* at);
  bool broken(simdjson::error_code code, const Step* at);

  const DecodeOptions& options_;
  std::string error_;
};

// The visitor that looks among the fields of T for the one with a given key and reads it.
template <class T>
class FieldMatcher {
 public:
  FieldMatcher(JsonFields& reader, std::string_view key, JsonFields::JsonValue value, T& out,
               const JsonFields::Step* parent)
      : reader_(reader), key_(key), value_(value), out_(out), step_{.parent = parent, .name = key} {}

  template <class M>
  void operator()(const char* name, M T::* field, api::Range range = {}) {
    if (!matches(name) || reader_.skips<T>(key_)) return;
    ok_ = reader_.read(value_, out_.*field, range, &step_);
  }
  void nested(const char* outer, const char* inner, std::string T::* field) {
    if (matches(outer)) ok_ = reader_.nested(value_, inner, out_.*field, &step_);
  }
  void eitherForm(const char* name, const char* inner, ResourceList T::* field) {
    if (matches(name)) ok_ = reader_.eitherForm(value_, inner, out_.*field, &step_);
  }
  template <class M>
  void withText(const char* name, M T::* field, std::string T::* text) {
    if (!matches(name)) return;
    simdjson::ondemand::object object;
    std::string_view raw;
    if (value_.get(object) != simdjson::SUCCESS) {
      // Null, or of a wrong type: as any other field.
      ok_ = reader_.read(value_, out_.*field, {}, &step_);
    } else if (object.raw_json().get(raw) != simdjson::SUCCESS || object.reset().error()) {
      ok_ = reader_.fail(&step_, "broken JSON");
    } else {
      out_.*text = raw;
      ok_ = reader_.readStruct(object, out_.*field, &step_);
    }
  }
  void asText(const char* name, std::string T::* text) {
    if (!matches(name)) return;
    simdjson::ondemand::object object;
    std::string_view raw;
    bool null = false;
    if (value_.is_null().get(null) == simdjson::SUCCESS && null) return;
    if (value_.get(object) != simdjson::SUCCESS) {
      ok_ = reader_.wrongType(value_, "a map", &step_);
    } else if (object.raw_json().get(raw) != simdjson::SUCCESS) {
      ok_ = reader_.fail(&step_, "broken JSON");
    } else {
      out_.*text = raw;
    }
  }
  void known(api::Names) {}
  void strict(const char*) {}

  bool ok() const { return ok_; }

 private:
  bool matches(std::string_view name) {
    if (found_ || name != key_) return false;
    return found_ = true;
  }

  JsonFields& reader_;
  std::string_view key_;
  JsonFields::JsonValue value_;
  T& out_;
  JsonFields::Step step_;
  bool found_ = false;
  bool ok_ = true;
};

template <class T>
bool JsonFields::skips(std::string_view name) const {
  if constexpr (std::is_same_v<T, api::Container>) {
    return options_.lean && (name == "image" || name == "command" || name == "args" || name == "env");
  } else {
    return false;
  }
}

template <class T>
bool JsonFields::readStruct(JsonObject object, T& out, const Step* at) {
  for (auto member : object) {
    simdjson::ondemand::field field;
    std::string_view key;
    if (const auto code = std::move(member).get(field)) return broken(code, at);
    if (const auto code = keyOf(field, key)) return broken(code, at);
    FieldMatcher<T> matcher(*this, key, field.value(), out, at);
    fields(matcher, api::Of<T>{});
    if (!matcher.ok()) return false;
  }
  return true;
}

template <class T>
bool JsonFields::read(JsonValue value, T& out, api::Range range, const Step* at) {
  bool null = false;
  if (const auto code = value.is_null().get(null)) return broken(code, at);
  if (null) return true;
  if constexpr (api::kIsOptional<T>) {
    return read(value, out.emplace(), range, at);
  } else if constexpr (api::kIsVector<T>) {
    return readList(value, out, range, at);
  } else if constexpr (api::kIsMap<T>) {
    return readMap(value, out, range, at);
  } else if constexpr (api::Described<T>) {
    JsonObject object;
    if (value.get(object) != simdjson::SUCCESS) return wrongType(value, "a map", at);
    return readStruct(object, out, at);
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    range.low = std::max<std::int64_t>(range.low, std::numeric_limits<T>::min());
    range.high = std::min<std::int64_t>(range.high, std::numeric_limits<T>::max());
    const auto number = readInteger(value, range, at);
    if (number) out = static_cast<T>(*number);
    return number.has_value();
  } else {
    return readScalar(value, out, at);
  }
}

template <class T>
bool JsonFields::readList(JsonValue value, std::vector<T>& out, api::Range range, const Step* at) {
  simdjson::ondemand::array items;
  if (value.get(items) != simdjson::SUCCESS) return wrongType(value, "a list", at);
  Step step{.parent = at};
  out.clear();
  for (auto element : items) {
    JsonValue item;
    if (const auto code = std::move(element).get(item)) return broken(code, &step);
    if (!read(item, out.emplace_back(), range, &step)) return false;
    ++step.index;
  }
  out.shrink_to_fit();
  return true;
}

template <class T>
bool JsonFields::readMap(JsonValue value, std::map<std::string, T>& out, api::Range range, const Step* at) {
  JsonObject object;
  if (value.get(object) != simdjson::SUCCESS) return wrongType(value, "a map", at);
  for (auto member : object) {
    simdjson::ondemand::field field;
    std::string_view key;
    if (const auto code = std::move(member).get(field)) return broken(code, at);
    if (const auto code = keyOf(field, key)) return broken(code, at);
    if (!keeps(key)) continue;
    const Step step{.parent = at, .name = key};
    if (!read(JsonValue(field.value()), out[std::string(key)], range, &step)) return false;
  }
  return true;
}

}  // namespace tidegate::kube
