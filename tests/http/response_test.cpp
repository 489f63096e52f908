#include "hotrow/http/response.hpp"

#include <gtest/gtest.h>

#include "hotrow/http/event_json.hpp"
#include "hotrow/http/json_text.hpp"
#include "hotrow/http/promotion_json.hpp"
#include "tests/support/commands.hpp"

// Golden bodies: what a stored answer is told as today must be what it was told as yesterday.
namespace hotrow::http {
namespace {

using test::opening;

constexpr AnswerContext context{.request_id = "req-1", .jitter = 0};

EntryAnswer entry() {
  return {.promotion = "p\"1\"",
          .user = "정훈|\\",
          .ordinal = 1000,
          .winner = true,
          .already = false,
          .entered_at = opening,
          .server_time = opening + std::chrono::microseconds(7)};
}

PromotionRow promotion() {
  PromotionSettings settings = test::nth_settings({3, 1000});
  settings.title = "Grand opening";
  settings.terms = "One\neach";
  settings.prize = Prize{.amount = 100000, .currency = "KRW"};
  return {.id = "p1",
          .settings = std::make_shared<const PromotionSettings>(std::move(settings)),
          .entries = 2,
          .version = 4,
          .events = 9,
          .created_at = opening,
          .decided_at = opening};
}

Response told(Answer answer, bool replayed = false) {
  return command_response(Reply{.answer = std::move(answer), .replayed = replayed}, context);
}

TEST(Response, ANewEntryIs201WithItsPlace) {
  const Response response = told(Outcome(entry()));
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, R"({"promotion_id":"p\"1\"","user_id":"정훈|\\","ordinal":1000,"winner":true,)"
                           R"("already":false,"entered_at":"2026-06-01T00:00:00.000000Z",)"
                           R"("server_time":"2026-06-01T00:00:00.000007Z"})");
  EXPECT_EQ(response.headers, "");
}

TEST(Response, ARepeatIs200) {
  EntryAnswer again = entry();
  again.already = true;
  EXPECT_EQ(told(Outcome(again)).status, 200);
}

TEST(Response, AReplayHasTheSameStatusAndBodyAndSaysSo) {
  const Response first = told(Outcome(entry()));
  const Response replay = told(Outcome(entry()), true);
  EXPECT_EQ(replay.status, first.status);
  EXPECT_EQ(replay.body, first.body);
  EXPECT_EQ(replay.headers, "Idempotency-Replayed: true\r\n");
}

TEST(Response, APromotionSaysWhatWasSetAndHowItStands) {
  const Response response =
      told(Outcome(PromotionAnswer{.created = true, .promotion = promotion(), .server_time = opening}));
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers, "ETag: \"4\"\r\n");
  EXPECT_EQ(
      response.body,
      R"({"id":"p1","title":"Grand opening","rule":{"kind":"nth","targets":[3,1000]},)"
      R"("starts_at":"2026-06-01T00:00:00.000000Z","ends_at":null,"max_entries":null,)"
      R"("close_on_last_winner":false,"prize":{"amount":100000,"currency":"KRW"},"terms":"One\neach",)"
      R"("user_id_pattern":null,"intake":"direct","state":"open","entries":2,"winner_count":0,"winners":[],)"
      R"("closed_at":null,"closed_by":null,"close_reason":null,)"
      R"("created_at":"2026-06-01T00:00:00.000000Z","version":4,)"
      R"("server_time":"2026-06-01T00:00:00.000000Z"})");
}

TEST(Response, AClosedPromotionNamesTheTargetsThatNobodyReached) {
  PromotionRow row = promotion();
  row.phase = PromotionPhase::closed;
  row.winners = 1;
  row.entries = 3;
  row.closing = PromotionClosing{.at = opening, .by = "operator:alice", .reason = "enough"};
  const std::string body = told(Outcome(PromotionAnswer{.promotion = row, .server_time = opening})).body;
  EXPECT_NE(body.find(R"("closed_by":"operator:alice","close_reason":"enough","targets_unreached":[1000])"),
            std::string::npos)
      << body;
  EXPECT_EQ(body.find("\"winners\""), std::string::npos) << "a command's answer does not read winners";
  EXPECT_EQ(body.find("targets_unreached_total"), std::string::npos) << "all of them are there";
}

