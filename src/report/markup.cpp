#include "report/markup.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace tidegate::report {

std::string escapeMarkup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::string number(double value) {
  std::string out = fmt::format("{:.3f}", value);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string percent(double value) {
  return number(value) + "%";
}

void Markup::tag(std::string_view name, Attributes attributes, std::string_view end) {
  out_ += '<';
  out_ += name;
  for (const auto& [key, value] : attributes) {
    out_ += fmt::format(" {}=\"{}\"", key, escapeMarkup(value));
  }
  out_ += end;
}

Markup& Markup::open(std::string_view name, Attributes attributes) {
  tag(name, attributes, ">");
  open_.emplace_back(name);
  return *this;
}

Markup& Markup::close() {
  TIDEGATE_CHECK(!open_.empty(), "no element is open");
  out_ += fmt::format("</{}>", open_.back());
  open_.pop_back();
  return *this;
}

Markup& Markup::leaf(std::string_view name, Attributes attributes) {
  tag(name, attributes, "/>");
  return *this;
}

Markup& Markup::element(std::string_view name, Attributes attributes, std::string_view content) {
  return open(name, attributes).text(content).close();
}

Markup& Markup::text(std::string_view content) {
  out_ += escapeMarkup(content);
  return *this;
}

Markup& Markup::raw(std::string_view markup) {
  out_ += markup;
  return *this;
}

Markup& Markup::line() {
  out_ += '\n';
  return *this;
}

std::string Markup::take() {
  TIDEGATE_CHECK(open_.empty(), "element left open: " + open_.back());
  return std::exchange(out_, {});
}

}  // namespace tidegate::report
