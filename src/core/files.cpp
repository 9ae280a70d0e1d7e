#include "core/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <istream>
#include <system_error>
#include <vector>

namespace tidegate {
namespace {

std::unexpected<Error> failOn(const std::string& path, std::string message) {
  return fail(Error{.message = std::move(message), .where = {.file = path}});
}

std::unexpected<Error> failTooBig(const std::string& path) {
  return failOn(path, fmt::format("is larger than {} MiB, the most that is read", kMostFileBytes >> 20));
}

}  // namespace

Result<std::string> readFile(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (status.type() == fs::file_type::directory) return failOn(path, "is a directory, want a file");
  if (status.type() == fs::file_type::regular && fs::file_size(path, ignored) > kMostFileBytes)
    return failTooBig(path);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return failOn(path, "cannot be opened: " + std::generic_category().message(errno));
  return readStream(in, path);
}

Result<std::string> readStream(std::istream& in, const std::string& name) {
  constexpr std::size_t kBlock = 1U << 16;
  std::string text;
  std::vector<char> block(kBlock);
  while (in) {
    in.read(block.data(), kBlock);
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostFileBytes) return failTooBig(name);
  }
  if (in.bad()) return failOn(name, "cannot be read");
  return text;
}

}  // namespace tidegate
