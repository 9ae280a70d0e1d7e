// Writes YAML text in block style, called like JsonWriter. Text that YAML could take for anything else is
// quoted.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::api {

class YamlWriter {
 public:
  void beginObject() { begin({.object = true}); }
  void endObject() { end("{}"); }
  void beginArray() { begin({.object = false}); }
  void endArray() { end("[]"); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool flag) { plain(flag ? "true" : "false"); }
  void value(double number);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void value(T number) {
    plain(std::to_string(number));
  }

  void raw(std::string_view json) { plain(json); }  // JSON is YAML, in flow style

  // The document, with a line break at its end.
  std::string take() { return std::move(out_) + "\n"; }

 private:
  struct Level {
    bool object = false;
    bool empty = true;
    bool inlineStart = false;  // its first line goes on after "- "
    std::size_t indent = 0;
  };
  void begin(Level level);
  void end(std::string_view whenEmpty);
  void plain(std::string_view text);
  void startLine();  // of a key or an item
  void beforeValue();

  std::string out_;
  std::vector<Level> levels_;
};

}  // namespace tidegate::api
