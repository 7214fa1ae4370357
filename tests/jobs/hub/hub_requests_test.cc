#include "jobs/hub/hub_requests.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "base/try.h"
#include "tests/support/temporary_directory.h"

namespace embd::hub {
namespace {

constexpr const char* listing =
    R"({"sha": "0123456789abcdef0123456789abcdef01234567", "siblings": [
        {"rfilename": "config.json", "size": 2, "blobId": "9e26dfeeb6e641a33dae4961196235bdb965b21b"},
        {"rfilename": "model.safetensors", "size": 2,
         "blobId": "9e26dfeeb6e641a33dae4961196235bdb965b21b"}]})";

/// A client that answers with a function, and keeps the requests.
class FakeClient final : public HttpClient {
 public:
  using Answering = std::function<HttpResult(const HttpRequest&, const HttpBodySink&)>;
  explicit FakeClient(Answering answering) : answering_(std::move(answering)) {}
  HttpResult get(const HttpRequest& request, const HttpBodySink& body,
                 const std::stop_token&) override {
    requests.push_back(request);
    return answering_(request, body);
  }
  std::vector<HttpRequest> requests;

 private:
  Answering answering_;
};

HttpResult send(const HttpBodySink& body, std::string_view text, int status = 200) {
  const HttpAnswer answer = {.status = status};
  EMBD_TRY(body(answer, text));
  return answer;
}

HttpResult send_model(const HttpRequest& request, const HttpBodySink& body) {
  return send(body, request.url.contains("/api/models/") ? listing : "{}");
}

GetModelOptions quick() {
  return {.endpoint = "https://hub", .token = "hf_secret", .retry_seconds = 0};
}

/// Returns how often a client that answers in this way is asked for a listing.
std::size_t attempts(FakeClient::Answering answering) {
  FakeClient client(std::move(answering));
  const GetModelOptions options = quick();
  EXPECT_FALSE(HubRequests(client, options, {}).list("someone/small"));
  return client.requests.size();
}

TEST(HubRequests, OnlyAFailureThatMayPassIsFollowedByAnotherAttempt) {
  for (const bool may_pass : {false, true}) {
    const auto fails = [&](const HttpRequest&, const HttpBodySink&) -> HttpResult {
      return std::unexpected(HttpFailure(Error(ErrorCode::io_failed, "no"), may_pass));
    };
    EXPECT_EQ(attempts(fails), may_pass ? 5U : 1U);
  }
}

TEST(HubRequests, OnlyAStatusOfTheMomentIsFollowedByAnotherAttempt) {
  for (const int status : {400, 401, 403, 404, 407, 410, 416})
    EXPECT_EQ(attempts([&](const HttpRequest&, const HttpBodySink& body) {
                return send(body, "", status);
              }),
              1U)
        << status;
  for (const int status : {408, 429, 500, 502, 503, 504})
    EXPECT_EQ(attempts([&](const HttpRequest&, const HttpBodySink& body) {
                return send(body, "", status);
              }),
              5U)
        << status;
}

TEST(HubRequests, ARedirectThatIsRefusedIsNotTriedAgain) {
  for (const char* location : {"http://hub/x", "file:///x", "//"})
    EXPECT_EQ(attempts([&](const HttpRequest&, const HttpBodySink&) -> HttpResult {
                return HttpAnswer{.status = 302, .headers = {{"location", location}}};
              }),
              1U)
        << location;
  EXPECT_EQ(attempts([](const HttpRequest&, const HttpBodySink&) -> HttpResult {
              return HttpAnswer{.status = 302};
            }),
            1U);
}

TEST(HubRequests, ADiskThatIsFullIsNotTriedAgain) {
  FakeClient client([](const HttpRequest&, const HttpBodySink& body) { return send(body, "{}"); });
  const GetModelOptions options = quick();
  const HubRequests::Destination full = {.size = [] { return std::uint64_t{0}; },
                                         .clear = []() -> Result<void> { return {}; },
                                         .append = [](std::string_view) -> Result<void> {
                                           return fail(ErrorCode::io_failed,
                                                       "No space left on device");
                                         }};
  const auto fetched =
      HubRequests(client, options, {}).fetch("someone/small", "c", {.path = "config.json"}, full);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().what(), "No space left on device");
  EXPECT_EQ(client.requests.size(), 1U);
}

TEST(HubRequests, TheTokenGoesToTheHubWhateverTheFormOfItsAddress) {
  FakeClient client([](const HttpRequest& request, const HttpBodySink& body) -> HttpResult {
    if (request.url.contains("/api/"))
      return HttpAnswer{.status = 302, .headers = {{"location", "/x?from=https://hub/"}}};
    if (request.url == "https://hub/x?from=https://hub/")
      return HttpAnswer{.status = 307, .headers = {{"location", "https://HUB:443/y"}}};
    if (request.url == "https://HUB:443/y")
      return HttpAnswer{.status = 308, .headers = {{"location", "https://hub.elsewhere/z"}}};
    return send(body, listing);
  });
  const GetModelOptions options = quick();
  ASSERT_TRUE(HubRequests(client, options, {}).list("someone/small"));
  ASSERT_EQ(client.requests.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(client.requests[i].headers.contains("authorization"), i < 3) << i;
}

TEST(HubRequests, APathInAListingIsThatOfOneFile) {
  for (const char* path :
       {"./config.json", "a//config.json", "a/../config.json", "../x", "/x", "", "..", "a\\b"}) {
    FakeClient client([&](const HttpRequest&, const HttpBodySink& body) {
      std::string text = listing;
      return send(body, text.replace(text.find("config.json"), 11,
                                     path == std::string("a\\b") ? "a\\\\b" : path));
    });
    const GetModelOptions options = quick();
    const auto listed = HubRequests(client, options, {}).list("someone/small");
    ASSERT_FALSE(listed) << path;
    EXPECT_EQ(listed.error().code(), ErrorCode::bad_value) << path;
  }
}

using GetModelTest = test::TemporaryDirectory;

TEST_F(GetModelTest, AFunctionOfTheCallerThatThrowsIsAnError) {
  FakeClient client(send_model);
  GetModelOptions options = quick();
  options.cache_folder = directory();
  options.on_progress = [](const GetModelProgress&) { throw std::runtime_error("the caller's"); };
  const auto fetched = get_model("someone/small", client, options);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().what(), "the caller's");
  options.on_progress = {};
  EXPECT_TRUE(get_model("someone/small", client, options));
}

TEST_F(GetModelTest, AModelWithoutConfigurationIsRefusedBeforeTheDownload) {
  FakeClient client([](const HttpRequest&, const HttpBodySink& body) {
    std::string text = listing;
    return send(body, text.replace(text.find("config.json"), 11, "tokenizer_config.json"));
  });
  GetModelOptions options = quick();
  options.cache_folder = directory();
  const auto fetched = get_model("someone/small", client, options);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code(), ErrorCode::unsupported);
  EXPECT_EQ(client.requests.size(), 1U);
}

TEST_F(GetModelTest, TheAddressOfTheHubHasNoPassword) {
  FakeClient client(send_model);
  GetModelOptions options = quick();
  options.cache_folder = directory();
  options.endpoint = "https://me:secret@hub";
  const auto fetched = get_model("someone/small", client, options);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code(), ErrorCode::invalid_argument);
  EXPECT_FALSE(fetched.error().message().contains("secret"));
  EXPECT_TRUE(client.requests.empty());
}

}  // namespace
}  // namespace embd::hub
