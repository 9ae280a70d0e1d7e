// JSON (RFC 8259) into located values. Written here because the YAML parser reads JSON slowly and takes
// neither tabs nor surrogate pairs, and JSON libraries keep no positions.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "api/documents.hpp"
#include "core/text.hpp"

namespace tidegate::api {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Reads front to back. Every read* function returns false once an error has been noted.
class JsonReader {
 public:
  JsonReader(std::string_view text, const DocumentLimits& limits) : text_(text), limits_(limits) {}

  Documents read() {
    std::vector<Value> documents;
    for (skipBlanks(); at_ < text_.size(); skipBlanks()) {
      Value value;
      if (!readValue(value, 0)) return std::unexpected(error_);
      documents.push_back(std::move(value));
    }
    return documents;
  }

 private:
  Position here() const { return {line_, static_cast<int>(at_ - lineStart_) + 1}; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool stop(std::string message) { return stop(std::move(message), here()); }
  bool stop(std::string message, Position at) {
    error_ = {.message = std::move(message), .at = at};
    return false;
  }

  void skipBlanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        lineStart_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  bool readValue(Value& out, int depth) {
    if (depth > limits_.depth) return stop(fmt::format("nested deeper than {} levels", limits_.depth));
    if (++nodes_ > limits_.nodes) return stop(fmt::format("more than {} values in one file", limits_.nodes));
    out.at = here();
    switch (peek()) {
      case '{':
        return readObject(out.content.emplace<Members>(), depth);
      case '[':
        return readArray(out.content.emplace<Items>(), depth);
      case '"': {
        auto& scalar = out.content.emplace<Scalar>();
        scalar.quoted = true;
        return readString(scalar.text);
      }
      default:
        return readWord(out);
    }
  }

  bool readObject(Members& members, int depth) {
    take('{');
    skipBlanks();
    if (take('}')) return true;
    do {
      skipBlanks();
      Member& member = members.emplace_back();
      member.at = here();
      if (peek() != '"') return stop("want a key in double quotes");
      if (!readString(member.key)) return false;
      skipBlanks();
      if (!take(':')) return stop("want a colon after a key");
      skipBlanks();
      if (!readValue(member.value, depth + 1)) return false;
      skipBlanks();
    } while (take(','));
    if (!take('}')) return stop("want a comma or a closing brace");
    if (const Member* twin = findDuplicate(members)) {
      return stop(fmt::format("key \"{}\" is given twice", twin->key), twin->at);
    }
    return true;
  }

  bool readArray(Items& items, int depth) {
    take('[');
    skipBlanks();
    if (take(']')) return true;
    do {
      skipBlanks();
      if (!readValue(items.emplace_back(), depth + 1)) return false;
      skipBlanks();
    } while (take(','));
    return take(']') || stop("want a comma or a closing bracket");
  }

  // true, false, null or a number.
  bool readWord(Value& out) {
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-' || peek() == '+' ||
           peek() == '.')
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "null") return true;
    if (word != "true" && word != "false" && !isNumber(word)) {
      at_ = begin;
      return stop(word.empty() ? "want a value" : fmt::format("\"{}\" is no JSON value", word.substr(0, 40)));
    }
    out.content = Scalar{.text = std::string(word), .quoted = false};
    return true;
  }

  static std::size_t countDigits(std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
  }

  static bool isNumber(std::string_view word) {
    if (word.starts_with('-')) word.remove_prefix(1);
    const std::size_t whole = countDigits(word);
    if (whole == 0 || (whole > 1 && word[0] == '0')) return false;
    word.remove_prefix(whole);
    if (word.starts_with('.')) {
      const std::size_t fraction = countDigits(word.substr(1));
      if (fraction == 0) return false;
      word.remove_prefix(1 + fraction);
    }
    if (word.empty()) return true;
    if (word[0] != 'e' && word[0] != 'E') return false;
    word.remove_prefix(1);
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    return !word.empty() && countDigits(word) == word.size();
  }

  bool readString(std::string& out) {
    const Position start = here();
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20)
        return stop("a control character inside a string must be escaped");
      if (c == '\\') {
        if (!readEscape(out)) return false;
        continue;
      }
      out.push_back(c);
      ++at_;
    }
    return stop("a string that does not end", start);
  }

  bool readEscape(std::string& out) {
    ++at_;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = peek();
    if (c == 'u') return readCodePoint(out);
    const std::size_t known = kNames.find(c);
    if (at_ >= text_.size() || known == std::string_view::npos) return stop("unknown escape in a string");
    out.push_back(kMeanings[known]);
    ++at_;
    return true;
  }

  // \uXXXX, or the two of a surrogate pair.
  bool readCodePoint(std::string& out) {
    std::uint32_t code = 0;
    if (!readHex(code)) return false;
    if (code >= 0xD800 && code < 0xDC00) {
      std::uint32_t low = 0;
      if (text_.substr(at_, 2) != "\\u") return stop("half of a surrogate pair");
      ++at_;
      if (!readHex(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return stop("half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) {
      return stop("half of a surrogate pair");
    }
    appendUtf8(out, code);
    return true;
  }

  bool readHex(std::uint32_t& code) {
    ++at_;  // the u
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const char lower = static_cast<char>(c | 0x20);
      if (!isDigit(c) && !(lower >= 'a' && lower <= 'f'))
        return stop("want four hexadecimal digits after \\u");
      code = code * 16 + static_cast<std::uint32_t>(isDigit(c) ? c - '0' : lower - 'a' + 10);
    }
    return true;
  }

  std::string_view text_;
  const DocumentLimits& limits_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t lineStart_ = 0;
  std::size_t nodes_ = 0;
  SyntaxError error_;
};

}  // namespace

Documents readJsonDocuments(std::string_view text, const DocumentLimits& limits) {
  return JsonReader(text, limits).read();
}

}  // namespace tidegate::api
