// Runs the built program as a user does, in a folder of its own.
#pragma once

#include <string>
#include <string_view>

namespace tidegate::clitest {

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Writes a file that commands can name.
  void write(const std::string& name, std::string_view text);
  // "plan -f a.yaml", "plan -f - < a.yaml": arguments as a shell reads them.
  Ran run(const std::string& arguments) const;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace tidegate::clitest
