#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_text.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/printing.h"
#include "formats/vectors/ids.h"
#include "jobs/row_ids.h"

namespace embd::cli {
namespace {

struct TokenizeOptions {
  TextInput input;
  ModelOptions model;
  bool tokens = false;
  bool offsets = false;
};

/// Appends `"id":…,` for a record that has an id.
Result<void> append_id(const Record& record, const std::string& file, std::string& line) {
  if (std::holds_alternative<std::monostate>(record.id)) return {};
  line += "\"id\":";
  auto appended = append_json_id(ids_of({record.id}), 0, line);
  if (!appended)
    return std::unexpected(std::move(appended).error().at_line(record.line).in_file(file));
  line += ',';
  return {};
}

void append_tokens(const Model& model, const Tokens& tokens, std::string& line) {
  line += ",\"tokens\":[";
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    if (i != 0) line += ',';
    append_json_string(model.token(tokens.ids[i]), line);
  }
  line += ']';
}

void append_offsets(const Tokens& tokens, std::string& line) {
  line += ",\"offsets\":[";
  for (std::size_t i = 0; i < tokens.ranges.size(); ++i) {
    line +=
        fmt::format("{}[{},{}]", i == 0 ? "" : ",", tokens.ranges[i].begin, tokens.ranges[i].end);
  }
  line += ']';
}

Result<ExitCode> tokenize(const TokenizeOptions& options) {
  PathRoles roles;
  roles.reads("the input", options.input.path);
  roles.writes("standard output", "-");
  EMBD_TRY(roles.check());
  const Model model = EMBD_TRY(open_model(options.model));
  const auto reader = EMBD_TRY(open_records(options.input.path, options.input.options));
  EncodeOptions encode = options.model.encode;
  if (!encode.max_length) encode.max_length = 0;
  StandardOutput out = EMBD_TRY(StandardOutput::open());
  Record record;
  std::string line;
  while (EMBD_TRY(reader->next(record))) {
    const Tokens tokens = EMBD_TRY(model.tokenize(record.text, encode));
    line.assign(1, '{');
    EMBD_TRY(append_id(record, reader->name(), line));
    fmt::format_to(std::back_inserter(line), "\"ids\":[{}],\"truncated\":{}",
                   fmt::join(tokens.ids, ","), tokens.truncated);
    if (options.tokens) append_tokens(model, tokens, line);
    if (options.offsets) append_offsets(tokens, line);
    line += "}\n";
    EMBD_TRY(out.print(line));
  }
  EMBD_TRY(out.finish());
  return ExitCode::good;
}

}  // namespace

void add_tokenize(Verb& program) {
  auto [verb, options] = program.add_verb(
      "tokenize", "Writes the token ids of texts as JSON Lines, by default of whole texts",
      tokenize);
  add_text_input(verb, options.input);
  add_model_options(verb, options.model);
  add_token_options(verb, options.model);
  verb.add_flag("--tokens", options.tokens, "Add the tokens as strings").in(OptionGroup::output);
  verb.add_flag("--offsets", options.offsets,
                "Add the bytes of the text that each token stands for, [begin, end)")
      .in(OptionGroup::output);
}

}  // namespace embd::cli
