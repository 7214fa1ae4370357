#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/model.h"

// The server's side of the Model Context Protocol, without its input and output. A message is a
// line with a JSON object of JSON-RPC 2.0.
namespace embd::cli::mcp {

using Json = nlohmann::ordered_json;

/// The answer of a tool: the same for people and language models to read, and for programs.
struct ToolAnswer {
  std::string text;
  Json structured;  ///< an object, as the tool's "outputSchema" describes it
};

/// The tools that a server offers.
class Tools {
 public:
  virtual ~Tools() = default;
  /// Returns what a client tells its language model about the server.
  virtual std::string instructions() const = 0;
  /// Returns the descriptions of the tools, as "tools/list" has them.
  virtual const Json& list() const = 0;
  /// Calls a tool of list(). An error goes to the language model, which can then call again.
  virtual Result<ToolAnswer> call(const std::string& name, const Json& arguments) = 0;
};

/// Opens the tools of a collection: `search` finds passages, `read` reads lines of its documents.
/// If the collection is brought up to date, the next call sees the new state. `model` embeds
/// queries, with `threads` threads. A stop request ends a search. The tools are not thread-safe.
/// Fails with the errors of search_collection(), and with recipe_mismatch for another model.
Result<std::unique_ptr<Tools>> open_collection_tools(const std::filesystem::path& folder,
                                                     Model model, int threads,
                                                     std::stop_token stop);

/// A conversation with a client. It understands the versions of the protocol from 2024-11-05 to
/// 2025-11-25, which begin with "initialize", and 2026-07-28, in which each request names its
/// version. Not thread-safe.
class Session {
 public:
  /// `tools` must outlive the session.
  explicit Session(Tools& tools) : tools_(tools) {}

  /// Takes a line from the client, without its line end. Returns the line to answer with, without a
  /// line end; nothing if no answer is due.
  std::optional<std::string> answer(std::string_view line);
  /// Returns the answer to a line of more than `most_bytes` bytes, which was not read.
  static std::string answer_to_long_line(std::size_t most_bytes);

 private:
  std::optional<Json> answer_message(const Json& message);
  std::optional<Json> answer_batch(const Json& messages);
  Json answer_request(const Json& id, const std::string& method, const Json& params);
  Json initialize(const Json& id, const Json& params);
  Json call_tool(const Json& id, const Json& params);

  Tools& tools_;
  bool is_initialized_ = false;
};

}  // namespace embd::cli::mcp
