#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/os/file_descriptor.h"
#include "base/os/signals.h"
#include "base/system_error.h"
#include "base/try.h"
#include "embd/collect.h"
#include "embd/vectors.h"
#include "faces/cli/commands.h"
#include "faces/cli/mcp/mcp.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/verb.h"
#include "jobs/recipe_check.h"

namespace embd::cli {
namespace {

struct McpRequest {
  std::filesystem::path collection;
  ModelOptions model;
};

/// The lines of standard input, of which no more than `most_bytes` bytes are kept.
class InputLines {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  struct Line {
    std::string text;      ///< without its line feed
    bool is_long = false;  ///< it has more bytes, and `text` is only its beginning
  };

  static Result<InputLines> open(std::stop_token stop) {
    return InputLines(EMBD_TRY(result_of("open", name, os::standard_input())), std::move(stop));
  }

  /// Returns the next line; nothing at the end. Fails with io_failed, and with cancelled after a
  /// stop request.
  Result<std::optional<Line>> next() {
    Line line;
    bool has_any = false;
    while (begin_ != end_ || EMBD_TRY(fill())) {
      has_any = true;
      const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
      const std::size_t feed = rest.find('\n');
      const std::string_view part = rest.substr(0, feed);
      line.is_long = line.is_long || part.size() > most_bytes - line.text.size();
      if (!line.is_long) line.text += part;
      begin_ += part.size();
      if (feed == std::string_view::npos) continue;
      ++begin_;
      break;
    }
    return has_any ? std::optional(std::move(line)) : std::nullopt;
  }

 private:
  static constexpr const char* name = "standard input";
  static constexpr std::chrono::milliseconds between_looks{100};

  InputLines(FileDescriptor file, std::stop_token stop)
      : file_(std::move(file)), stop_(std::move(stop)), buffer_(std::size_t{1} << 16) {}

  /// Fills the buffer. Returns false at the end.
  Result<bool> fill() {
    while (!file_.await_input(between_looks))
      if (stop_.stop_requested()) return fail_stopped();
    begin_ = 0;
    end_ = EMBD_TRY(file_.read_some(std::as_writable_bytes(std::span(buffer_)), name));
    return end_ != 0;
  }

  FileDescriptor file_;
  std::stop_token stop_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// Answers messages until the client closes standard input.
Result<void> converse(mcp::Session& session, const std::stop_token& stop) {
  const FileDescriptor output =
      EMBD_TRY(result_of("open", "standard output", os::standard_output()));
  InputLines lines = EMBD_TRY(InputLines::open(stop));
  for (;;) {
    const auto line = EMBD_TRY(lines.next());
    if (!line) return {};
    auto answer = line->is_long ? mcp::Session::answer_to_long_line(InputLines::most_bytes)
                                : session.answer(line->text);
    if (stop.stop_requested()) return fail_stopped();
    if (!answer) continue;
    *answer += '\n';
    EMBD_TRY(output.write(as_bytes(*answer), "standard output"));
  }
}

Result<ExitCode> serve_collection(McpRequest& request) {
  const os::Interrupt interrupt;
  take_model_of(EMBD_TRY(collection_info(request.collection)), request.model);
  const auto recipe = EMBD_TRY(EMBD_TRY(open_vectors(request.collection))->recipe());
  if (recipe && !request.model.compute) request.model.compute = compute_of(*recipe);
  request.model.hash_record = hash_record(/*keep=*/true);
  Model model = EMBD_TRY(open_model(request.model));
  const auto tools = EMBD_TRY(mcp::open_collection_tools(
      request.collection, std::move(model), request.model.encode.threads, interrupt.token()));
  mcp::Session session(*tools);
  EMBD_TRY(converse(session, interrupt.token()));
  return ExitCode::good;
}

}  // namespace

void add_mcp(Verb& program) {
  auto [verb, request] = program.add_verb(
      "mcp",
      "Lets a language model search a collection (Model Context Protocol over standard input and "
      "output)",
      serve_collection);
  verb.add_option("COLLECTION", request.collection, "A collection that embd collect has made")
      .required();
  add_model_options(verb, request.model);
  add_compute(verb, request.model.compute,
              "Arithmetic of the queries' weight matrices (that of the collection; f32)");
  add_threads(verb, request.model.encode.threads);
}

}  // namespace embd::cli
