#include "drill/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tidegate::drill {
namespace {

std::unexpected<Error> failOn(const std::string& path, std::string message) {
  return fail(Error{.message = std::move(message), .where = {.file = path}});
}

}  // namespace

Result<Ok> writeFile(const std::string& directory, const std::string& name, const std::string& text) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) return failOn(directory, "cannot be made: " + failed.message());
  const std::string path = (std::filesystem::path(directory) / name).string();
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return failOn(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  return Ok{};
}

}  // namespace tidegate::drill
