#include "world/kube/in_cluster.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tidegate::kube {
namespace {

class InCluster : public testing::Test {
 protected:
  InCluster() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "in_cluster_" + test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/.kube");
    options_.serviceAccountFolder = folder_;
    options_.environment = {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
    for (const char* name : {"ca.crt", "token"}) write(name, "x\n");
    write("namespace", "tidegate-system\n");
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::string writeConfig(const std::string& name) {
    write(name,
          "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
          "clusters: [{name: k, cluster: {server: 'https://" +
              name + "'}}]\n");
    return folder_ + "/" + name;
  }
  std::string server() {
    const auto config = findCluster(options_);
    return config ? config->server : config.error().text();
  }

  std::string folder_;
  ClusterOptions options_;
};

TEST_F(InCluster, ReadsTheServiceAccount) {
  const auto config = readInCluster(options_);
  ASSERT_TRUE(config.has_value()) << config.error().text();
  EXPECT_EQ(config->server, "https://10.96.0.1:443");
  EXPECT_EQ(config->certificateAuthority.file, folder_ + "/ca.crt");
  EXPECT_EQ(config->tokenFile, folder_ + "/token");
  EXPECT_EQ(config->nameSpace, "tidegate-system");
}

TEST_F(InCluster, PutsAnAddressOfIpv6InBrackets) {
  options_.environment["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(server(), "https://[fd00::1]:443");
}

TEST_F(InCluster, TellsWhichFileIsMissing) {
  std::filesystem::remove(folder_ + "/token");
  EXPECT_EQ(server(),
            "the pod's service account: " + folder_ + "/token: cannot be opened: No such file or directory");
}

TEST_F(InCluster, IsTheLastChoiceOfFour) {
  EXPECT_EQ(server(), "https://10.96.0.1:443");
  options_.environment["HOME"] = folder_;
  EXPECT_EQ(server(), "https://10.96.0.1:443") << "there is no .kube/config";
  std::filesystem::rename(writeConfig("usual"), folder_ + "/.kube/config");
  EXPECT_EQ(server(), "https://usual");
  options_.environment["KUBECONFIG"] = "/nowhere/config:" + writeConfig("variable");
  EXPECT_EQ(server(), "https://variable");
  options_.kubeconfig = writeConfig("flag");
  EXPECT_EQ(server(), "https://flag");
}

TEST_F(InCluster, AFileThatIsNamedAndIsNotThereIsAnError) {
  options_.kubeconfig = "/nowhere/config";
  EXPECT_EQ(server(), "no such kubeconfig file: /nowhere/config");
}

TEST_F(InCluster, TellsWhereItHasLooked) {
  options_.environment = {{"HOME", "/nowhere"}};
  EXPECT_EQ(server(),
            "no cluster: no --kubeconfig, KUBECONFIG is not set, there is no /nowhere/.kube/config, and this "
            "is no pod of a cluster (KUBERNETES_SERVICE_HOST is not set)");
}

TEST(ServerUrl, HasItsParts) {
  const auto url = parseServerUrl("https://Host.example/k8s/clusters/c-1/");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->address(), "Host.example:443");
  EXPECT_EQ(url->path, "/k8s/clusters/c-1");
  EXPECT_EQ(parseServerUrl("http://[::1]:80")->address(), "[::1]:80");
  EXPECT_FALSE(parseServerUrl("https://user:pw@h").has_value());
  EXPECT_FALSE(parseServerUrl("").has_value());
}

}  // namespace
}  // namespace tidegate::kube
