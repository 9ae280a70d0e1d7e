// Writes HTML and SVG as nested elements: escapes text, closes what was opened. Output depends on nothing but
// the calls.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidegate::report {

// &, <, >, " and ' as entities; control characters that XML forbids become a space.
std::string escapeMarkup(std::string_view text);

// 12.5 -> "12.5%": lengths in percent keep a drawing's text at its size while the drawing itself stretches.
std::string percent(double value);
// 12.5 -> "12.5": at most three decimals, no trailing zeros.
std::string number(double value);

class Markup {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  Markup& open(std::string_view tag, Attributes attributes = {});
  Markup& close();  // the innermost open element
  // An element without content, written <tag/>.
  Markup& leaf(std::string_view tag, Attributes attributes = {});
  // An element with text only.
  Markup& element(std::string_view tag, Attributes attributes, std::string_view text);
  Markup& text(std::string_view text);
  Markup& raw(std::string_view markup);  // already markup
  Markup& line();                        // a line break, so that the file stays readable

  // The whole document; everything opened must be closed.
  std::string take();

 private:
  void tag(std::string_view name, Attributes attributes, std::string_view end);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace tidegate::report