TEST(Response, ARefusalIsAProblem) {
  const Response response = told(
      Rejection{.code = RejectionCode::promotion_not_started,
                .detail = "The promotion has not started.",
                .figures = {{"starts_at", opening + std::chrono::seconds(90)}, {"server_time", opening}}});
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.content_type, media::problem);
  EXPECT_EQ(response.headers, "Retry-After: 90\r\n");
  EXPECT_EQ(response.body,
            R"({"type":"/problems/promotion-not-started","title":"The promotion has not started",)"
            R"("status":409,"detail":"The promotion has not started.","request_id":"req-1",)"
            R"("code":"promotion_not_started","retryable":true,)"
            R"("starts_at":"2026-06-01T00:01:30.000000Z",)"
            R"("server_time":"2026-06-01T00:00:00.000000Z"})");
}

TEST(Response, RetryAfterIsSpread) {
  const Rejection early{
      .code = RejectionCode::promotion_not_started,
      .figures = {{"starts_at", opening + std::chrono::microseconds(1)}, {"server_time", opening}}};
  const auto header = [&](std::uint32_t jitter) {
    return command_response(Reply{.answer = early}, {.request_id = "r", .jitter = jitter}).headers;
  };
  EXPECT_EQ(header(0), "Retry-After: 1\r\n");
  EXPECT_EQ(header(2), "Retry-After: 3\r\n");
}

TEST(Response, WhoSettlesTooEarlyComesAgainAtTheEnd) {
  const Rejection early{
      .code = RejectionCode::not_ended,
      .figures = {{"ends_at", opening + std::chrono::seconds(90)}, {"server_time", opening}}};
  EXPECT_EQ(told(early).headers, "Retry-After: 91\r\n");
}

TEST(Response, AStoredRefusalGoesOnTellingTheFirstRequestsId) {
  const Rejection stored{.code = RejectionCode::sold_out, .detail = "Out.", .request_id = "req-first"};
  EXPECT_NE(told(stored, true).body.find(R"("request_id":"req-first")"), std::string::npos);
}

TEST(Response, AFailedPreconditionShowsThePresentState) {
  PromotionAnswer current{.promotion = promotion(), .server_time = opening};
  const Response response =
      told(Rejection{.code = RejectionCode::precondition_failed,
                     .detail = "Changed.",
                     .current = std::make_shared<const PresentState>(PresentState{current})});
  EXPECT_EQ(response.status, 412);
  EXPECT_EQ(response.headers, "ETag: \"4\"\r\n");
  EXPECT_NE(response.body.find(R"("current":{"id":"p1",)"), std::string::npos);
}

TEST(Response, EveryRejectionHasItsLineInTheProblemTable) {
  for (const RejectionCode code : all_rejection_codes()) {
    const ProblemKind* kind = find_problem_kind(traits(code).code);
    ASSERT_NE(kind, nullptr) << traits(code).code;
    EXPECT_EQ(kind->retryable, traits(code).retryable) << kind->code;
    EXPECT_EQ(told(Rejection{.code = code}).status, kind->status);
  }
}

TEST(Response, FailuresSayWhetherAnythingWasDone) {
  const auto code_of = [](ErrorKind kind) {
    const Response response = command_response(failure(kind, "X", "secret detail"), context);
    EXPECT_EQ(response.body.find("secret"), std::string::npos);
    return std::to_string(response.status) + " " + std::string(response.code);
  };
  EXPECT_EQ(code_of(ErrorKind::overloaded), "503 busy");
  EXPECT_EQ(code_of(ErrorKind::conflict), "503 busy");
  EXPECT_EQ(code_of(ErrorKind::held), "503 busy");
  EXPECT_EQ(code_of(ErrorKind::in_doubt), "503 outcome_unknown");
  EXPECT_EQ(code_of(ErrorKind::transient), "503 unavailable");
  EXPECT_EQ(code_of(ErrorKind::fatal), "503 unavailable");
  EXPECT_EQ(code_of(ErrorKind::invalid), "500 internal_error");
}

TEST(Response, WhoFillsTheQueueIsToldItIsHisOwnDoing) {
  const Response response =
      command_response(failure(ErrorKind::overloaded, "too_many_undecided", "secret detail"),
                       {.request_id = "r", .jitter = 4});
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.code, "too_many_undecided");
  EXPECT_EQ(response.headers,
            "Retry-After: 2\r\nRateLimit-Policy: \"undecided-bids\";q=4\r\n"
            "RateLimit: \"undecided-bids\";r=0;t=2\r\n");
  EXPECT_EQ(response.body.find("secret"), std::string::npos);
}

