// Runs every .scenario file below this folder. `--update` rewrites what is recorded below "---".
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "plan/json.hpp"
#include "plan/plan.hpp"
#include "scenario.hpp"

namespace tidegate::scenario {
namespace {

namespace fs = std::filesystem;

bool updateRecords = false;

// A settled plan has to stay settled for so many cycles more.
constexpr int kQuietCycles = 10;

std::vector<std::string> scenarioFiles() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(SCENARIO_DIR))
    if (entry.path().extension() == ".scenario")
      files.push_back(fs::relative(entry.path(), SCENARIO_DIR).string());
  std::ranges::sort(files);
  return files;
}

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ScenarioTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    path_ = fs::path(SCENARIO_DIR) / GetParam();
    Result<Scenario> parsed = parse(readFile(path_), GetParam());
    ASSERT_TRUE(parsed) << parsed.error().text();
    scenario_ = *std::move(parsed);
  }
  plan::PlanResult run(plan::PlanOptions options) const {
    return plan::runPlan(scenario_.objects, scenario_.policy, options);
  }

  fs::path path_;
  Scenario scenario_;
};

TEST_P(ScenarioTest, Holds) {
  const plan::PlanResult result = run(scenario_.options);
  for (const std::string& failure : judge(scenario_, result)) ADD_FAILURE() << failure;
  if (!scenario_.recorded) return;
  if (updateRecords) {
    std::ofstream(path_, std::ios::binary) << scenario_.body << "---\n" << record(result);
  } else {
    EXPECT_EQ(*scenario_.recorded, record(result)) << "decisions changed; if rightly so, run with --update";
  }
}

// Stopped jobs come back and wait; that must not make anybody else stop.
TEST_P(ScenarioTest, StaysQuiet) {
  const plan::PlanResult result = run(scenario_.options);
  plan::PlanOptions longer = scenario_.options;
  longer.cycles = result.cycles + kQuietCycles;
  const plan::PlanResult later = run(longer);
  EXPECT_EQ(later.evictions.size(), result.evictions.size());
  EXPECT_EQ(later.binds.size(), result.binds.size());
}

// The order in which objects are listed is no reason to decide otherwise.
TEST_P(ScenarioTest, IgnoresTheOrderOfObjects) {
  const std::string forward = plan::toJson(run(scenario_.options));
  std::ranges::reverse(scenario_.objects);
  EXPECT_EQ(plan::toJson(run(scenario_.options)), forward);
}

INSTANTIATE_TEST_SUITE_P(Files, ScenarioTest, testing::ValuesIn(scenarioFiles()), [](const auto& file) {
  std::string name = fs::path(file.param).stem().string();
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace tidegate::scenario

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tidegate::scenario::updateRecords = argc > 1 && std::string(argv[1]) == "--update";
  return RUN_ALL_TESTS();
}
