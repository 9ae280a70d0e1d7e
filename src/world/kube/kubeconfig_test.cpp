#include "world/kube/kubeconfig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "world/kube/kubeconfig_base64.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::Pair;

const std::string kPem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

// One context "c" with these lines in its cluster and its user.
std::string configOf(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts: [{name: c, context: {cluster: k, user: u, namespace: ml}}]\n"
         "clusters:\n- name: k\n  cluster: {" +
         cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}

Result<ClusterConfig> readOne(const std::string& text, const std::string& context = "") {
  KubeconfigOptions options;
  options.paths = {"/etc/kube/config"};
  options.context = context;
  options.environment = {{"HOME", "/h"}, {"PATH", "/bin"}};
  const std::vector<KubeconfigFile> files{{.path = "/etc/kube/config", .text = text}};
  return readKubeconfig(files, options);
}

ClusterConfig mustRead(const std::string& text, const std::string& context = "") {
  auto config = readOne(text, context);
  EXPECT_TRUE(config.has_value()) << config.error().text();
  return config.value_or(ClusterConfig{});
}

ClusterConfig mustReadUser(const std::string& user) {
  return mustRead(configOf("server: 'https://h'", user));
}

TEST(Kubeconfig, ReadsServerNamespaceAndSource) {
  const auto config = mustRead(configOf("server: 'https://10.0.0.1:6443/'", ""));
  EXPECT_EQ(config.server, "https://10.0.0.1:6443/");
  EXPECT_EQ(config.nameSpace, "ml");
  EXPECT_EQ(config.source, "context c of /etc/kube/config");
}

TEST(Kubeconfig, ReadsJson) {
  const auto config = mustRead(R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k"}}],
                                   "clusters":[{"name":"k","cluster":{"server":"https://h:1"}}]})");
  EXPECT_EQ(config.server, "https://h:1");
}

TEST(Kubeconfig, ReadsEveryFieldOfACluster) {
  const auto config =
      mustRead(configOf("server: 'https://h', tls-server-name: kubernetes, proxy-url: "
                        "'socks5://p:1', insecure-skip-tls-verify: true, "
                        "disable-compression: true",
                        ""));
  EXPECT_EQ(config.tlsServerName, "kubernetes");
  EXPECT_EQ(config.proxyUrl, "socks5://p:1");
  EXPECT_TRUE(config.insecureSkipTlsVerify);
}

TEST(Kubeconfig, AServerWithoutASchemeIsHttpsIfThereIsTls) {
  EXPECT_EQ(mustRead(configOf("server: 'h:8080'", "")).server, "http://h:8080");
  EXPECT_EQ(mustRead(configOf("server: 'h:1', insecure-skip-tls-verify: true", "")).server, "https://h:1");
}

TEST(Kubeconfig, DataBeatsFiles) {
  const auto config = mustReadUser("client-certificate: nowhere, client-certificate-data: " + toBase64(kPem) +
                                   ", client-key-data: " + toBase64(kPem));
  EXPECT_EQ(config.clientCertificate, (PemSource{.data = kPem, .file = {}}));
  EXPECT_EQ(config.clientKey.data, kPem);
}

TEST(Kubeconfig, PathsAreRelativeToTheirFile) {
  const std::string folder = testing::TempDir() + "kubeconfig_paths";
  std::filesystem::create_directories(folder);
  for (const char* name : {"ca.crt", "a.crt", "a.key", "token"}) std::ofstream(folder + "/" + name) << "x";
  std::ofstream(folder + "/config") << configOf(
      "server: 'https://h', certificate-authority: ca.crt",
      "client-certificate: a.crt, client-key: " + folder + "/a.key, tokenFile: ./token");
  KubeconfigOptions options;
  options.paths = {folder + "/config"};
  const auto config = loadKubeconfig(options);
  ASSERT_TRUE(config.has_value()) << config.error().text();
  EXPECT_EQ(config->certificateAuthority.file, folder + "/ca.crt");
  EXPECT_EQ(config->clientCertificate.file, folder + "/a.crt");
  EXPECT_EQ(config->clientKey.file, folder + "/a.key");
  EXPECT_EQ(config->tokenFile, folder + "/./token");
}

TEST(Kubeconfig, ReadsTokensPasswordsAndImpersonation) {
  EXPECT_EQ(mustReadUser("token: ' abc '").token, "abc");
  const auto basic = mustReadUser("username: me, password: 12");
  EXPECT_EQ(basic.username + ":" + basic.password, "me:12");
  const auto as = mustReadUser("as: bob, as-uid: 7, as-groups: [a, b], as-user-extra: {reason: [x, y]}");
  EXPECT_EQ(as.impersonate.user, "bob");
  EXPECT_EQ(as.impersonate.uid, "7");
  EXPECT_THAT(as.impersonate.groups, ElementsAre("a", "b"));
  EXPECT_THAT(as.impersonate.extra, ElementsAre(Pair("reason", ElementsAre("x", "y"))));
}