TEST(Response, WhoFindsARowsQueueAtItsMaxIsToldTheMax) {
  const Response response = command_response(
      failure(ErrorKind::overloaded, "queue_max", "at most 7 requests may wait for this row here"),
      {.request_id = "r", .jitter = 4});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.code, "busy");
  EXPECT_EQ(response.headers, "Retry-After: 2\r\n");
  EXPECT_NE(response.body.find(R"("detail":"By its policy, at most 7 requests may wait for this row here.")"),
            std::string::npos)
      << response.body;
}

TEST(Response, WhoBuysTooMuchIsToldHisQuotaAndWhenItBeginsAgain) {
  const Rejection rejection{.code = RejectionCode::buyout_rate,
                            .detail = "Enough.",
                            .figures = {{"limit", std::int64_t(3)},
                                        {"used", std::int64_t(3)},
                                        {"resets_at", opening + std::chrono::seconds(42)},
                                        {"server_time", opening}}};
  const Response response = told(rejection);
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.headers,
            "Retry-After: 42\r\nRateLimit-Policy: \"buyouts\";q=3;w=60\r\n"
            "RateLimit: \"buyouts\";r=0;t=42\r\n");
  EXPECT_NE(response.body.find(R"("limit":3,"used":3,"resets_at":"2026-06-01T00:00:42.000000Z")"),
            std::string::npos)
      << response.body;
}

TEST(Response, WhoBuysTooSoonComesAgainWhenTheQuietIsOver) {
  const Rejection early{
      .code = RejectionCode::buyout_quiet,
      .figures = {{"quiet_until", opening + std::chrono::seconds(30)}, {"server_time", opening}}};
  EXPECT_EQ(told(early).status, 409);
  EXPECT_EQ(told(early).headers, "Retry-After: 30\r\n");
}

TEST(Response, AListingShowsAllThatIsInForceOrNothing) {
  ListingTerms terms{.seller = "s", .item = {.id = "i", .family = "f"}, .start_price = 1};
  ListingAnswer answer{.listing = {.id = "l", .terms = std::make_shared<const ListingTerms>(terms)},
                       .server_time = opening};
  EXPECT_EQ(told(Outcome(answer)).body.find("pressure"), std::string::npos);
  answer.pressure = Pressure{.queue_max = 9};
  EXPECT_NE(told(Outcome(answer))
                .body.find(R"("pressure":{"bid_window_ms":null,"buyouts_per_player_per_minute":null,)"
                           R"("buyout_quiet_seconds":null,"queue_max":9},"version")"),
            std::string::npos);
}

TEST(Response, AListingThatWasSetAsideIsARefusal) {
  const Response response = told(Outcome(SetAsideAnswer{.listing = "l", .reason = "its item is gone"}));
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.headers, "Retry-After: 60\r\n");
  EXPECT_NE(response.body.find(R"("detail":"The listing was set aside: its item is gone.")"),
            std::string::npos);
}

TEST(Response, ABatchAnswersEachUserInOrder) {
  EntriesAnswer answer{.promotion = "p", .server_time = opening};
  answer.results.emplace_back(entry());
  answer.results.emplace_back(
      EntryRefusal{.user = "late", .rejection = {.code = RejectionCode::sold_out, .detail = "Out."}});
  const std::string body = told(Outcome(answer)).body;
  EXPECT_TRUE(body.starts_with(R"({"results":[{"promotion_id":)")) << body;
  EXPECT_NE(body.find(R"(},{"user_id":"late","problem":{"type":"/problems/sold-out",)"), std::string::npos)
      << body;
}

TEST(Response, EventsAreCloudEvents) {
  const EventRow event{.subject_kind = "promotion",
                       .subject = "p 1",
                       .sequence = 12,
                       .type = "promotion.closed",
                       .id = "promotion-closed:p 1",
                       .data = R"({"promotion_id":"p 1"})",
                       .occurred_at = opening};
  std::string text;
  JsonWriter json(text);
  write_event(json, event, "inst");
  EXPECT_EQ(text, R"({"specversion":"1.0","id":"promotion-closed:p 1","source":"/hotrow/inst",)"
                  R"("type":"promotion.closed","subject":"promotion/p 1","sequence":"00000000000000000012",)"
                  R"("time":"2026-06-01T00:00:00.000000Z","datacontenttype":"application/json",)"
                  R"("dataschema":"/schemas/promotion.closed/1","data":{"promotion_id":"p 1"}})");
}

TEST(JsonText, EscapesWhatJsonDoesNotTake) {
  std::string text;
  append_json_string(text, std::string_view("a\"b\\c\n\r\t\0\x1f/é", 13));
  EXPECT_EQ(text, "\"a\\\"b\\\\c\\n\\r\\t\\u0000\\u001f/é\"");
}

}  // namespace
}  // namespace hotrow::http
