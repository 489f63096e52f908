#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/app/program.hpp"

namespace hotrow {
namespace {

using test::Finished;
using test::Folder;
using test::RunningServer;

/// The key that `key hash` shows on standard error.
std::string shown_key(const std::string& err) {
  const std::size_t at = err.find("hotrow_");
  return at == std::string::npos ? "" : err.substr(at, err.find('\n', at) - at);
}

TEST(KeyHash, AMadeKeyIsShownOnceAndNotInTheLine) {
  const Finished hash = test::hotrow({"key", "hash", "shop", "service"});
  ASSERT_EQ(hash.exit_code, 0) << hash.err;
  const std::string key = shown_key(hash.err);
  EXPECT_EQ(key.size(), 55U) << hash.err;
  EXPECT_EQ(hash.out.find("shop service "), 0U) << hash.out;
  EXPECT_EQ(hash.out.find(key), std::string::npos);
  EXPECT_NE(test::hotrow({"key", "hash", "shop", "service"}).out, hash.out);
}

TEST(KeyHash, AKeyFromStandardInputHasTheHashThatOtherToolsSay) {
  const Finished hash =
      test::hotrow({"key", "hash", "shop", "reader", "--stdin"}, "correct horse battery staple\n");
  EXPECT_EQ(hash.out, "shop reader c4bbcb1fbec99d65bf59d85c8cb62ee2db963f0fe106f483d9afa73bd4e39a8a\n");
  EXPECT_EQ(hash.err, "");
}

TEST(KeyHash, WhatTheKeysFileWouldRefuseIsRefusedHere) {
  EXPECT_EQ(test::hotrow({"key", "hash", "hotrow", "service"}).exit_code, 2);
  const Finished blank = test::hotrow({"key", "hash", "a b", "service"});
  EXPECT_EQ(blank.exit_code, 2);
  EXPECT_NE(blank.err.find("the name is not [A-Za-z0-9._-]{1,64}"), std::string::npos) << blank.err;
  EXPECT_EQ(test::hotrow({"key", "hash", "shop", "root"}).exit_code, 2);
  EXPECT_EQ(test::hotrow({"key", "hash", "shop", "service", "--stdin"}, "short\n").exit_code, 2);
}

/// A server whose keys file starts with an operator's key.
class Keys : public testing::Test {
 protected:
  void SetUp() override {
    operator_ = add("boss", "operator");
    server_ = std::make_unique<RunningServer>(
        std::vector<std::string>{"--sample-data", "--drain-delay", "0s", "--api-keys-file",
                                 folder_.path("keys"), "--database", "sqlite:" + folder_.path("hotrow.db")});
    server_->wait_until_serving();
  }

  /// Makes a key as an operator does: the line is appended to the file.
  std::string add(const std::string& name, const std::string& role) {
    const Finished hash = test::hotrow({"key", "hash", name, role});
    std::ofstream(folder_.path("keys"), std::ios::app) << hash.out;
    return shown_key(hash.err);
  }

  int status(const std::string& key, const std::string& target) {
    return server_->client(key).get(target).value().status;
  }

  Folder folder_;
  std::string operator_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(Keys, EachRoleMayWhatItMay) {
  const std::string reader = add("screen", "reader");
  const std::string service = add("shop", "service");
  server_->send_signal(SIGHUP);
  ASSERT_NO_FATAL_FAILURE(server_->wait_for_log("\"keys read again\",\"keys\":3"));

  const std::string entries = "/v1/promotions/launch/entries";
  const auto enter = [&](const std::string& key) {
    return server_->client(key).send("POST", entries, R"({"user_id":"mina"})").value().status;
  };
  EXPECT_EQ(status("", "/v1/promotions/launch"), 401);
  EXPECT_EQ(status("hotrow_wrong", "/v1/promotions/launch"), 401);
  EXPECT_EQ(status("", "/healthz"), 200);
  EXPECT_EQ(status(reader, "/v1/promotions/launch"), 200);
  EXPECT_EQ(enter(reader), 403);
  EXPECT_EQ(enter(service), 201);
  EXPECT_EQ(status(service, "/v1/promotions/launch/export?format=csv"), 403);
  EXPECT_EQ(status(operator_, "/v1/promotions/launch/export?format=csv"), 200);
}

TEST_F(Keys, AKeyTakenFromTheFileIsRefusedAfterSighup) {
  EXPECT_EQ(status(operator_, "/v1/promotions/launch"), 200);
  std::ofstream(folder_.path("keys"), std::ios::trunc);
  const std::string other = add("other", "operator");
  server_->send_signal(SIGHUP);
  ASSERT_NO_FATAL_FAILURE(server_->wait_for_log("keys read again"));
  EXPECT_EQ(status(operator_, "/v1/promotions/launch"), 401);
  EXPECT_EQ(status(other, "/v1/promotions/launch"), 200);
}

TEST_F(Keys, AFaultInTheFileLeavesTheOldKeys) {
  std::ofstream(folder_.path("keys"), std::ios::app) << "nonsense\n";
  server_->send_signal(SIGHUP);
  ASSERT_NO_FATAL_FAILURE(server_->wait_for_log("keys not changed"));
  EXPECT_EQ(status(operator_, "/v1/promotions/launch"), 200);
}

TEST_F(Keys, TheStampedeBringsItsKey) {
  const std::vector<std::string> crowd{"stampede", "--url", server_->url(), "--promotion", "launch",
                                       "--users",  "50"};
  EXPECT_EQ(test::hotrow(crowd).exit_code, 2);
  std::vector<std::string> with_key = crowd;
  with_key.insert(with_key.end(), {"--api-key", operator_});
  const Finished stampede = test::hotrow(with_key);
  EXPECT_EQ(stampede.exit_code, 0) << stampede.err;
}

TEST_F(Keys, NoSecretStandsInTheLog) {
  EXPECT_EQ(status(operator_, "/v1/promotions/launch"), 200);
  server_->send_signal(SIGTERM);
  EXPECT_EQ(server_->wait(), 0);
  EXPECT_EQ(server_->log().find(operator_), std::string::npos);
}

}  // namespace
}  // namespace hotrow
