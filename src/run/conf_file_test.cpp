#include "run/conf_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "world/kube/fake_transport.hpp"

namespace tidegate::run {
namespace {

using testing::HasSubstr;

const std::string kGood = "actions: \"allocate, reclaim\"\ntiers:\n- plugins:\n  - name: capacity\n";

class ConfFileTest : public testing::Test {
 protected:
  ConfFileTest() : path_(testing::TempDir() + "tidegate-conf-" + std::to_string(getpid())) {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_, true)));
    write(kGood);
    file_.emplace(loop_, ConfFile::Start{.path = path_, .text = kGood},
                  [this](const scheduler::Policy&) { ++used_; });
  }
  ~ConfFileTest() override {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("none"));  // log_ ends here
    std::filesystem::remove(path_);
  }

  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string logged(Duration after) {
    loop_.advance(after);
    const std::string text = log_.str();
    log_.str("");
    return text;
  }
  static long count(const std::string& text) { return std::ranges::count(text, '\n'); }

  const std::string path_;
  std::ostringstream log_;
  kube::ManualLoop loop_;
  std::optional<ConfFile> file_;
  int used_ = 0;
};

TEST_F(ConfFileTest, AFileThatIsGoneIsToldOnceAndPickedUpWhenItIsBack) {
  EXPECT_EQ(logged(seconds(20)), "");
  std::filesystem::remove(path_);
  const std::string gone = logged(seconds(600));
  EXPECT_EQ(count(gone), 1) << gone;
  EXPECT_THAT(gone, HasSubstr("the conf file cannot be read any more; the conf in use stays"));
  EXPECT_THAT(gone, HasSubstr("No such file"));
  EXPECT_EQ(used_, 0);
  write(kGood + "# as it was, nearly\n");
  const std::string back = logged(seconds(2));
  EXPECT_THAT(back, HasSubstr("the conf file is back"));
  EXPECT_THAT(back, HasSubstr("the new conf is in use"));
  EXPECT_EQ(used_, 1);
}

TEST_F(ConfFileTest, AMomentWithoutFileIsNoNews) {
  std::filesystem::remove(path_);
  EXPECT_EQ(logged(seconds(3)), "");
  write(kGood);
  EXPECT_EQ(logged(seconds(20)), "");
  EXPECT_EQ(used_, 0);
}

TEST_F(ConfFileTest, AWrongOneIsRefusedOnce) {
  write("actions: nonsense\n");
  const std::string refused = logged(seconds(60));
  EXPECT_EQ(count(refused), 1) << refused;
  EXPECT_THAT(refused, HasSubstr("conf refused; the one in use stays"));
  EXPECT_EQ(used_, 0);
}

}  // namespace
}  // namespace tidegate::run
