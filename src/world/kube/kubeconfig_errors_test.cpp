// What is told about kubeconfig files that cannot be used.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "world/kube/kubeconfig.hpp"

namespace tidegate::kube {
namespace {

struct Case {
  std::string name;
  std::string text;
  std::string error;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

const std::string kHead = "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n";

std::string withCluster(const std::string& cluster) {
  return kHead + "users: [{name: u}]\nclusters:\n- name: k\n  cluster:\n    " + cluster + "\n";
}
std::string withUser(const std::string& user) {
  return kHead + "clusters: [{name: k, cluster: {server: 'https://h'}}]\nusers:\n- name: u\n  user:\n    " +
         user + "\n";
}
std::string withExec(const std::string& exec) {
  return withUser("exec: {" + exec + "}");
}

class KubeconfigErrors : public testing::TestWithParam<Case> {};

TEST_P(KubeconfigErrors, NamePlaceAndField) {
  KubeconfigOptions options;
  options.paths = {"f"};
  const std::vector<KubeconfigFile> files{{.path = "f", .text = GetParam().text}};
  const auto config = readKubeconfig(files, options);
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().text(), GetParam().error);
}

const std::vector<Case> kFileCases{
    {"Empty", "", "f: no current-context, and no context was asked for (there are none)"},
    {"NoCurrent", "contexts: [{name: a}, {name: b}]",
     "f: no current-context, and no context was asked for (a, b)"},
    {"UnknownContext", "current-context: z\ncontexts: [{name: a}]", "f: no context \"z\"; there are: a"},
    {"UnknownCluster", kHead, "f:2:41: contexts[0].context.cluster: no cluster \"k\": there are none"},
    {"UnknownUser", kHead + "clusters: [{name: k, cluster: {server: 'https://h'}}]\nusers: [{name: v}]",
     "f:2:50: contexts[0].context.user: no user \"u\"; there are: v"},
    {"WrongKind", "kind: Pod", "f:1:7: kind: want Config, got \"Pod\""},
    {"NoMap", "- 1", "f:1:1: want a map, got a list"},
    {"TwoDocuments", "a: 1\n---\nb: 1", "f:3: want one document"},
    {"NoList", "clusters: {}", "f:1:11: clusters: want a list, got a map"},
    {"NoName", "clusters: [{cluster: {}}]", "f:1:12: clusters[0]: has no name"},
    {"Twice", "users: [{name: u}, {name: u}]", "f:1:27: users[1].name: \"u\" is there twice"},
    {"NoText", "current-context: [c]", "f:1:18: current-context: want text, got a list"},
};

const std::vector<Case> kClusterCases{
    {"NoServer", withCluster("proxy-url: x"), "f:7:5: clusters[0].cluster.server: the cluster has no server"},
    {"Scheme", withCluster("server: ftp://h"),
     "f:7:13: clusters[0].cluster.server: want a URL with https or http, got \"ftp://h\""},
    {"NoHost", withCluster("server: 'https://'"),
     "f:7:13: clusters[0].cluster.server: \"https://\" is no URL: No host part in the URL"},
    {"Query", withCluster("server: 'https://h?a=b'"),
     "f:7:13: clusters[0].cluster.server: want a URL of scheme, host, port and path only, got "
     "\"https://h?a=b\""},
    {"NoAuthority", withCluster("certificate-authority: /nowhere/ca"),
     "f:7:28: clusters[0].cluster.certificate-authority: /nowhere/ca: cannot be opened: No such file or "
     "directory"},
    {"NoBase64", withCluster("certificate-authority-data: '*'"),
     "f:7:33: clusters[0].cluster.certificate-authority-data: is no base64"},
    {"NoPem", withCluster("certificate-authority-data: Zm9v"),
     "f:7:33: clusters[0].cluster.certificate-authority-data: holds no PEM"},
    {"QuotedFlag", withCluster("insecure-skip-tls-verify: 'true'"),
     "f:7:31: clusters[0].cluster.insecure-skip-tls-verify: want true or false, got \"true\""},
    {"InsecureAndAuthority",
     withCluster("{insecure-skip-tls-verify: true, certificate-authority-data: LS0tLS1CRUdJTiA=}"),
     "f:7:32: clusters[0].cluster.insecure-skip-tls-verify: there is a certificate authority too, and only "
     "one of them can be used"},
    {"Proxy", withCluster("{server: 'https://h', proxy-url: 'ftp://p'}"),
     "f:7:38: clusters[0].cluster.proxy-url: want a URL with http, https or socks5, got \"ftp://p\""},
};

const std::vector<Case> kUserCases{
    {"Provider", withUser("auth-provider: {name: gcp}"),
     "f:7:20: users[0].user.auth-provider: Kubernetes has dropped auth-provider in 1.26: use exec"},
    {"NoKey", withUser("client-certificate-data: LS0tLS1CRUdJTiA="),
     "f:7:5: users[0].user: a client-certificate needs a client-key or client-key-data"},
    {"NoCertificate", withUser("client-key-data: LS0tLS1CRUdJTiA="),
     "f:7:5: users[0].user: a client-key needs a client-certificate or client-certificate-data"},
    {"NoTokenFile", withUser("tokenFile: /nowhere/t"),
     "f:7:16: users[0].user.tokenFile: /nowhere/t: cannot be opened: No such file or directory"},
    {"TokenOfTwoLines", withUser("token: \"a\\nb\""),
     "f:7:12: users[0].user.token: holds a control character"},
    {"PasswordOnly", withUser("password: x"),
     "f:7:15: users[0].user.password: there is no username to go with it"},
    {"TwoWays", withUser("{token: t, username: u}"),
     "f:7:26: users[0].user.username: there is a token too, and only one of them can be used"},
    {"GroupsOnly", withUser("as-groups: [g]"),
     "f:7:5: users[0].user.as: as-uid, as-groups and as-user-extra need it"},
};

const std::vector<Case> kExecCases{
    {"OldVersion", withExec("apiVersion: client.authentication.k8s.io/v1alpha1, command: x"),
     "f:7:24: users[0].user.exec.apiVersion: want client.authentication.k8s.io/v1 or "
     "client.authentication.k8s.io/v1beta1, got \"client.authentication.k8s.io/v1alpha1\""},
    {"NoMode", withExec("apiVersion: client.authentication.k8s.io/v1, command: x"),
     "f:7:11: users[0].user.exec.interactiveMode: want Never or IfAvailable, got \"\""},
    {"Interactive",
     withExec("apiVersion: client.authentication.k8s.io/v1beta1, command: x, interactiveMode: Always"),
     "f:7:91: users[0].user.exec.interactiveMode: the plugin wants a terminal, and gets none here"},
    {"NoCommand", withExec("apiVersion: client.authentication.k8s.io/v1beta1"),
     "f:7:11: users[0].user.exec.command: the plugin has no command"},
    {"Variable",
     withExec("apiVersion: client.authentication.k8s.io/v1beta1, command: x, env: [{name: 'a=b'}]"),
     "f:7:80: users[0].user.exec.env[0]: want the name of a variable"},
};

const auto kName = [](const auto& one) { return one.param.name; };
INSTANTIATE_TEST_SUITE_P(File, KubeconfigErrors, testing::ValuesIn(kFileCases), kName);
INSTANTIATE_TEST_SUITE_P(Cluster, KubeconfigErrors, testing::ValuesIn(kClusterCases), kName);
INSTANTIATE_TEST_SUITE_P(User, KubeconfigErrors, testing::ValuesIn(kUserCases), kName);
INSTANTIATE_TEST_SUITE_P(Exec, KubeconfigErrors, testing::ValuesIn(kExecCases), kName);

}  // namespace
}  // namespace tidegate::kube
