#include "world/kube/kubeconfig_base64.hpp"

#include <cstdint>

namespace tidegate::kube {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The text without blanks; its padding is kept.
std::string withoutBlanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') out += c;
  }
  return out;
}

}  // namespace

std::string toBase64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = at; i < at + 3; ++i)
      bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * i) & 63U];
  }
  return out;
}

std::optional<std::string> fromBase64(std::string_view text) {
  std::string digits = withoutBlanks(text);
  if (digits.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && digits.ends_with('='); ++i) digits.pop_back();
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : digits) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFFU);
  }
  return out;
}

}  // namespace tidegate::kube
