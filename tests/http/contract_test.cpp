#include "tests/http/contract.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <iterator>
#include <set>

#include "hotrow/http/openapi.hpp"
#include "hotrow/http/routes.hpp"

namespace hotrow::test {
namespace {

const std::string& document() {
  static const std::string text = http::openapi_document("0.1.0");
  return text;
}

ProbeAnswer answer(int status, std::string body, std::string type = "application/json") {
  return {.status = status, .headers = {{"content-type", std::move(type)}}, .body = std::move(body)};
}

constexpr std::string_view entry =
    R"({"promotion_id":"p","user_id":"u","ordinal":1,"winner":false,"already":true,)"
    R"("entered_at":"2026-06-01T00:00:00.000000Z","server_time":"2026-06-01T00:00:00.000000Z"})";

std::string entry_with(std::string_view from, std::string_view to) {
  std::string text(entry);
  return text.replace(text.find(from), from.size(), to);
}

TEST(Contract, AcceptsWhatIsDescribed) {
  EXPECT_EQ(Contract(document())
                .judge("GET", "/v1/promotions/p/entries/u?wait_s=1", answer(200, std::string(entry))),
            "");
}

TEST(Contract, RefusesWhatIsNot) {
  const Contract contract(document());
  const auto judged = [&](const ProbeAnswer& given) {
    return contract.judge("GET", "/v1/promotions/p/entries/u", given);
  };
  EXPECT_NE(judged(answer(200, entry_with(R"("winner":false,)", ""))), "") << "a member is missing";
  EXPECT_NE(judged(answer(200, entry_with(R"("winner")", R"("x":1,"winner")"))), "") << "one too many";
  EXPECT_NE(judged(answer(200, entry_with("\"ordinal\":1", "\"ordinal\":\"1\""))), "") << "wrong type";
  EXPECT_NE(judged(answer(200, entry_with("\"ordinal\":1", "\"ordinal\":0"))), "") << "too small";
  EXPECT_NE(judged(answer(202, std::string(entry))), "") << "status not described";
  EXPECT_NE(judged(answer(200, std::string(entry), "text/plain")), "") << "media type not described";
}

TEST(OpenApi, EveryRouteHasOneOperationWithAnIdOfItsOwn) {
  const boost::json::value parsed = boost::json::parse(document());
  std::set<std::string> ids;
  for (const http::Route& route : http::routes()) {
    std::string method(to_string(route.method));
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    const boost::json::value& operation = parsed.at("paths").at(route.path).at(method);
    EXPECT_TRUE(ids.insert(std::string(operation.at("operationId").as_string())).second);
    EXPECT_FALSE(operation.at("responses").as_object().empty());
  }
}

/// Every $ref must lead somewhere, and a choice must have a name: it stands directly in components/schemas,
/// or is "this or null".
void check_references(const boost::json::value& at, const boost::json::value& root, bool named) {
  if (at.is_array()) {
    for (const auto& element : at.get_array()) check_references(element, root, false);
  }
  if (!at.is_object()) return;
  if (const auto* reference = at.get_object().if_contains("$ref")) {
    const std::string name(reference->as_string().subview(std::string_view("#/components/schemas/").size()));
    EXPECT_TRUE(root.at("components").at("schemas").as_object().contains(name)) << name;
  }
  if (const auto* choices = at.get_object().if_contains("oneOf")) {
    const boost::json::value or_null = boost::json::parse(R"({"type":"null"})");
    const bool is_optional = choices->as_array().size() == 2 && choices->as_array()[1] == or_null;
    EXPECT_TRUE(named || is_optional) << boost::json::serialize(at);
  }
  for (const auto& member : at.get_object()) check_references(member.value(), root, false);
}

TEST(OpenApi, ReferencesLeadSomewhereAndNoChoiceIsAnonymous) {
  const boost::json::value parsed = boost::json::parse(document());
  check_references(parsed.at("paths"), parsed, false);
  for (const auto& schema : parsed.at("components").at("schemas").as_object()) {
    check_references(schema.value(), parsed, true);
  }
}

TEST(OpenApi, TheDocumentInDocsIsWhatIsServed) {
  std::ifstream file(HOTROW_OPENAPI_FILE);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(text.empty()) << "docs/openapi.json is missing";
  EXPECT_EQ(boost::json::parse(text), boost::json::parse(document()))
      << "run script/build dev openapi_document && build/dev/tests/http/openapi_document > docs/openapi.json";
}

}  // namespace
}  // namespace hotrow::test
