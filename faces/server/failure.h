#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "faces/server/message.h"

namespace embd::server {

/// The API that a route belongs to, which decides the form of its errors. Routes of embd's own have
/// errors in OpenAI's form. The rerank routes of Jina, vLLM and Cohere's older API are the same;
/// errors of `rerank` have the fields of all three.
enum class Api : std::uint8_t { openai, tei, ollama, cohere, own, rerank };
/// Returns the name of an API, such as "openai".
std::string_view api_name(Api api) noexcept;

/// The reason why a request is refused. Each API has its own HTTP status and name for it.
enum class Problem : std::uint8_t {
  malformed_http,
  bad_json,
  invalid,      ///< JSON of another shape, or a value out of range
  empty_input,  ///< nothing to embed
  too_many_inputs,
  too_many_tokens,
  text_too_long,  ///< and the request does not allow cutting it
  unauthorized,
  forbidden,
  unknown_route,
  unknown_model,
  wrong_method,
  slow_client,
  body_too_large,
  answer_too_large,
  wrong_media_type,
  header_too_large,
  not_this_model,  ///< the route or option needs another kind of model
  overloaded,
  late,      ///< the time for the request is over
  gone,      ///< the client has closed the connection
  draining,  ///< the server is shutting down
  internal,
};

/// The refusal of a request.
struct Failure {
  Problem problem = Problem::internal;
  std::string message = {};
  std::string param = {};    ///< the field of the request that is wrong; empty: none
  unsigned retry_after = 0;  ///< seconds after which to try again; 0: not known
};

/// The result of a step of serving a request: a value, or the failure to answer with.
template <class T>
using Answerable = std::expected<T, Failure>;

/// Returns a failure as an error of Answerable.
inline std::unexpected<Failure> refuse(Problem problem, std::string message,
                                       std::string param = {}) {
  return std::unexpected(Failure{problem, std::move(message), std::move(param)});
}

/// Refuses a request because of one of its fields. The message is the field's name in quotes,
/// followed by `what`.
inline std::unexpected<Failure> refuse_field(const std::string& field, const std::string& what,
                                             Problem problem = Problem::invalid) {
  return refuse(problem, "\"" + field + "\" " + what, field);
}

/// Returns the failure that reports an error of the library. Depending on the error, it is the
/// client's mistake or an internal error.
Failure failure_of(const Error& error);

/// Returns the HTTP status of a problem in an API.
int status_of(Problem problem, Api api) noexcept;
/// Returns all HTTP statuses that an answer may have, in ascending order.
std::span<const int> all_statuses() noexcept;
/// The number of problems.
inline constexpr std::size_t num_problems = static_cast<std::size_t>(Problem::internal) + 1;
/// Returns the body of an error answer, JSON in the form of the API.
std::string error_body(const Failure& failure, Api api);

/// Returns the answer that reports a failure in the form of an API, with the field Retry-After if
/// the failure has a time for it.
Response failure_response(const Failure& failure, Api api);

}  // namespace embd::server
