#include "faces/cli/mcp/mcp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "embd/version.h"

namespace embd::cli::mcp {
namespace {

/// Versions that a client agrees on by "initialize", the oldest first.
constexpr std::array handshake_versions = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
/// The version in which each request names its version.
constexpr std::string_view version_of_requests = "2026-07-28";
constexpr const char* version_key = "io.modelcontextprotocol/protocolVersion";

/// The numbers of errors that JSON-RPC and the protocol define.
enum ErrorNumber : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  unsupported_version = -32022,
};

Json failure(const Json& id, ErrorNumber number, std::string message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", std::to_underlying(number)}, {"message", std::move(message)}}}};
}

Json success(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

/// Returns JSON in one line. Bytes that are not UTF-8 become U+FFFD.
std::string in_one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json server_info() {
  return {{"name", "embd"}, {"version", version()}};
}

Json capabilities() {
  return {{"tools", Json::object()}};
}

/// Returns the member of an object with this name; null if there is none.
const Json* member(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return json.is_object() && found != json.end() ? &*found : nullptr;
}

/// Returns the version that a request itself names; null if it does not.
const Json* named_version(const Json& params) {
  const Json* meta = member(params, "_meta");
  return meta != nullptr ? member(*meta, version_key) : nullptr;
}

/// Returns a result with the members that version 2026-07-28 demands, which older clients ignore.
Json complete(Json result) {
  result["resultType"] = "complete";
  result["_meta"] = {{"io.modelcontextprotocol/serverInfo", server_info()}};
  return result;
}

/// Returns such a result, which a client asks for again whenever it wants it.
Json complete_list(Json result) {
  result["ttlMs"] = 0;
  result["cacheScope"] = "private";
  return complete(std::move(result));
}

Json refuse_version(const Json& id, const Json& version) {
  Json refused = failure(id, unsupported_version, "the version of the protocol is not supported");
  Json& data = refused["error"]["data"];
  data["supported"] = Json::array({version_of_requests});
  for (const char* known : handshake_versions) data["supported"].push_back(known);
  data["requested"] = version;
  return refused;
}

}  // namespace

std::string Session::answer_to_long_line(std::size_t most_bytes) {
  return in_one_line(failure(
      nullptr, invalid_request,
      fmt::format("the line has more than {} bytes, expected a shorter message", most_bytes)));
}

std::optional<std::string> Session::answer(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
  const auto message = parse_ordered_json(line);
  if (!message)
    return in_one_line(failure(nullptr, parse_error, "no JSON: " + message.error().message()));
  const auto answer = message->is_array() ? answer_batch(*message) : answer_message(*message);
  if (!answer) return std::nullopt;
  return in_one_line(*answer);
}

/// Answers several messages in an array, which version 2025-03-26 has.
std::optional<Json> Session::answer_batch(const Json& messages) {
  constexpr std::size_t most_messages = 32;
  if (messages.empty() || messages.size() > most_messages)
    return failure(
        nullptr, invalid_request,
        fmt::format("the array has {} messages, expected 1 to {}", messages.size(), most_messages));
  Json answers = Json::array();
  for (const Json& message : messages)
    if (auto answer = answer_message(message)) answers.push_back(std::move(*answer));
  if (answers.empty()) return std::nullopt;
  return answers;
}

std::optional<Json> Session::answer_message(const Json& message) {
  const Json* version = member(message, "jsonrpc");
  const Json* id = member(message, "id");
  const Json* method = member(message, "method");
  // An answer to a request: this server makes none.
  if (method == nullptr && id != nullptr &&
      (member(message, "result") != nullptr || member(message, "error") != nullptr))
    return std::nullopt;
  const bool is_good_id = id == nullptr || id->is_string() || id->is_number_integer();
  if (version == nullptr || *version != "2.0" || method == nullptr || !method->is_string() ||
      !is_good_id)
    return failure(is_good_id && id != nullptr ? *id : Json(), invalid_request,
                   "the message is no request of JSON-RPC 2.0, expected an object with \"jsonrpc\" "
                   "\"2.0\", a \"method\" and an \"id\" that is a string or a whole number");
  // A notification. None of them needs anything to be done: calls end before the next message.
  if (id == nullptr) return std::nullopt;
  const Json* params = member(message, "params");
  if (params != nullptr && !params->is_object())
    return failure(*id, invalid_params, "\"params\" is no object, expected one");
  return answer_request(*id, method->get<std::string>(),
                        params != nullptr ? *params : Json::object());
}

Json Session::answer_request(const Json& id, const std::string& method, const Json& params) {
  const Json* version = named_version(params);
  if (version != nullptr && *version != version_of_requests) return refuse_version(id, *version);
  if (method == "initialize") return initialize(id, params);
  if (method == "ping") return success(id, Json::object());
  if (method == "server/discover")
    return success(id, complete_list({{"supportedVersions", Json::array({version_of_requests})},
                                      {"capabilities", capabilities()},
                                      {"instructions", tools_.instructions()}}));
  const bool is_known = method == "tools/list" || method == "tools/call";
  if (!is_known)
    return failure(id, method_not_found,
                   fmt::format("the method \"{}\" is unknown, expected initialize, ping, "
                               "server/discover, tools/list or tools/call",
                               method));
  if (!is_initialized_ && version == nullptr)
    return failure(id, invalid_request, "no request with the method initialize came before");
  if (method == "tools/list") return success(id, complete_list({{"tools", tools_.list()}}));
  return call_tool(id, params);
}

Json Session::initialize(const Json& id, const Json& params) {
  const Json* asked = member(params, "protocolVersion");
  if (asked == nullptr || !asked->is_string())
    return failure(id, invalid_params, "\"protocolVersion\" is missing, expected a string");
  is_initialized_ = true;
  const auto known = std::ranges::find(handshake_versions, asked->get<std::string>());
  return success(id, {{"protocolVersion",
                       known != handshake_versions.end() ? *known : handshake_versions.back()},
                      {"capabilities", capabilities()},
                      {"serverInfo", server_info()},
                      {"instructions", tools_.instructions()}});
}

Json Session::call_tool(const Json& id, const Json& params) {
  const Json* name = member(params, "name");
  const Json* arguments = member(params, "arguments");
  const auto is_named = [&](const Json& tool) { return name != nullptr && tool["name"] == *name; };
  if (std::ranges::none_of(tools_.list(), is_named))
    return failure(id, invalid_params,
                   name == nullptr ? "\"name\" is missing, expected the name of a tool"
                                   : "the tool is unknown, expected one of tools/list");
  if (arguments != nullptr && !arguments->is_object())
    return failure(id, invalid_params, "\"arguments\" is no object, expected one");
  auto answer =
      tools_.call(name->get<std::string>(), arguments != nullptr ? *arguments : Json::object());
  const std::string text = answer ? std::move(answer->text) : answer.error().message();
  Json result = {{"content", Json::array({{{"type", "text"}, {"text", text}}})}};
  if (answer) result["structuredContent"] = std::move(answer->structured);
  result["isError"] = !answer.has_value();
  return success(id, complete(std::move(result)));
}

}  // namespace embd::cli::mcp
