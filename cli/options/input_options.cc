#include "cli/options/input_options.h"

#include "cli/options/option_scopes.h"
#include "cli/options/values.h"

namespace embd::cli {
namespace {

Result<void> parse_delimiter(const std::string& text, InputOptions& options) {
  if (text != "tab" && text.size() != 1) return unexpected_value(text, "one character, or tab");
  options.delimiter = text == "tab" ? '\t' : text[0];
  return {};
}

}  // namespace

void add_text_options(Verb& verb, InputOptions& options) {
  add_choice<std::optional<InputFormat>>(verb, "--input-format", options.format,
                                         {{"auto", std::nullopt},
                                          {"txt", InputFormat::txt},
                                          {"jsonl", InputFormat::jsonl},
                                          {"csv", InputFormat::csv},
                                          {"tsv", InputFormat::tsv}},
                                         "auto: by the extension, else txt");
  verb.add_option("--text-field", options.text_field, "Field that holds the text (text)")
      .type_name("NAME");
  verb.add_option("--id-field", options.id_field, "Field that holds the id of a row")
      .type_name("NAME");
  add_choice<IdType>(
      verb, "--id-type", options.id_type,
      {{"auto", IdType::automatic}, {"number", IdType::number}, {"string", IdType::string}},
      "Of csv and tsv ids; auto: as the first one looks");
  verb.add_negative_flag("--no-header", options.has_header,
                         "csv, tsv: the first row is data; fields are numbers from 1");
  verb.add_option("--encoding", options.encoding,
                  "Encoding of the file, such as latin-1 or windows-1252 (utf-8)")
      .type_name("NAME");
  add_choice<InvalidText>(verb, "--invalid-utf8", options.invalid_text,
                          {invalid_text_names.begin(), invalid_text_names.end()},
                          "Bytes that are not of the encoding: an error, or U+FFFD for them");
  verb.add_parsed(
          "--delimiter",
          [&options](const std::string& text) { return parse_delimiter(text, options); },
          "csv: what parts the fields of a row, such as \";\" or tab (a comma)")
      .type_name("CHAR");
  verb.add_flag("--skip-empty", options.skip_empty,
                "Leave out texts that are empty or only white space; rows are numbered without "
                "them");
}

std::optional<std::string> given_text_option(const Verb& verb) {
  for (const char* name : text_options)
    if (verb.is_given(name)) return name;
  return std::nullopt;
}

Option& add_text_input(Verb& verb, TextInput& input, const std::string& positional) {
  Option& path = verb.add_option(positional, input.path, "Texts; - is standard input");
  add_text_options(verb, input.options);
  return path;
}

void add_on_truncate(Verb& verb, OnTruncate& on_truncate) {
  add_choice<OnTruncate>(
      verb, "--on-truncate", on_truncate,
      {{"ignore", OnTruncate::ignore}, {"warn", OnTruncate::warn}, {"error", OnTruncate::error}},
      "When a text is cut (warn)");
}

void add_progress(Verb& verb, std::string& progress) {
  add_choice<std::string>(verb, "--progress", progress,
                          {{"auto", "auto"}, {"always", "always"}, {"never", "never"}},
                          "(auto: on a terminal)");
}

Option& add_token_ids_field(Verb& verb, TextInput& input) {
  return verb
      .add_option("--token-ids-field", input.options.token_ids_field,
                  "JSON Lines: field that holds token ids, as embd tokenize writes them, instead "
                  "of a text")
      .excludes({"--text-field"})
      .type_name("NAME");
}

}  // namespace embd::cli
