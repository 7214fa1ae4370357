#include "faces/server/token_answer.h"

#include <fmt/format.h>

#include <iterator>

#include "faces/server/json_answer.h"

namespace embd::server {

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

}  // namespace embd::server
