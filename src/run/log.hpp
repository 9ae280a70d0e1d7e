// What `tidegate run` tells of itself, on standard error: one line a message, as text or as JSON.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "run/options.hpp"

namespace tidegate::run {

using LogField = std::pair<std::string_view, std::string>;

// Once, before the first message.
void startLog(LogFormat format);
void logInfo(std::string_view message, std::initializer_list<LogField> fields = {});
void logWarning(std::string_view message, std::initializer_list<LogField> fields = {});
void logError(std::string_view message, std::initializer_list<LogField> fields = {});

}  // namespace tidegate::run
