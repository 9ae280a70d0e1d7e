#include <algorithm>
#include <array>

#include "builder.hpp"
#include "core/text.hpp"
#include "lines.hpp"
#include "scenario.hpp"

namespace tidegate::scenario {
namespace {

constexpr std::array<std::string_view, 18> kExpectations = {
    "placed",       "pending", "evicted",  "evicted-any",  "evicted-pods",     "kept",
    "bound-pods",   "nodes",   "apart",    "evicted-gpus", "jobs-losing-pods", "victims-on-one-node",
    "no-evictions", "recalls", "one-wave", "reason",       "warning",          "used"};

Result<Ok> expectation(const Line& line, Scenario& scenario) {
  if (line.args.empty()) return fail("want: expect KIND ...");
  Expectation expectation{.line = line.number, .kind = line.args.front(), .args = {}};
  if (std::ranges::find(kExpectations, expectation.kind) == kExpectations.end())
    return fail("unknown expectation \"" + expectation.kind + "\"");
  const bool words = expectation.kind == "reason" || expectation.kind == "warning";
  for (std::size_t i = 1; i < line.args.size(); ++i) {
    if (words) {
      expectation.args.push_back(line.args[i]);
      continue;
    }
    TIDEGATE_TRY(const std::vector<std::string> names, expandNames(line.args[i]));
    expectation.args.insert(expectation.args.end(), names.begin(), names.end());
  }
  scenario.expectations.push_back(std::move(expectation));
  return Ok{};
}

// "plan cycles=1 keep-terminating actions=allocate,preempt straddle=6 min-runtime=10m"
Result<Ok> settings(const Line& line, Scenario& scenario) {
  for (const std::string& flag : line.args) {
    if (flag != "keep-terminating") return fail("unknown setting \"" + flag + "\"");
    scenario.options.keepTerminating = true;
  }
  for (const auto& [name, value] : line.options) {
    if (name == "cycles") {
      TIDEGATE_TRY(scenario.options.cycles, parseCount(value));
    } else if (name == "straddle") {
      TIDEGATE_TRY(scenario.policy.straddleRatio, parseCount(value));
    } else if (name == "min-runtime") {
      TIDEGATE_TRY(scenario.policy.minRuntime, parseDuration(value));
    } else if (name == "budgets") {
      scenario.policy.overrideBudgets = value != "kept";
    } else {
      return fail("unknown setting \"" + name + "\"");
    }
  }
  return Ok{};
}

// "source URL", "why sentence": the rest of the line as it stands; several add up.
bool prose(std::string_view text, Scenario& scenario) {
  for (const auto& [word, field] :
       {std::pair{"source ", &scenario.source}, std::pair{"why ", &scenario.why}}) {
    if (!text.starts_with(word)) continue;
    if (!field->empty()) *field += ' ';
    *field += trimText(text.substr(std::string_view(word).size()));
    return true;
  }
  return false;
}

Result<Ok> statement(const Line& line, Builder& builder, Scenario& scenario) {
  if (line.word == "nodes") return builder.nodes(line);
  if (line.word == "domain") return builder.domain(line);
  if (line.word == "priority") return builder.priorities(line);
  if (line.word == "queue") return builder.queue(line);
  if (line.word == "run" || line.word == "pend") return builder.jobs(line);
  if (line.word == "plan") return settings(line, scenario);
  if (line.word == "expect") return expectation(line, scenario);
  return fail("unknown word \"" + line.word + "\"");
}

}  // namespace

Result<Scenario> parse(std::string_view text, const std::string& file) {
  Scenario scenario;
  scenario.file = file;
  if (const std::size_t cut = text.find("\n---\n"); cut != std::string_view::npos) {
    scenario.recorded = text.substr(cut + 5);
    text = text.substr(0, cut + 1);
  }
  scenario.body = text;
  Builder builder(scenario);
  int number = 0;
  for (const std::string_view raw : splitText(text, '\n')) {
    ++number;
    const std::string_view line = trimText(raw);
    if (line.empty() || line.starts_with('#') || prose(line, scenario)) continue;
    if (Result<Ok> done = statement(splitLine(line, number), builder, scenario); !done) {
      Error error = std::move(done).error();
      error.where = {.file = file, .line = number, .column = 1};
      return fail(std::move(error));
    }
  }
  builder.finish();
  if (scenario.why.empty()) return fail(Error{.message = "no \"why\" line", .where = {.file = file}});
  if (scenario.expectations.empty())
    return fail(Error{.message = "no \"expect\" line", .where = {.file = file}});
  return scenario;
}

}  // namespace tidegate::scenario
