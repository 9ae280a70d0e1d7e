#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "api/annotation_checks.hpp"
#include "api/read.hpp"
#include "cli/commands.hpp"
#include "core/files.hpp"
#include "plan/json.hpp"
#include "plan/plan.hpp"
#include "plan/text.hpp"
#include "scheduler/conf.hpp"

namespace tidegate::cli {
namespace {

struct Input {
  std::vector<api::Object> objects;
  scheduler::Policy policy;
  std::vector<Error> warnings;
};
using InputResult = std::expected<Input, std::vector<Error>>;

std::unexpected<std::vector<Error>> failOne(Error error) {
  return std::unexpected(std::vector{std::move(error)});
}

Result<std::string> readNamed(const std::string& file, std::istream& in) {
  return file == "-" ? readStream(in, "-") : readFile(file);
}

void warnOfAnnotations(Input& input) {
  for (const api::Object& object : input.objects) {
    const api::ObjectRef ref = api::refOf(object);
    const std::string name = ref.namespace_.empty() ? ref.name : ref.namespace_ + "/" + ref.name;
    for (const api::BadAnnotation& bad : api::badAnnotations(object))
      input.warnings.push_back(Error{.message = bad.text(), .where = {}, .field = ref.kind + " " + name});
  }
}

InputResult readInput(const PlanCommand& command, std::istream& in) {
  std::vector<std::string> texts;
  for (const std::string& file : command.files) {
    Result<std::string> text = readNamed(file, in);
    if (!text) return failOne(std::move(text).error());
    texts.push_back(*std::move(text));
  }
  std::vector<api::SourceText> sources;
  for (std::size_t i = 0; i < texts.size(); ++i)
    sources.push_back({.name = command.files[i], .text = texts[i]});
  api::ReadResult loaded = api::readFiles(sources);
  if (!loaded) return std::unexpected(std::move(loaded).error());
  Input input{.objects = std::move(loaded->objects), .policy = {}, .warnings = std::move(loaded->warnings)};
  warnOfAnnotations(input);
  if (command.conf.empty()) return input;

  const Result<std::string> text = readFile(command.conf);
  if (!text) return failOne(text.error());
  Result<scheduler::ConfLoaded> conf = scheduler::readConf(*text, command.conf);
  if (!conf) return failOne(std::move(conf).error());
  input.policy = conf->policy;
  input.warnings.insert(input.warnings.end(), conf->notices.begin(), conf->notices.end());
  return input;
}

}  // namespace

int runCommand(const PlanCommand& command, const Streams& streams) {
  InputResult input = readInput(command, streams.in);
  if (!input) {
    for (const Error& error : input.error()) streams.err << error.text() << '\n';
    return kBadInput;
  }
  plan::PlanResult result = plan::runPlan(
      std::move(input->objects), input->policy,
      {.now = command.now, .cycles = command.cycles, .keepTerminating = command.keepTerminating});
  std::vector<std::string> warnings;
  for (const Error& warning : input->warnings) warnings.push_back(warning.text());
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  streams.out << (command.output == Output::Json ? plan::toJson(result) : plan::toText(result));
  return 0;
}

}  // namespace tidegate::cli
