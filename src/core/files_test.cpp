#include "core/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tidegate {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  FilesTest() : folder_(fs::temp_directory_path() / ("tidegate-files-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~FilesTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  fs::path folder_;
};

TEST_F(FilesTest, ReadsAllOfIt) {
  const std::string text =
      "a\0b\r\n\xff"
      "c" +
      std::string(200'000, 'x');
  EXPECT_EQ(readFile(write("f", text)), text);
  EXPECT_EQ(readFile(write("empty", "")), "");
}

TEST_F(FilesTest, AnErrorNamesTheFileAndTheReason) {
  EXPECT_EQ(readFile(path("none")).error().text(),
            path("none") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(readFile("").error().message, "cannot be opened: No such file or directory");
  fs::create_directory(path("folder"));
  EXPECT_EQ(readFile(path("folder")).error().text(), path("folder") + ": is a directory, want a file");
  EXPECT_EQ(readFile(write("f", "") + "/g").error().message, "cannot be opened: Not a directory");
  EXPECT_EQ(readFile(path(std::string(300, 'x'))).error().message, "cannot be opened: File name too long");
  fs::permissions(write("secret", "x"), fs::perms::none);
  if (geteuid() != 0) {
    EXPECT_EQ(readFile(path("secret")).error().message, "cannot be opened: Permission denied");
  }
}

TEST_F(FilesTest, ThereIsABound) {
  const std::string big = write("big", "");
  fs::resize_file(big, kMostFileBytes);
  EXPECT_EQ(readFile(big)->size(), kMostFileBytes);
  fs::resize_file(big, kMostFileBytes + 1);
  EXPECT_EQ(readFile(big).error().text(), big + ": is larger than 32 MiB, the most that is read");
  EXPECT_EQ(readFile("/dev/zero").error().text(), "/dev/zero: is larger than 32 MiB, the most that is read");
}

TEST_F(FilesTest, StreamsAreReadLikewise) {
  std::istringstream in("text");
  EXPECT_EQ(readStream(in, "-"), "text");
  std::istringstream endless(std::string(kMostFileBytes + 1, 'x'));
  EXPECT_EQ(readStream(endless, "-").error().text(), "-: is larger than 32 MiB, the most that is read");
}

}  // namespace
}  // namespace tidegate
