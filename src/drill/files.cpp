#include "drill/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

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

Result<Ok> wantDirectory(const std::string& directory) {
  if (directory.empty()) return Ok{};
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) return failOn(directory, "cannot be made: " + failed.message());
  if (!std::filesystem::is_directory(directory, failed)) return failOn(directory, "is no directory");
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    return failOn(directory, fmt::format("cannot be written to: {}", std::strerror(errno)));
  return Ok{};
}

Result<Ok> writeFile(const std::string& directory, const std::string& name, const std::string& text) {
  TIDEGATE_TRY([[maybe_unused]] const Ok there, wantDirectory(directory));
  const std::string path = (std::filesystem::path(directory) / name).string();
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return failOn(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  return Ok{};
}

}  // namespace tidegate::drill
