#include "server/token_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "server/json_answer.h"

namespace embd::server {
namespace {

constexpr std::array<std::string_view, 5> special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                                            "[MASK]"};

bool is_special(std::string_view token) {
  return std::ranges::find(special_tokens, token) != special_tokens.end();
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at; (at = text.find(from)) != std::string_view::npos;) {
    out += text.substr(0, at);
    out += to;
    text.remove_prefix(at + from.size());
  }
  out += text;
  return out;
}

}  // namespace

void append_tokens(const Model& model, std::string_view text, const Tokens& tokens,
                   bool with_special, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    const bool special = tokens.is_special(i);
    if (special && !with_special) continue;
    if (!out.ends_with('[')) out += ',';
    const auto [begin, end] = tokens.ranges[i];
    const std::string_view shown =
        begin < end ? text.substr(begin, end - begin) : model.token(tokens.ids[i]);
    fmt::format_to(std::back_inserter(out), R"({{"id":{},"text":{},"special":{},)", tokens.ids[i],
                   json_string(shown), special);
    if (special) {
      out += R"("start":null,"stop":null})";
    } else {
      fmt::format_to(std::back_inserter(out), R"("start":{},"stop":{}}})", begin, end);
    }
  }
  out += ']';
}

Result<std::string> decode_tokens(const Model& model, std::span<const std::int32_t> ids,
                                  bool skip_special) {
  std::string text;
  for (const std::int32_t id : ids) {
    const std::string_view token = model.token(id);
    if (token.empty()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} is not in the vocabulary of {} tokens", id, model.vocab_size()));
    }
    if (skip_special && is_special(token)) continue;
    if (token.starts_with("##") && !text.empty()) {
      text += token.substr(2);
    } else {
      if (!text.empty()) text += ' ';
      text += token;
    }
  }
  constexpr std::pair<std::string_view, std::string_view> cleanups[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : cleanups) text = replaced(text, from, to);
  return text;
}

}  // namespace embd::server
