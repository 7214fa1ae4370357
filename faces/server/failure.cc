#include "faces/server/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/json_text.h"

namespace embd::server {
namespace {

/// The statuses and words for a problem. The table has an entry for each Problem, in the order of
/// the enumeration.
struct Form {
  int status;      ///< the status in the APIs of OpenAI, Ollama and Cohere
  int tei_status;  ///< the status in the API of text-embeddings-inference
  const char* type;
  const char* code;  ///< null becomes null in JSON
  const char* tei_type;
};

constexpr const char* invalid_request = "invalid_request_error";
constexpr Form forms[] = {
    /* malformed_http */ {400, 400, invalid_request, nullptr, "Validation"},
    /* bad_json */ {400, 400, invalid_request, nullptr, "Validation"},
    /* invalid */ {400, 422, invalid_request, nullptr, "Validation"},
    /* empty_input */ {400, 400, invalid_request, nullptr, "Empty"},
    /* too_many_inputs */ {400, 413, invalid_request, nullptr, "Validation"},
    /* too_many_tokens */ {400, 413, invalid_request, nullptr, "Validation"},
    /* text_too_long */ {400, 422, invalid_request, "context_length_exceeded", "Validation"},
    /* unauthorized */ {401, 401, invalid_request, "invalid_api_key", "Unauthorized"},
    /* forbidden */ {403, 403, "permission_error", nullptr, "Forbidden"},
    /* unknown_route */ {404, 404, invalid_request, "unknown_url", "NotFound"},
    /* unknown_model */ {404, 404, invalid_request, "model_not_found", "NotFound"},
    /* wrong_method */ {405, 405, invalid_request, "method_not_supported", "Validation"},
    /* slow_client */ {408, 408, "timeout", nullptr, "Validation"},
    /* body_too_large */ {413, 413, invalid_request, "request_too_large", "Validation"},
    /* answer_too_large */ {413, 413, invalid_request, "answer_too_large", "Validation"},
    /* wrong_media_type */ {415, 415, invalid_request, "unsupported_media_type", "Validation"},
    /* header_too_large */ {431, 431, invalid_request, "header_too_large", "Validation"},
    /* not_this_model */ {424, 424, invalid_request, nullptr, "Backend"},
    /* overloaded */ {429, 429, "rate_limit_error", "rate_limit_exceeded", "Overloaded"},
    /* late */ {503, 503, "timeout", nullptr, "Overloaded"},
    /* gone */ {499, 499, "timeout", nullptr, "Backend"},
    /* draining */ {503, 503, "server_error", nullptr, "Unhealthy"},
    /* internal */ {500, 424, "server_error", nullptr, "Backend"},
};
static_assert(std::size(forms) == num_problems);

const Form& form_of(Problem problem) noexcept {
  return forms[static_cast<std::size_t>(problem)];
}

std::string string_or_null(std::string_view text) {
  return text.empty() ? "null" : json_string(text);
}

}  // namespace

std::string_view api_name(Api api) noexcept {
  constexpr std::string_view names[] = {"openai", "tei", "ollama", "cohere", "own", "rerank"};
  return names[static_cast<std::size_t>(api)];
}

Failure failure_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
    case ErrorCode::invalid_utf8:
    case ErrorCode::unsupported:
      return {Problem::invalid, error.message()};
    case ErrorCode::cancelled:
      return {Problem::gone, "the client closed the connection"};
    case ErrorCode::out_of_memory:
      return {Problem::overloaded,
              "the memory of the server is not enough for this request at the moment",
              {},
              1};
    default:
      return {Problem::internal, error.message()};
  }
}

std::span<const int> all_statuses() noexcept {
  static const std::vector<int> statuses = [] {
    std::vector<int> all = {200, 204};
    for (const Form& form : forms) all.insert(all.end(), {form.status, form.tei_status});
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
  }();
  return statuses;
}

int status_of(Problem problem, Api api) noexcept {
  const Form& form = form_of(problem);
  return api == Api::tei ? form.tei_status : form.status;
}

std::string error_body(const Failure& failure, Api api) {
  const Form& form = form_of(failure.problem);
  const std::string message = json_string(failure.message);
  switch (api) {
    case Api::tei:
      return fmt::format(R"({{"error":{},"error_type":"{}"}})", message, form.tei_type);
    case Api::ollama:
      return fmt::format(R"({{"error":{}}})", message);
    case Api::cohere:
      return fmt::format(R"({{"message":{}}})", message);
    case Api::openai:
    case Api::own:
    case Api::rerank:
      break;
  }
  std::string body = fmt::format(R"({{"error":{{"message":{},"type":"{}","param":{},"code":{}}})",
                                 message, form.type, string_or_null(failure.param),
                                 string_or_null(form.code == nullptr ? "" : form.code));
  if (api == Api::rerank) body += fmt::format(R"(,"message":{0},"detail":{0})", message);
  return body + "}";
}

Response failure_response(const Failure& failure, Api api) {
  Response response = {.status = status_of(failure.problem, api)};
  response.body.push_back(error_body(failure, api));
  if (failure.retry_after > 0)
    response.headers.add("Retry-After", fmt::to_string(failure.retry_after));
  if (failure.problem == Problem::unauthorized) response.headers.add("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace embd::server
