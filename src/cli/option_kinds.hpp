// Kinds of options that several commands have. Only the files that describe commands include this, and with
// it the library that parses them.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>

#include "cli/option_checks.hpp"
#include "core/time.hpp"

namespace tidegate::cli {

// "text|json": the words an option takes, for the help.
template <class T>
std::string wordsOf(const std::map<std::string, T>& words) {
  std::string out;
  for (const auto& [word, value] : words) out += (out.empty() ? "" : "|") + word;
  return out;
}

// An option whose value is one of a few words.
template <class T>
CLI::Option* addChoice(CLI::App& app, const std::string& name, T& target,
                       const std::map<std::string, T>& words, const std::string& help) {
  const auto set = [&target, &words, name](const std::string& word) {
    const auto found = words.find(word);
    if (found == words.end())
      throw CLI::ValidationError(name, "want " + wordsOf(words) + ", got \"" + word + "\"");
    target = found->second;
  };
  return app.add_option_function<std::string>(name, set, help)->type_name(wordsOf(words));
}

// An option whose value `parse` reads, with an error of its own.
template <class T, class Parse>
CLI::Option* addParsed(CLI::App& app, const std::string& name, T& target, Parse parse, const char* type,
                       const std::string& help) {
  const auto set = [&target, parse, name](const std::string& text) {
    auto value = parse(text);
    if (!value) throw CLI::ValidationError(name, value.error().message);
    target = *value;
  };
  return app.add_option_function<std::string>(name, set, help)->type_name(type);
}

template <class T>
CLI::Option* addDuration(CLI::App& app, const std::string& name, T& target, const std::string& help,
                         DurationRange range = {}) {
  const auto parse = [range](const std::string& text) { return parseDurationIn(text, range); };
  return addParsed(app, name, target, parse, "DURATION", help);
}

// A file, a name: whatever it is, it is not empty.
template <class T>
CLI::Option* addText(CLI::App& app, const std::string& name, T& target, const char* type,
                     const std::string& help) {
  return app.add_option(name, target, help)->check(checkGiven)->type_name(type);
}

}  // namespace tidegate::cli
