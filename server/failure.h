#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "embd/error.h"

namespace embd::server {

/// Whose routes, whose error form. Our own routes have OpenAI's form.
/// Jina's, vLLM's and Cohere's older one share their rerank routes: `rerank` has an error for each.
enum class Api : std::uint8_t { openai, tei, ollama, cohere, own, rerank };
/// "openai", …
std::string_view api_name(Api api) noexcept;

/// Why a request is refused. Each API has its own status and words for it.
enum class Problem : std::uint8_t {
  malformed_http,
  bad_json,
  invalid,      ///< JSON of another shape, a value out of range
  empty_input,  ///< nothing to embed
  too_many_inputs,
  too_many_tokens,
  text_too_long,  ///< and truncating was refused
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
  not_this_model,  ///< what only models of another kind can do
  overloaded,
  late,  ///< its time is over
  gone,  ///< its client is
  draining,
  internal,
};

struct Failure {
  Problem problem = Problem::internal;
  std::string message = {};
  std::string param = {};    ///< the field concerned; empty: none
  unsigned retry_after = 0;  ///< seconds; 0: not said
};

template <class T>
using Answerable = std::expected<T, Failure>;

inline std::unexpected<Failure> refuse(Problem problem, std::string message,
                                       std::string param = {}) {
  return std::unexpected(Failure{problem, std::move(message), std::move(param)});
}

/// An error of the library: what the client asked for, or ours.
Failure failure_of(const Error& error);

int status_of(Problem problem, Api api) noexcept;
/// Every status that an answer may have, in ascending order.
std::span<const int> all_statuses() noexcept;
/// The JSON body in the API's own form.
std::string error_body(const Failure& failure, Api api);

}  // namespace embd::server
