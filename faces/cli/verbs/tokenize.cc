#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_text.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"
#include "formats/vectors/ids.h"
#include "jobs/options/vector_lists.h"
#include "jobs/row_ids.h"

namespace embd::cli {
namespace {

struct TokenizeOptions {
  TextInput input;
  ModelOptions model;
  bool tokens = false;
  bool offsets = false;
  bool terms = false;  ///< terms instead of tokens
  TermOptions term_options;
  const Verb* verb = nullptr;
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
  std::vector<std::string> strings;
  for (const auto id : tokens.ids) strings.emplace_back(model.token(id));
  line += ",\"tokens\":";
  append_json_strings(strings, line);
}

void append_offsets(const std::vector<ByteRange>& ranges, std::string& line) {
  line += ",\"offsets\":[";
  for (std::size_t i = 0; i < ranges.size(); ++i)
    line += fmt::format("{}[{},{}]", i == 0 ? "" : ",", ranges[i].begin, ranges[i].end);
  line += ']';
}

/// Writes the terms of texts.
Result<ExitCode> write_terms(const TokenizeOptions& options) {
  for (const char* name :
       {"--tokens", "--max-length", "--truncate-side", "--prompt", "--prompt-name"}) {
    if (!options.verb->is_given(name)) continue;
    return fail(ErrorCode::invalid_argument,
                "{} applies to the tokens of a model, but --terms asks for terms: leave {} out",
                name, name);
  }
  std::optional<Model> model;
  TermOptions term_options = options.term_options;
  if (term_options.kind == TermKind::tokens) {
    model = EMBD_TRY(open_model(options.model));
    term_options.model = &*model;
  }
  const auto reader = EMBD_TRY(open_records(options.input.path, options.input.options));
  StandardOutput out = EMBD_TRY(StandardOutput::open());
  Record record;
  std::string line;
  while (EMBD_TRY(reader->next(record))) {
    const Terms found = EMBD_TRY(terms(record.text, term_options));
    line.assign(1, '{');
    EMBD_TRY(append_id(record, reader->name(), line));
    line += "\"terms\":";
    append_json_strings(found.texts, line);
    if (options.offsets) append_offsets(found.ranges, line);
    line += "}\n";
    EMBD_TRY(out.print(line));
  }
  EMBD_TRY(out.finish());
  return ExitCode::good;
}

Result<ExitCode> tokenize(const TokenizeOptions& options) {
  PathRoles roles;
  roles.reads("the input", options.input.path);
  roles.writes("standard output", "-");
  EMBD_TRY(roles.check());
  EMBD_TRY(check_needs(*options.verb));
  if (options.terms) return write_terms(options);
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
    if (options.offsets) append_offsets(tokens.ranges, line);
    line += "}\n";
    EMBD_TRY(out.print(line));
  }
  EMBD_TRY(out.finish());
  return ExitCode::good;
}

}  // namespace

void add_tokenize(Verb& program) {
  auto [verb, options] = program.add_verb(
      "tokenize",
      "Writes the token ids, or the terms, of texts as JSON Lines, by default of whole texts",
      tokenize);
  add_text_input(verb, options.input);
  add_model_options(verb, options.model);
  add_token_options(verb, options.model);
  verb.add_flag("--tokens", options.tokens, "Add the tokens as strings").in(OptionGroup::output);
  verb.add_flag("--offsets", options.offsets,
                "Add the bytes of the text that each token or term stands for, [begin, end)")
      .in(OptionGroup::output);
  verb.add_flag("--terms", options.terms,
                "Write the terms by which embd search --terms finds texts, instead of token ids")
      .in(OptionGroup::output);
  add_all_listed(verb, options.term_options);
  for (const char* name : {"--term-kind", "--stemmer"})
    verb.option(name).useless_without = "--terms";
}

}  // namespace embd::cli
