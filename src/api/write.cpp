#include "api/write.hpp"

#include <fmt/format.h>

#include "api/fields.hpp"
#include "api/yaml_writer.hpp"

namespace tidegate::api {
namespace {

template <class Out, class T>
void writeValue(Out& out, const T& value);

template <class Out>
void writeValue(Out& out, const std::string& value) {
  out.value(value);
}
template <class Out>
void writeValue(Out& out, const Time& value) {
  out.value(formatTime(value));
}
template <class Out>
void writeValue(Out& out, const Quantity& value) {
  out.value(value.text());
}
template <class Out>
void writeValue(Out& out, const IntOrPercent& value) {
  if (value.percent) {
    out.value(fmt::format("{}%", value.value));
  } else {
    out.value(value.value);
  }
}
template <class Out, class T>
void writeValue(Out& out, const std::optional<T>& value) {
  writeValue(out, *value);  // an unset one equals its default and is left out before
}
template <class Out, class T>
void writeValue(Out& out, const std::vector<T>& items) {
  out.beginArray();
  for (const T& item : items) writeValue(out, item);
  out.endArray();
}
template <class Out, class T>
void writeValue(Out& out, const std::map<std::string, T>& map) {
  out.beginObject();
  for (const auto& [key, value] : map) {
    out.key(key);
    writeValue(out, value);
  }
  out.endObject();
}

// The visitor that writes the fields of one struct.
template <class Out, class T>
class StructWriter {
 public:
  StructWriter(Out& out, const T& object) : out_(out), object_(object) {}

  template <class M>
  void operator()(const char* name, M T::* field, Range = {}) {
    static const T kDefaults{};
    if (object_.*field == kDefaults.*field) return;
    out_.key(name);
    writeValue(out_, object_.*field);
  }
  void nested(const char* outer, const char* inner, std::string T::* field) {
    if ((object_.*field).empty()) return;
    out_.key(outer);
    out_.beginObject();
    out_.key(inner);
    out_.value(object_.*field);
    out_.endObject();
  }
  void eitherForm(const char* name, const char*, ResourceList T::* field) { (*this)(name, field); }
  template <class M>
  void withText(const char* name, M T::* field, std::string T::* text) {
    if constexpr (std::is_same_v<Out, JsonWriter>) {
      if (!(object_.*text).empty()) {
        out_.key(name);
        out_.raw(object_.*text);
        return;
      }
    }
    (*this)(name, field);
  }
  void asText(const char* name, std::string T::* text) {
    if ((object_.*text).empty()) return;
    out_.key(name);
    out_.raw(object_.*text);
  }
  void known(Names) {}
  void strict(const char*) {}

 private:
  Out& out_;
  const T& object_;
};

template <class Out, class T>
void writeValue(Out& out, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    out.value(value);
  } else {
    out.beginObject();
    if constexpr (requires { T::kKind; }) {
      out.key("apiVersion");
      out.value(std::string_view(T::kApiVersion));
      out.key("kind");
      out.value(std::string_view(T::kKind));
    }
    StructWriter<Out, T> writer(out, value);
    fields(writer, Of<T>{});
    out.endObject();
  }
}

}  // namespace

void writeJson(JsonWriter& json, const Object& object) {
  std::visit([&](const auto& each) { writeValue(json, each); }, object);
}

void writeJson(JsonWriter& json, const ResourceList& list) {
  writeValue(json, list);
}

std::string toJson(const Object& object) {
  JsonWriter json;
  writeJson(json, object);
  return json.take();
}

std::string toYaml(const Object& object) {
  YamlWriter yaml;
  std::visit([&](const auto& each) { writeValue(yaml, each); }, object);
  return yaml.take();
}

}  // namespace tidegate::api
