// Base64 (RFC 4648, section 4), as kubeconfig files and Basic authentication use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidegate::kube {

std::string toBase64(std::string_view bytes);
// Line breaks and blanks are skipped; nullopt if anything else is wrong, also missing padding.
std::optional<std::string> fromBase64(std::string_view text);

}  // namespace tidegate::kube
