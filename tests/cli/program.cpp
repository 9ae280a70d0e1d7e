#include "program.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tidegate::clitest {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Program::Program() : folder_((fs::temp_directory_path() / "tidegate-cli-XXXXXX").string()) {
  if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no temporary folder");
}

Program::~Program() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Program::write(const std::string& name, std::string_view text) {
  std::ofstream(fs::path(folder_) / name, std::ios::binary) << text;
}

Ran Program::run(const std::string& arguments) const {
  const std::string command = "cd '" + folder_ + "' && '" TIDEGATE_PROGRAM "' " + arguments + " >.out 2>.err";
  const int status = std::system(command.c_str());
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = textOf(fs::path(folder_) / ".out"),
          .err = textOf(fs::path(folder_) / ".err")};
}

}  // namespace tidegate::clitest
