#include "drill/live/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drill/live/manual_driver.hpp"

namespace tidegate::drill::live {
namespace {

using testing::HasSubstr;

kube::HttpResponse answer(int status, std::string body = "{}") {
  kube::HttpResponse out;
  out.status = status;
  out.body = std::move(body);
  if (status == 0) out.error = "connection refused";
  return out;
}

// Answers each request when the loop runs: with what the test has prepared for it, else with 200.
class Server : public kube::Transport {
 public:
  explicit Server(kube::Loop& loop) : loop_(loop) {}
  kube::RequestId send(kube::HttpRequest request, Done done) override {
    sent.push_back(request);
    const std::size_t number = sent.size() - 1;
    loop_.after(milliseconds(5),
                [said = number < answers.size() ? answers[number] : answer(200), done] { done(said); });
    return number;
  }
  kube::RequestId stream(kube::HttpRequest, Chunk, Done) override { return 0; }
  void cancel(kube::RequestId) override {}

  std::vector<kube::HttpRequest> sent;
  std::vector<kube::HttpResponse> answers;

 private:
  kube::Loop& loop_;
};

class WriterTest : public testing::Test {
 protected:
  static api::Object pod(const char* name) {
    api::Pod out;
    out.metadata.name = name;
    out.metadata.namespace_ = "ns";
    return out;
  }

  ManualDriver driver;
  Waiter waiter{driver};
  Server server{driver.loop()};
  Writer writer{waiter, server};
};

TEST_F(WriterTest, ABatchGoesOutAtOnce) {
  const Time begin = waiter.now();
  EXPECT_TRUE(writer.create({pod("a"), pod("b"), pod("c")}).has_value());
  EXPECT_EQ(waiter.now() - begin, milliseconds(5));
  ASSERT_EQ(server.sent.size(), 3u);
  EXPECT_EQ(server.sent[0].method, "POST");
  EXPECT_EQ(server.sent[0].path, "/api/v1/namespaces/ns/pods");
  EXPECT_THAT(server.sent[0].body, HasSubstr(R"("name":"a")"));
}

TEST_F(WriterTest, ARefusalIsToldInTheServersWords) {
  server.answers = {answer(403, R"({"kind":"Status","code":403,"message":"not you"})")};
  const auto made = writer.create({pod("a")});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "creating Pod ns/a: not you");
  EXPECT_EQ(server.sent.size(), 1u);
}

TEST_F(WriterTest, WhatMayHelpIsTriedAgainAndOnlyThat) {
  server.answers = {answer(200), answer(503)};
  EXPECT_TRUE(writer.create({pod("a"), pod("b")}).has_value());
  ASSERT_EQ(server.sent.size(), 3u);
  EXPECT_EQ(server.sent[2].body, server.sent[1].body);
}

TEST_F(WriterTest, WhatALostAnswerHasMadeIsMade) {
  server.answers = {answer(0), answer(409)};
  EXPECT_TRUE(writer.create({pod("a")}).has_value());
}

TEST_F(WriterTest, WhatIsThereAlreadyIsAnError) {
  server.answers = {answer(409)};
  EXPECT_FALSE(writer.create({pod("a")}).has_value());
}

TEST_F(WriterTest, WhatIsGoneAlreadyIsRemoved) {
  server.answers = {answer(404)};
  EXPECT_TRUE(writer
                  .remove({{.kind = "Queue",
                            .apiVersion = "scheduling.volcano.sh/v1beta1",
                            .namespace_ = "",
                            .name = "q"}})
                  .has_value());
  EXPECT_EQ(server.sent[0].path, "/apis/scheduling.volcano.sh/v1beta1/queues/q");
  EXPECT_EQ(server.sent[0].method, "DELETE");
}

TEST_F(WriterTest, AQuestionIsAnsweredWithWhateverTheServerSays) {
  server.answers = {answer(401, R"({"kind":"Status","code":401,"message":"Unauthorized"})")};
  const auto said = writer.ask("/version");
  ASSERT_TRUE(said.has_value());
  EXPECT_EQ(said->status, 401);
  EXPECT_EQ(saidBy(*said), "401 Unauthorized");
  EXPECT_EQ(saidBy(answer(500, "")), "HTTP 500");
  server.answers.assign(20, answer(0));
  EXPECT_FALSE(writer.ask("/version").has_value());
}

TEST_F(WriterTest, AServerThatStaysDownIsGivenUp) {
  server.answers.assign(20, answer(0));
  const auto made = writer.create({pod("a")});
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("connection refused"));
  EXPECT_EQ(server.sent.size(), 4u);
}

TEST_F(WriterTest, AnInterruptEndsTheWaitForAnswers) {
  driver.loop().after(milliseconds(1), [&] { waiter.interrupt("SIGINT"); });
  const auto made = writer.create({pod("a")});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "interrupted");
  waiter.goOn();
  waiter.pause(seconds(1));  // the answer comes, and nobody waits for it any more
}

}  // namespace
}  // namespace tidegate::drill::live
