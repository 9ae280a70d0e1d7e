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

Result<std::string> readFile(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return failOn(path, "is a directory, want a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return failOn(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return failOn(path, "cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMostBytes) {
    return failOn(path, fmt::format("is larger than {} MiB, the most that is read", kMostBytes >> 20));
  }
  return text;
}

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
