#include "run/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "api/json_writer.hpp"

namespace tidegate::run {
namespace {

bool asJson = false;

// A value that would not read as one word is quoted.
std::string textOf(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line(message);
  for (const auto& [name, value] : fields) {
    line.append(" ").append(name).append("=");
    const bool plain = !value.empty() && value.find_first_of(" \"\n\t=") == std::string::npos;
    line += plain ? value : api::quoteJson(value);
  }
  return line;
}

std::string jsonOf(std::string_view message, std::initializer_list<LogField> fields) {
  api::JsonWriter json;
  json.beginObject();
  json.member("message", message);
  for (const auto& [name, value] : fields) json.member(name, value);
  json.endObject();
  return json.take().substr(1);  // the pattern has opened the object
}

void log(spdlog::level::level_enum level, std::string_view message, std::initializer_list<LogField> fields) {
  const std::string line = asJson ? jsonOf(message, fields) : textOf(message, fields);
  spdlog::default_logger_raw()->log(level, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

void startLog(LogFormat format) {
  asJson = format == LogFormat::Json;
  const char* pattern =
      asJson ? R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v)" : "%Y-%m-%dT%H:%M:%S.%eZ %L %v";
  auto logger =
      std::make_shared<spdlog::logger>("tidegate", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void logInfo(std::string_view message, std::initializer_list<LogField> fields) {
  log(spdlog::level::info, message, fields);
}
void logWarning(std::string_view message, std::initializer_list<LogField> fields) {
  log(spdlog::level::warn, message, fields);
}
void logError(std::string_view message, std::initializer_list<LogField> fields) {
  log(spdlog::level::err, message, fields);
}

}  // namespace tidegate::run