TEST(Kubeconfig, ReadsPlugins) {
  const auto config = mustRead(
      configOf("server: 'https://h', extensions: [{name: other}, {name: "
               "client.authentication.k8s.io/exec, extension: {audience: x}}]",
               "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/get-token, args: [a, 1], "
               "env: [{name: B, value: '2'}, {name: HOME, value: /x}], interactiveMode: Never, "
               "provideClusterInfo: true, installHint: get it}"));
  ASSERT_TRUE(config.exec.has_value());
  EXPECT_EQ(config.exec->command, "/etc/kube/./bin/get-token");
  EXPECT_THAT(config.exec->args, ElementsAre("a", "1"));
  EXPECT_THAT(config.exec->environment,
              ElementsAre(Pair("B", "2"), Pair("HOME", "/x"), Pair("PATH", "/bin")));
  EXPECT_TRUE(config.exec->provideClusterInfo);
  EXPECT_EQ(config.exec->installHint, "get it");
  EXPECT_EQ(config.exec->clusterExtension, R"({"audience":"x"})");
}

TEST(Kubeconfig, APluginInPathKeepsItsName) {
  const auto config =
      mustReadUser("exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws, args: []}");
  ASSERT_TRUE(config.exec.has_value());
  EXPECT_EQ(config.exec->command, "aws");
}

TEST(Kubeconfig, ChoosesTheContextAskedFor) {
  const std::string text =
      "current-context: a\nclusters: [{name: x, cluster: {server: 'https://x'}}, {name: y, cluster: {server: "
      "'https://y'}}]\ncontexts: [{name: a, context: {cluster: x}}, {name: b, context: {cluster: y}}]\n";
  EXPECT_EQ(mustRead(text).server, "https://x");
  EXPECT_EQ(mustRead(text, "b").server, "https://y");
}

TEST(Kubeconfig, OfSeveralFilesTheFirstCounts) {
  const std::vector<KubeconfigFile> files{
      {"one", ""},
      {"two", "clusters: [{name: k, cluster: {server: 'https://two'}}]\n"},
      {"three",
       "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
       "clusters: [{name: k, cluster: {server: 'https://three', tls-server-name: n}}]\n"
       "users: [{name: u, user: {token: three}}]\n"},
      {"four", "current-context: d\nusers: [{name: u, user: {token: four}}]\n"},
  };
  KubeconfigOptions options;
  options.paths = {"one", "two", "three", "four"};
  const auto config = readKubeconfig(files, options);
  ASSERT_TRUE(config.has_value()) << config.error().text();
  EXPECT_EQ(config->server, "https://two");
  EXPECT_EQ(config->tlsServerName, "") << "entries are not mixed";
  EXPECT_EQ(config->token, "three");
  EXPECT_EQ(config->source, "context c of three");
}

TEST(Kubeconfig, FilesThatAreNotThereArePassedOver) {
  const std::string path = testing::TempDir() + "kubeconfig_there";
  std::ofstream(path) << configOf("server: 'https://h'", "");
  KubeconfigOptions options;
  options.paths = {testing::TempDir() + "kubeconfig_missing", path};
  EXPECT_TRUE(loadKubeconfig(options).has_value());
  options.paths = {"/nowhere/a", "/nowhere/b"};
  const auto none = loadKubeconfig(options);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().text(), "no such kubeconfig file: /nowhere/a, /nowhere/b");
}

TEST(Kubeconfig, SplitsTheVariable) {
  EXPECT_THAT(splitKubeconfigPaths(":/a::/b c:"), ElementsAre("/a", "/b c"));
  EXPECT_THAT(splitKubeconfigPaths(""), ElementsAre());
}

TEST(Base64, IsThatOfRfc4648) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""}, {"f", "Zg=="}, {"oo", "b28="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe", "//4="}};
  for (const auto& [plain, encoded] : cases) {
    EXPECT_EQ(toBase64(plain), encoded);
    EXPECT_EQ(fromBase64(encoded), plain);
  }
  EXPECT_EQ(fromBase64("Zm9v\n Yg==\n"), "foob");
  for (const char* wrong : {"Zg", "Zg=", "Z===", "Zm9*", "=Zg="}) EXPECT_FALSE(fromBase64(wrong)) << wrong;
}

}  // namespace
}  // namespace tidegate::kube
