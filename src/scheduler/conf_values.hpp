// Scalars of volcano-scheduler.conf, as leniently as its owner may mean them; nullopt if a value is nothing
// of the kind.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/value.hpp"
#include "core/time.hpp"

namespace tidegate::scheduler {

// A finite number, plain or quoted.
std::optional<double> toNumber(const api::Value& value);
// true or false, plain or quoted. Go's YAML library, which Volcano uses, takes yes, no, on and off for bools
// as well.
std::optional<bool> toBool(const api::Value& value);
// "15s", "10m"; not negative.
std::optional<Duration> toDuration(const api::Value& value);

// "; did you mean reclaim?", or "" if no name is near.
std::string didYouMean(std::string_view word, std::span<const std::string_view> names);

}  // namespace tidegate::scheduler
