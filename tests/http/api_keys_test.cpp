#include "hotrow/http/api_keys.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "hotrow/base/hash.hpp"

namespace hotrow::http {
namespace {

std::string line(std::string_view name, std::string_view role, std::string_view secret) {
  return std::string(name) + " " + std::string(role) + " " + to_hex(sha256(secret)) + "\n";
}

/// A file of this process alone, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(testing::TempDir() + "keys." + std::to_string(getpid())) {
    write(text);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(ApiKeys, LinesGiveNameRoleAndHash) {
  const ParsedApiKeys parsed = parse_api_keys("# ours\n\n" + line("shop", "service", "s3cret") + "  " +
                                              line("ops\t", "operator", "x"));
  ASSERT_TRUE(parsed.faults.empty());
  ASSERT_EQ(parsed.keys.size(), 2U);
  EXPECT_EQ(parsed.keys[0].name, "shop");
  EXPECT_EQ(parsed.keys[0].role, Role::service);
  EXPECT_EQ(parsed.keys[1].role, Role::operator_);
}

TEST(ApiKeys, EveryFaultIsToldWithItsLine) {
  const ParsedApiKeys parsed =
      parse_api_keys(line("a", "service", "1") + "only two\n" + line("b", "king", "2") + "c reader 12ab\n" +
                     line("a", "reader", "3") + line("hotrow", "reader", "4") + line("d", "reader", "1"));
  std::string lines;
  for (const ApiKeyFault& fault : parsed.faults) lines += std::to_string(fault.line) + " ";
  EXPECT_EQ(lines, "2 3 4 5 6 7 ");
}

TEST(ApiKeys, FaultsNeverRepeatTheLine) {
  const ParsedApiKeys parsed = parse_api_keys("shop service my-secret-by-mistake\n");
  ASSERT_EQ(parsed.faults.size(), 1U);
  EXPECT_EQ(parsed.faults[0].message.find("my-secret"), std::string::npos);
}

TEST(ApiKeys, OnlyTheSecretItselfFindsItsKey) {
  const ApiKeys keys(parse_api_keys(line("shop", "service", "s3cret")).keys);
  ASSERT_NE(keys.find("s3cret"), nullptr);
  EXPECT_EQ(keys.find("s3cret")->name, "shop");
  EXPECT_EQ(keys.find("s3cre"), nullptr);
  EXPECT_EQ(keys.find(""), nullptr);
  EXPECT_EQ(keys.find(to_hex(sha256("s3cret"))), nullptr);
}

TEST(ApiKeys, ABadFileKeepsTheOldKeys) {
  const TemporaryFile file(line("shop", "service", "old"));
  ApiKeys keys;
  ASSERT_TRUE(keys.load(file.path()).empty());
  file.write(line("shop", "service", "new") + "garbage\n");
  EXPECT_FALSE(keys.load(file.path()).empty());
  EXPECT_NE(keys.find("old"), nullptr);
  EXPECT_EQ(keys.find("new"), nullptr);
  file.write(line("shop", "service", "new"));
  EXPECT_TRUE(keys.load(file.path()).empty());
  EXPECT_EQ(keys.find("old"), nullptr);
  EXPECT_NE(keys.find("new"), nullptr);
}

TEST(ApiKeys, AMissingOrEmptyFileIsAFault) {
  ApiKeys keys;
  EXPECT_FALSE(keys.load("/nonexistent/keys").empty());
  const TemporaryFile file("# nobody\n");
  EXPECT_FALSE(keys.load(file.path()).empty());
}

}  // namespace
}  // namespace hotrow::http
