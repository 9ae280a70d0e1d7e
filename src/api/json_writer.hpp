// Writes JSON text: compact, in the order it is told, the same on every machine.
//
//   JsonWriter json;
//   json.beginObject();
//   json.key("nodes");
//   json.value(25);
//   json.endObject();
//   json.text()  ->  {"nodes":25}
//
// Calls out of order (a value without a key in an object, an end without a begin) break an invariant and
// abort.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::api {

class JsonWriter {
 public:
  // 0 writes everything on one line; else every value on its own, so many blanks deeper per level.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  void beginObject() { begin('{'); }
  void endObject() { end('}'); }
  void beginArray() { begin('['); }
  void endArray() { end(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool flag) { raw(flag ? "true" : "false"); }
  // The shortest digits that read back as the same number; infinite or undefined numbers are written null.
  void value(double number);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void value(T number) {
    raw(std::to_string(number));
  }
  void null() { raw("null"); }
  // A piece of JSON made elsewhere.
  void raw(std::string_view json);

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  // The text so far; complete when every begin has its end.
  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  struct Level {
    bool object = false;
    bool empty = true;
    bool keyGiven = false;
  };
  void begin(char bracket);
  void end(char bracket);
  void beforeValue();
  void newLine();

  int indent_;
  std::string out_;
  std::vector<Level> levels_;
};

// The text in double quotes, escaped. Bytes that are no UTF-8 become U+FFFD; "<" is escaped too, so that the
// result may stand inside a script element.
std::string quoteJson(std::string_view text);

}  // namespace tidegate::api
